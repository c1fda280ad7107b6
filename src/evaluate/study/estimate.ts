import { mean } from '../../base/statistics.ts';
import type { WorkLeft } from './execute.ts';

/** How long the work that is left may take, from pieces that were measured. */

/** A training or a score that was made. */
export interface Measured {
  /** By what it is alike with others: the training's or the recipe's id. */
  kind: string;
  /** Seconds of one step, or of one question. */
  seconds: number;
}

export interface Pace {
  steps: readonly Measured[];
  questions: readonly Measured[];
}

/** The mean of the same kind, else of all; null where nothing was measured. */
function paceOf(kind: string, measured: readonly Measured[]): number | null {
  const own = measured.filter((one) => one.kind === kind);
  const from = own.length > 0 ? own : measured;
  return from.length === 0 ? null : mean(from.map(({ seconds }) => seconds));
}

/** Seconds; null where a piece of it was never measured. */
export function secondsLeft(left: WorkLeft, questions: number, pace: Pace): number | null {
  let total = 0;
  for (const { settings } of left.trainings) {
    const step = paceOf(settings.preset, pace.steps);
    if (step === null) return null;
    total += step * settings.steps;
  }
  for (const { recipe } of left.scores) {
    const question = paceOf(recipe, pace.questions);
    if (question === null) return null;
    total += question * questions;
  }
  return total;
}

/** `45 s`, `12 min`, `3 h 05 min`. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`;
}
