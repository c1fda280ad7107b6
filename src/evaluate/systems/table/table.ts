import { shareInterval } from '../../../base/statistics.ts';
import { itemAt } from '../../../base/items.ts';
import type { BootstrapOptions, Interval } from '../../bootstrap.ts';
import { drawResamples, hierarchicalBootstrap, type ResampleDraws } from '../../hierarchical.ts';
import { pairedDifference, type PairedDifference } from '../../paired-difference.ts';
import type { EvaluatedQuestion, EvaluationResult } from '../result.ts';
import { holm } from './holm.ts';
import { MEASURES, type Measure } from './measures.ts';
import type { Difference, TableSplit, SystemsTable, TableCell } from './shape.ts';
import { deriveSeed, Random } from '../../../base/random.ts';
import { differencesOf, presentValues, SystemValues, type WorldValues } from './values.ts';

/** Significance of a difference after Holm's correction. */
const LEVEL = 0.05;

export interface TableOptions {
  /** Row to compare with; the first by default. */
  reference?: string | undefined;
  interval?: BootstrapOptions;
  /** Awaited between rows, so that who computes it can do something else. */
  turn?: () => Promise<void>;
}

/** Intervals over questions; lists of one shape are resampled alike. */
class Intervals {
  readonly #options: BootstrapOptions;
  readonly #draws = new Map<string, ResampleDraws>();

  constructor(options: BootstrapOptions) {
    this.#options = options;
  }

  #drawsFor(worlds: readonly (readonly number[])[]): ResampleDraws | null {
    const sizes = worlds.map((world) => world.length).filter((size) => size > 0);
    if (sizes.length === 0) return null;
    const shape = sizes.join();
    const known = this.#draws.get(shape) ?? drawResamples(1, sizes, this.#options);
    this.#draws.set(shape, known);
    return known;
  }

  /** Seeds are in the values as their mean: questions are resampled, worlds and seeds are kept. */
  of(worlds: readonly (readonly number[])[]): Interval | null {
    const draws = this.#drawsFor(worlds);
    return draws && hierarchicalBootstrap([worlds], this.#options, draws);
  }

  ofDifferences(
    worlds: readonly (readonly number[])[],
    { binary }: Measure,
  ): PairedDifference | null {
    const draws = this.#drawsFor(worlds);
    return draws && pairedDifference([worlds], { ...this.#options, binary }, draws);
  }

  /**
   * The same of shares. Where every question has 0, or every one 1, resampling only finds that again: five wrong answers
   * do not make it certain that the sixth is wrong. Wilson's interval is there.
   */
  ofShares(worlds: readonly (readonly number[])[]): Interval | null {
    const interval = this.of(worlds);
    const all = worlds.flat();
    const [first] = all;
    if (!interval || (first !== 0 && first !== 1) || all.some((value) => value !== first))
      return interval;
    const [low, high] = shareInterval(first, all.length);
    return { mean: first, low, high };
  }
}

interface Compared {
  row: number;
  worlds: number[][];
  p: number;
}

/** Whether paired differences are more than chance. */

/** Up to this many differences all sign flips are counted: 2^14. */
const EXACT = 14;
const BLOCK = 8;
/** Sums in another order differ by rounding alone. */
const SLACK = 1e-9;

/** Sums of a block of up to eight values under each choice of signs; bit i set: value i is turned. */
function blockSums(values: readonly number[]): Float64Array {
  const sums = new Float64Array(1 << values.length);
  for (let flips = 0; flips < sums.length; flips++)
    for (const [i, value] of values.entries())
      sums[flips] = itemAt(sums, flips) + (flips & (1 << i) ? -value : value);
  return sums;
}

function blocksOf(values: readonly number[]): Float64Array[] {
  const blocks: Float64Array[] = [];
  for (let at = 0; at < values.length; at += BLOCK)
    blocks.push(blockSums(values.slice(at, at + BLOCK)));
  return blocks;
}

/**
 * Two-sided p-value of the sign-flip permutation test (Fisher's randomization test for paired samples; for
 * retrieval: Smucker, Allan and Carterette, CIKM 2007): under the hypothesis that two systems are alike,
 * each question's difference may as well have the other sign. The statistic is the mean over worlds of
 * the mean difference. Up to 14 questions that differ, all flips are counted; else 9,999 are drawn, and
 * p = (1 + as extreme) / (1 + drawn) (Phipson and Smyth 2010, 1603.05766), which is never 0.
 *
 * @param worlds differences by world: [worlds][questions]
 * @returns 1 where nothing differs
 */
export function signFlipTest(
  worlds: readonly (readonly number[])[],
  { flips = 9999, seed = 0 }: { flips?: number; seed?: number } = {},
): number {
  const some = worlds.filter((world) => world.length > 0);
  // Each world counts alike. What does not differ is the same with either sign.
  const values = some.flatMap((world) =>
    world.filter((value) => value !== 0).map((value) => value / world.length / some.length),
  );
  const scale = values.reduce((sum, value) => sum + Math.abs(value), 0);
  if (scale === 0) return 1;
  const observed = Math.abs(values.reduce((sum, value) => sum + value, 0)) - SLACK * scale;
  const blocks = blocksOf(values);
  const mean = (signs: (block: number) => number): number =>
    Math.abs(blocks.reduce((sum, sums, i) => sum + itemAt(sums, signs(i) & (sums.length - 1)), 0));
  let extreme = 0;
  if (values.length <= EXACT) {
    const all = 1 << values.length;
    for (let choice = 0; choice < all; choice++)
      if (mean((block) => choice >> (BLOCK * block)) >= observed) extreme++;
    return extreme / all;
  }
  const random = new Random(deriveSeed(seed, 'signs'));
  const bytes = new Uint8Array(blocks.length);
  for (let i = 0; i < flips; i++) {
    for (let b = 0; b < bytes.length; b += 4) {
      const word = random.bits();
      for (let part = 0; part < 4; part++) bytes[b + part] = word >>> (8 * part);
    }
    // Some 10^8 times for a table: no call here.
    let total = 0;
    for (let b = 0; b < blocks.length; b++) {
      const sums = blocks[b];
      if (sums) total += sums[(bytes[b] ?? 0) & (sums.length - 1)] ?? 0;
    }
    if (Math.abs(total) >= observed) extreme++;
  }
  return (1 + extreme) / (1 + flips);
}

/** Every row against one of them, tested and corrected together. */
function compareRows(
  values: readonly WorldValues[],
  reference: number,
): Map<number, Compared & { adjusted: number }> {
  const against = itemAt(values, reference, 'rows');
  const compared = values.flatMap((own, row): Compared[] => {
    if (row === reference) return [];
    const worlds = differencesOf(against, own);
    return worlds.some((world) => world.length > 0)
      ? [{ row, worlds, p: signFlipTest(worlds) }]
      : [];
  });
  const adjusted = holm(compared.map(({ p }) => p));
  return new Map(compared.map((one, i) => [one.row, { ...one, adjusted: itemAt(adjusted, i) }]));
}

/** Places of the best means; none where nothing is measured. */
function bestOf(means: readonly (number | null)[], better: Measure['better']): number[] {
  const known = means.flatMap((value) => value ?? []);
  if (known.length === 0) return [];
  const best = better === 'more' ? Math.max(...known) : Math.min(...known);
  return means.flatMap((value, row) => (value === best ? [row] : []));
}

function column(
  values: readonly WorldValues[],
  counts: readonly Pick<TableCell, 'n' | 'rollouts'>[],
  measure: Measure,
  reference: number,
  intervals: Intervals,
): TableCell[] {
  const means = values.map((own) =>
    measure.unit === 'share'
      ? intervals.ofShares(presentValues(own))
      : intervals.of(presentValues(own)),
  );
  const differences = compareRows(values, reference);
  const best = bestOf(
    means.map((interval) => interval && interval.mean),
    measure.better,
  );
  const [first] = best;
  const worse =
    first === undefined || first === reference ? differences : compareRows(values, first);
  return means.map((value, row): TableCell => {
    const found = differences.get(row);
    const paired = found ? intervals.ofDifferences(found.worlds, measure) : null;
    const beside = worse.get(row);
    const difference: Difference | null =
      found && paired
        ? { ...paired, n: found.worlds.flat().length, p: found.p, adjusted: found.adjusted }
        : null;
    const notWorse = beside !== undefined && beside.adjusted > LEVEL;
    const mark = best.includes(row) ? 'best' : notWorse ? 'not-worse' : null;
    return { measure: measure.id, value, ...itemAt(counts, row, 'rows'), difference, mark };
  });
}

/** The questions of each part, in order; a question without the feature is in none. */
function partsOf(
  questions: readonly EvaluatedQuestion[],
  by: TableSplit,
): { part: string; keep: (question: EvaluatedQuestion) => boolean }[] {
  if (by === 'all') return [{ part: 'all', keep: () => true }];
  const values = [...new Set(questions.flatMap((question) => question[by] ?? []))];
  const ordered = by === 'hops' ? values.toSorted((a, b) => Number(a) - Number(b)) : values;
  const words = (value: string | number): string =>
    by === 'hops' ? `${value} ${value === 1 ? 'hop' : 'hops'}` : String(value);
  return ordered.map((value) => ({
    part: words(value),
    keep: (question) => question[by] === value,
  }));
}

/**
 * The table over the questions that `keep` lets through: means, differences from the chosen row, and what
 * is best. A question's value is the mean over its seeds; each world counts alike. Intervals resample
 * the questions within each world (95 % by default otherwise; Wilson's where all are 0, or all 1, and for differences what `pairedDifference` says). The rows of a column are one family of
 * Holm's correction.
 * @throws Error where the reference is not a row
 */
async function tableOf(
  result: EvaluationResult,
  part: ReturnType<typeof partsOf>[number],
  { reference, interval = {}, turn = () => Promise.resolve() }: TableOptions,
): Promise<SystemsTable> {
  const values = new SystemValues(result, part.keep);
  const ids = result.systems.map(({ id }) => id);
  const chosen = reference === undefined ? 0 : ids.indexOf(reference);
  if (chosen < 0 || ids.length === 0)
    throw new Error(
      `there is no row "${reference ?? ''}" to compare with; choose one of ${ids.join(', ')}`,
    );
  const intervals = new Intervals(interval);
  const columns: TableCell[][] = [];
  for (const measure of MEASURES) {
    await turn();
    const own = ids.map((id) => values.of(id, measure.id));
    const counts = ids.map((id) => values.counts(id, measure.id));
    columns.push(column(own, counts, measure, chosen, intervals));
  }
  const kept = values.questions;
  const inPart = new Set(kept.map(({ id }) => id));
  return {
    part: part.part,
    reference: itemAt(ids, chosen, 'rows'),
    rows: ids.map((system, row) => {
      const lists = kept.map(({ id }) => values.rollouts(system, id).length);
      return {
        system,
        questions: lists.filter((count) => count > 0).length,
        rollouts: lists.reduce((sum, count) => sum + count, 0),
        failed: result.failed.filter((one) => one.system === system && inPart.has(one.question))
          .length,
        cells: columns.map((cells) => itemAt(cells, row, 'rows')),
      };
    }),
  };
}

/** The tables of an evaluation: one, or one for each type, number of hops, source or world. */
export async function systemsTables(
  result: EvaluationResult,
  by: TableSplit,
  options: TableOptions = {},
): Promise<SystemsTable[]> {
  const tables: SystemsTable[] = [];
  for (const part of partsOf(result.questions, by))
    tables.push(await tableOf(result, part, options));
  return tables;
}
