import type { HeldOutScore, TrainStep } from '../records/training.ts';

/** A score of the held-out questions, and the steps that the policy had made by then. */
export interface ScoredAt {
  step: number;
  score: HeldOutScore;
}

/** Every held-out score of a run in order, that before its first step among them. */
export const heldOutScores = (
  steps: readonly Pick<TrainStep, 'step' | 'heldOut' | 'heldOutAtStart'>[],
): ScoredAt[] =>
  steps.flatMap(({ step, heldOut, heldOutAtStart }) => [
    ...(heldOutAtStart ? [{ step: step - 1, score: heldOutAtStart }] : []),
    ...(heldOut ? [{ step, score: heldOut }] : []),
  ]);

/** Normal quantile of a two-sided 95 % interval. */
const Z = 1.96;

/** Wilson's 95 % interval of a share p of n questions: it has a width at 0 and at 1 too. */
export const shareInterval = (p: number, n: number): [low: number, high: number] => {
  if (n <= 0) return [0, 1];
  const spread = (Z * Z) / n;
  const middle = (p + spread / 2) / (1 + spread);
  const half = (Z * Math.sqrt((p * (1 - p)) / n + spread / (4 * n))) / (1 + spread);
  return [Math.max(0, middle - half), Math.min(1, middle + half)];
};

/** How two scores of the same questions differ. */
interface PairedChange {
  /** Questions that only the second, and only the first, answered right. */
  gained: number;
  lost: number;
  /** Share of the questions, and its 95 % interval. */
  change: number;
  low: number;
  high: number;
}

/**
 * The change of a share between two scores of the same questions: Bonett and Price's adjusted Wald interval
 * for paired proportions (Journal of Educational and Behavioral Statistics 37, 2012), which holds for small n.
 * @returns null where the questions are not told, or not the same
 */
function pairedChange(before: HeldOutScore, after: HeldOutScore): PairedChange | null {
  const [first, second] = [before.questions ?? [], after.questions ?? []];
  const n = first.length;
  if (n === 0 || n !== second.length) return null;
  let [gained, lost] = [0, 0];
  for (const [i, one] of first.entries()) {
    const other = second[i];
    if (other?.id !== one.id) return null;
    if (other.em > one.em) gained += 1;
    if (other.em < one.em) lost += 1;
  }
  const up = (gained + 1) / (n + 2);
  const down = (lost + 1) / (n + 2);
  const half = Z * Math.sqrt((up + down - (up - down) ** 2) / (n + 2));
  return {
    gained,
    lost,
    change: (gained - lost) / n,
    low: Math.max(-1, up - down - half),
    high: Math.min(1, up - down + half),
  };
}

/** What a run came to on its held-out questions: its first score and its last, which may be one. */
export interface Headline {
  first: ScoredAt;
  last: ScoredAt;
  /** Null where there is one score, or what each question got is not told. */
  paired: PairedChange | null;
}

/** @returns null without a score */
export function headlineOf(steps: Parameters<typeof heldOutScores>[0]): Headline | null {
  const scored = heldOutScores(steps);
  const [first, last] = [scored[0], scored.at(-1)];
  if (!first || !last) return null;
  return { first, last, paired: first === last ? null : pairedChange(first.score, last.score) };
}
