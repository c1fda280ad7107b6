import { groupBy } from '../../base/items.ts';
import { mean, meanOrNull } from '../../base/statistics.ts';
import type { SignatureNumber } from './file/numbers.ts';
import { valueOf, type Row } from './rows.ts';

/** Scores of one arm, seed by seed, over the same questions. */

/** What one policy did on one world. */
export interface ScoredCell {
  /** null where no seed has a part in it: at the start, and without training. */
  seed: number | null;
  trainWorld: string | null;
  world: string;
  rows: readonly Row[];
}

export interface ArmScores {
  name: string;
  trained: boolean;
  /** After training; of an arm that is not trained, the policy as it is. */
  end: readonly ScoredCell[];
  /** The policy without an adapter. */
  start: readonly ScoredCell[];
  /** What the policy without an adapter is to a trained arm: step 0, where nothing else comes before the first step. */
  before: 'step 0' | 'before its start' | 'before its warm-up';
}

/** Which questions, and of which worlds. */
export interface Part {
  name: string;
  worlds: readonly string[];
  keep(row: Row, world: string): boolean;
}

/** Values of one number: [worlds][questions], null where a question has none. */
type Values = (number | null)[][];

export interface SeedValues {
  seed: number | null;
  values: Values;
}

/** @throws Error where the cells are not of the same questions in the same order */
function meanByQuestion(cells: readonly ScoredCell[], number: SignatureNumber, part: Part) {
  const lists = cells.map(({ rows, world }) => rows.filter((row) => part.keep(row, world)));
  const [first = []] = lists;
  for (const list of lists)
    if (list.map(({ id }) => id).join('\n') !== first.map(({ id }) => id).join('\n'))
      throw new Error(`scores over ${cells[0]?.world ?? 'a world'} are not of the same questions`);
  return first.map((_, i) => {
    const values = lists.map((list) => {
      const row = list[i];
      return row ? valueOf(row, number) : null;
    });
    return values.includes(null) ? null : mean(values.map(Number));
  });
}

/**
 * Values of a number by seed, question by question, each the mean over the worlds that were trained on.
 * A seed counts where it has been scored on every world of the part, after training on each.
 * @param trainWorlds how many worlds an arm is trained on
 */
export function valuesOf(
  cells: readonly ScoredCell[],
  number: SignatureNumber,
  part: Part,
  trainWorlds: number,
): SeedValues[] {
  return [...groupBy(cells, ({ seed }) => seed)].flatMap(([seed, own]) => {
    const byWorld = part.worlds.map((name) => own.filter(({ world }) => world === name));
    const wanted = seed === null ? 1 : trainWorlds;
    if (byWorld.some((list) => list.length < wanted)) return [];
    return [{ seed, values: byWorld.map((list) => meanByQuestion(list, number, part)) }];
  });
}

/** The mean over seeds, worlds and questions; each world with a value counts alike. null without one. */
export function meanOf(seeds: readonly SeedValues[]): number | null {
  const bySeed = seeds.flatMap(({ values }) => {
    const byWorld = values.flatMap(
      (world) => meanOrNull(world.flatMap((value) => value ?? [])) ?? [],
    );
    return meanOrNull(byWorld) ?? [];
  });
  return meanOrNull(bySeed);
}

/** Pairs of values of the same seed; a side without seeds stands against each seed of the other. */
export function pairs(
  a: readonly SeedValues[],
  b: readonly SeedValues[],
): { seed: number | null; a: Values; b: Values }[] {
  const alone = (side: readonly SeedValues[]) => side.find(({ seed }) => seed === null);
  const [aloneA, aloneB] = [alone(a), alone(b)];
  if (aloneA) return b.map(({ seed, values }) => ({ seed, a: aloneA.values, b: values }));
  if (aloneB) return a.map(({ seed, values }) => ({ seed, a: values, b: aloneB.values }));
  return a.flatMap(({ seed, values }) => {
    const other = b.find((one) => one.seed === seed);
    return other ? [{ seed, a: values, b: other.values }] : [];
  });
}

/**
 * Differences `b − a` of questions that have a value in every pair: [seeds][worlds][questions].
 */
export function differences(paired: readonly { a: Values; b: Values }[]): number[][][] {
  const worlds = paired[0]?.a ?? [];
  const kept = worlds.map((world, w) =>
    world.flatMap((_, q) =>
      paired.every(({ a, b }) => a[w]?.[q] != null && b[w]?.[q] != null) ? [q] : [],
    ),
  );
  return paired.map(({ a, b }) =>
    kept.map((questions, w) => questions.map((q) => Number(b[w]?.[q]) - Number(a[w]?.[q]))),
  );
}
