import { meanOrNull } from '../../base/statistics.ts';

/**
 * Memory-R1's bank of facts (arXiv 2508.19828): statements with " . " between them. A memory block is the bank written
 * again, or operations on it by name, as the paper's manager gives them:
 *
 *     update home of A is Bergen . add river of B is C . delete editor of D . noop
 */

const NAMES = ['add', 'update', 'delete', 'noop'] as const;
/** A named operation, and what it is about. */
const NAMED = /^(add|update|delete|noop)(?: (.+))?$/u;

export const OPERATIONS = ['add', 'update', 'delete', 'keep'] as const;
type Operation = (typeof OPERATIONS)[number];

/** The facts of a bank, in the order in which they stand. */
export const statementsOf = (text: string): string[] =>
  text
    .split(' . ')
    .map((one) => one.trim().replace(/ \.$/u, ''))
    .filter((one) => one !== '' && one !== 'none' && one !== '.');

/** "director is Velor Tamsin": what it is about, and what it says. A statement without "is" is about itself. */
function readFact(statement: string): [about: string, value: string] {
  const at = statement.search(/ (?:is|are) /u);
  return at < 0
    ? [statement.toLowerCase(), '']
    : [statement.slice(0, at).toLowerCase(), statement.slice(at)];
}
const aboutOf = (statement: string): string => readFact(statement)[0];

/** @returns the bank after one named operation */
function applied(bank: readonly string[], name: (typeof NAMES)[number], fact: string): string[] {
  const same = (one: string): boolean => aboutOf(one) === aboutOf(fact);
  const first = bank.findIndex(same);
  switch (name) {
    case 'add':
      return bank.includes(fact) ? [...bank] : [...bank, fact];
    case 'update':
      return first < 0
        ? [...bank, fact]
        : bank.flatMap((one, i) => (i === first ? [fact] : same(one) ? [] : [one]));
    case 'delete':
      return bank.filter((one) => !same(one));
    case 'noop':
      return [...bank];
  }
}

/** @returns the bank after a memory block: what the block says, or the bank with the operations that it names. */
function after(bank: string, block: string): string {
  const named = statementsOf(block).map((one) => NAMED.exec(one));
  if (named.length === 0 || named.includes(null)) return block;
  return named
    .reduce<readonly string[]>((facts, match) => {
      const name = NAMES.find((one) => one === match?.[1]) ?? 'noop';
      const fact = match?.[2] ?? '';
      return name !== 'noop' && fact === '' ? facts : applied(facts, name, fact);
    }, statementsOf(bank))
    .join(' . ');
}

/** A bank of at most this many facts: those that stand first in a longer one are forgotten. */
function capped(bank: string, cap: number): string {
  const facts = statementsOf(bank);
  return facts.length <= cap ? bank : facts.slice(-cap).join(' . ');
}

/**
 * The bank after each memory block of a rollout, in their order; it begins empty.
 * @param cap facts that it holds at most; absent: any number
 */
export function banksOf(
  blocks: readonly { kind: string; text: string }[],
  cap = Infinity,
): string[] {
  const banks: string[] = [];
  for (const { kind, text } of blocks)
    if (kind === 'memory') banks.push(capped(after(banks.at(-1) ?? '', text), cap));
  return banks;
}

/** Values that a bank gives of each thing: more than one where its facts contradict each other. */
function valuesOf(bank: string): Map<string, Set<string>> {
  const values = new Map<string, Set<string>>();
  for (const [about, value] of statementsOf(bank).map(readFact))
    values.set(about, (values.get(about) ?? new Set()).add(value));
  return values;
}

/** Of the things that a bank says something of, the share of which its facts contradict each other; null of an empty one. */
export function contradicted(bank: string): number | null {
  const values = [...valuesOf(bank).values()];
  return meanOrNull(values.map(({ size }) => Number(size > 1)));
}

/** The bank of a manager that only adds: every fact that was in any of these banks, once. */
export const addedUp = (banks: readonly string[]): string =>
  [...new Set(banks.flatMap(statementsOf))].join(' . ');

/**
 * How many facts of a bank were added, updated, deleted and kept on the way to the next one. Of one thing, as many new
 * values as there are old ones that went are updates; a new one beside an old one that stays is an addition.
 */
export function operations(before: string, next: string): Record<Operation, number> {
  const [old, now] = [valuesOf(before), valuesOf(next)];
  const counts = { add: 0, update: 0, delete: 0, keep: 0 };
  for (const about of new Set([...old.keys(), ...now.keys()])) {
    const had = old.get(about) ?? new Set<string>();
    const has = now.get(about) ?? new Set<string>();
    const kept = [...has].filter((value) => had.has(value)).length;
    const [came, went] = [has.size - kept, had.size - kept];
    const updated = Math.min(came, went);
    counts.keep += kept;
    counts.update += updated;
    counts.add += came - updated;
    counts.delete += went - updated;
  }
  return counts;
}
