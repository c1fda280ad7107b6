import { INTERVAL_LEVEL, intervalQuantile } from '../base/statistics.ts';
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

/**
 * The change of a share between two askings of the same n questions: Bonett and Price's adjusted Wald interval
 * for paired proportions (Journal of Educational and Behavioral Statistics 37, 2012), which holds for small n and has a
 * width where no question flips.
 * @param gained questions that only the second answered right; a question may count in part
 * @param lost those that only the first did
 */
export function changeInterval(
  gained: number,
  lost: number,
  n: number,
  level = INTERVAL_LEVEL,
): [low: number, high: number] {
  const z = intervalQuantile(level);
  const up = (gained + 1) / (n + 2);
  const down = (lost + 1) / (n + 2);
  const half = z * Math.sqrt((up + down - (up - down) ** 2) / (n + 2));
  return [Math.max(-1, up - down - half), Math.min(1, up - down + half)];
}

/** How two scores of the same questions differ. */
interface PairedChange {
  /** Questions that only the second, and only the first, answered right. */
  gained: number;
  lost: number;
  /** Share of the questions. */
  change: number;
  /** Its 95 % interval; null for a single question. */
  interval: [low: number, high: number] | null;
}

/**
 * The change of a share between two scores of the same questions.
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
  return {
    gained,
    lost,
    change: (gained - lost) / n,
    interval: n === 1 ? null : changeInterval(gained, lost, n),
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
