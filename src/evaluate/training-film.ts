import type { HeldOutQuestion, TrainStep } from '../records/training.ts';
import { heldOutScores } from './held-out-scores.ts';

/** How each held-out question fared over the steps of a run. */

/** Right or wrong at each score, as the steps tell. */
export interface FilmRow {
  id: string;
  text: string;
  gold: string;
  /** One a score of the film; null where that score does not tell this question. */
  cells: (HeldOutQuestion | null)[];
}

export interface TrainingFilm {
  /** Steps that were scored, in order; 0: before the first. */
  steps: number[];
  /** EM of each score. */
  em: number[];
  /** Learned first: those that were wrong and stay right, by when; then steady ones. */
  rows: FilmRow[];
}

/** From which score on it is right to the end; how many scores there are where it ends wrong. */
const rightFrom = ({ cells }: FilmRow): number => {
  let from = cells.length;
  while (from > 0 && cells[from - 1]?.em === 1) from -= 1;
  return from;
};

/** Right all along, learned by when, wrong in the end: what was right before, wrong all along. */
const rank = (row: FilmRow): number => {
  const from = rightFrom(row);
  const wrongAlways = row.cells.every((cell) => cell?.em !== 1);
  return from + (wrongAlways ? 1 : 0);
};

/** @returns null where no score has its questions: scores from elsewhere, or older ones */
export function filmOf(steps: readonly TrainStep[]): TrainingFilm | null {
  const scored = heldOutScores(steps).filter(({ score }) => (score.questions ?? []).length > 0);
  if (scored.length === 0) return null;
  const rows = new Map<string, FilmRow>();
  for (const [at, { score }] of scored.entries())
    for (const question of score.questions ?? []) {
      const { id, text, gold } = question;
      const row = rows.get(id) ?? { id, text, gold, cells: scored.map(() => null) };
      row.cells[at] = question;
      rows.set(id, row);
    }
  return {
    steps: scored.map(({ step }) => step),
    em: scored.map(({ score }) => score.em),
    rows: [...rows.values()].toSorted((a, b) => rank(a) - rank(b)),
  };
}
