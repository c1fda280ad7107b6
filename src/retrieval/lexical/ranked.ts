import type { Passage } from '../../records/records.ts';
import { compareCodeUnits } from './text.ts';

/** One entry of a ranked list. */
export interface Ranked {
  passage: Passage;
  /** Higher is better; only comparable within one list. */
  score: number;
}

/** Order of every list here: higher score first, ties by passage id. */
export const byScoreThenId = (a: Ranked, b: Ranked): number =>
  b.score - a.score || compareCodeUnits(a.passage.id, b.passage.id);
