import { answerText } from '../../../records/outside-answer.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { interruptionOf, measuresOf } from './measures.ts';
import { mean, meanOrNull } from '../../../base/statistics.ts';

/** Statistics of a group of rollouts of one question; means are over the rollouts that ended. */
export interface GroupFigures {
  ended: number;
  /** How many of those were cancelled or failed; they are excluded from all other numbers. */
  interrupted: number;
  /** null where the question has no gold. */
  em: number | null;
  f1: number | null;
  recall: number | null;
  formatValid: number | null;
  searches: number;
  tokens: number;
  seconds: number;
  /** Distinct answers with their counts, most frequent first. */
  answers: { text: string; count: number }[];
}

const countAnswers = (rollouts: readonly Rollout[]): GroupFigures['answers'] => {
  const counts = new Map<string, number>();
  for (const rollout of rollouts) {
    const text = answerText(rollout);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => ({ text, count })).sort((a, b) => b.count - a.count);
};

/** @param all the rollouts that ended; null where none ended by itself yet */
export const groupFigures = (all: readonly Rollout[]): GroupFigures | null => {
  const ended = all.filter((rollout) => interruptionOf(rollout) === null);
  if (ended.length === 0) return null;
  const metrics = ended.flatMap((rollout) => rollout.metrics ?? []);
  const measures = ended.map(measuresOf);
  return {
    ended: all.length,
    interrupted: all.length - ended.length,
    em: meanOrNull(metrics.map((item) => item.em)),
    f1: meanOrNull(metrics.map((item) => item.f1)),
    // Without gold titles there is no recall.
    recall: meanOrNull(
      ended.flatMap(({ question, metrics: own }) =>
        own && own.recall !== null && question.supporting.length > 0 ? [own.recall] : [],
      ),
    ),
    formatValid: meanOrNull(metrics.map((item) => (item.formatValid ? 1 : 0))),
    searches: mean(measures.map((item) => item.searches)),
    tokens: mean(measures.map((item) => item.tokens)),
    seconds: mean(measures.map((item) => item.seconds)),
    answers: countAnswers(ended),
  };
};
