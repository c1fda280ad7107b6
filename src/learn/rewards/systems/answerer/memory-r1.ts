import { clause } from '../../parts/clause.ts';
import { fixedReward } from '../../parts/definition.ts';

/*
 * Memory-R1 (arXiv 2508.19828; no code): exact match of what a frozen answerer says from the memory bank that the
 * policy keeps. Departures: the bank is the policy's memory block, written anew behind every result, and what it
 * added, updated, deleted or kept is told by comparing two of them, where theirs names one operation for each fact;
 * facts come from searches in place of a dialogue; the answerer is the checkpoint without its adapter and reads the
 * whole bank. The operations are counted in clauses of weight 0.
 */

const OPERATIONS = ['add', 'update', 'delete', 'keep'] as const;
type Operation = (typeof OPERATIONS)[number];

/** "director is Velor Tamsin": what it is about, and what it says. A statement without "is" is about itself. */
function readFact(statement: string): [about: string, value: string] {
  const at = statement.search(/ (?:is|are) /u);
  return at < 0
    ? [statement.toLowerCase(), '']
    : [statement.slice(0, at).toLowerCase(), statement.slice(at)];
}

const bankOf = (text: string): Map<string, string> =>
  new Map(
    text
      .split(' . ')
      .map((one) => one.trim())
      .filter((one) => one !== '' && one !== 'none' && one !== '.')
      .map(readFact),
  );

/** How many facts of a bank were added, updated, deleted and kept on the way to the next one. */
export function operations(before: string, after: string): Record<Operation, number> {
  const [old, now] = [bankOf(before), bankOf(after)];
  const counts = { add: 0, update: 0, delete: 0, keep: 0 };
  for (const [about, value] of now)
    counts[!old.has(about) ? 'add' : old.get(about) === value ? 'keep' : 'update'] += 1;
  for (const about of old.keys()) counts.delete += Number(!now.has(about));
  return counts;
}

export const memoryR1 = fixedReward({
  id: 'memory-r1',
  name: 'Memory-R1',
  source: 'Memory-R1, arXiv 2508.19828',
  range: [0, 1],
  frozen: 'memory',
  clauses: ({ frozen, blocks }) => {
    const banks = blocks.filter(({ kind }) => kind === 'memory');
    const answered = frozen.find(({ from }) => from === 'memory');
    const steps = banks.map(({ text }, i) => operations(banks[i - 1]?.text ?? '', text));
    return [
      clause('answer', answered?.em ?? 0, banks.at(-1)?.evidence ?? []),
      ...OPERATIONS.map((name) => ({
        ...clause(
          name,
          steps.reduce((sum, counts) => sum + counts[name], 0),
        ),
        weight: 0,
      })),
    ];
  },
});
