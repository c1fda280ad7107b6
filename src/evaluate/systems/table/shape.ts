import type { Interval } from '../../bootstrap.ts';
import type { PairedDifference } from '../../paired-difference.ts';
import type { MeasureId } from './measures.ts';

/** The table of an evaluation, as numbers. */

/** A row's mean less the chosen row's, over the questions that both have. */
export type Difference = PairedDifference & {
  /** Questions. */
  n: number;
  /** Two-sided, of a sign-flip permutation test over the questions. */
  p: number;
  /** The same after Holm's correction over all rows that this column compares. */
  adjusted: number;
};

export interface TableCell {
  measure: MeasureId;
  /** With its 95 % interval; null where no question has the number. */
  value: Interval | null;
  /** Questions that have the number, and their rollouts that do: what the value is over. */
  n: number;
  rollouts: number;
  /** null in the chosen row itself, and where there is nothing to compare. */
  difference: Difference | null;
  /**
   * `best`: no row's mean is better. `not-worse`: its difference from the best row is not significant at
   * 5 % after Holm's correction.
   */
  mark: 'best' | 'not-worse' | null;
}

export interface TableRow {
  /** Id of the system. */
  system: string;
  /** Questions with at least one rollout, some of which may lack a measure's number; and rollouts that are there and that failed. */
  questions: number;
  rollouts: number;
  failed: number;
  /** In the order of `MEASURES`. */
  cells: TableCell[];
}

export interface SystemsTable {
  /** What its questions have in common, as text: `all`, a type, a number of hops, a source. */
  part: string;
  /** Id of the system that the others are compared with. */
  reference: string;
  rows: TableRow[];
}

/** By what a table is split into several. */
export const TABLE_SPLITS = ['all', 'type', 'hops', 'source', 'world'] as const;
export type TableSplit = (typeof TABLE_SPLITS)[number];

export const TABLE_FORMATS = ['markdown', 'csv', 'latex'] as const;
export type TableFormat = (typeof TABLE_FORMATS)[number];
