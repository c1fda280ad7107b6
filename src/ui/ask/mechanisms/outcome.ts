import { answerText } from '../../../records/outside-answer.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { mean } from '../../../base/statistics.ts';
import type { Outcome } from '../store/comparison.ts';
import { interruptionOf, measuresOf } from '../columns/measures.ts';

/** @returns null if no rollout ended by its own rules */
export const outcomeOf = (all: readonly Rollout[]): Outcome | null => {
  const ended = all.filter((rollout) => interruptionOf(rollout) === null);
  if (ended.length === 0) return null;
  const counts = new Map<string, number>();
  for (const rollout of ended) {
    const text = answerText(rollout);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const [[answer] = ['']] = [...counts].sort((a, b) => b[1] - a[1]);
  const measures = ended.map(measuresOf);
  const scored = ended.every(({ metrics, question }) => metrics && question.answers.length > 0);
  return {
    answer,
    rollouts: ended.length,
    right: scored ? ended.filter(({ metrics }) => metrics?.em === 1).length : null,
    searches: mean(measures.map(({ searches }) => searches)),
    seconds: mean(measures.map(({ seconds }) => seconds)),
  };
};

/** "✓ right", or of several "3 of 8 right". */
export const rightWords = ({ right, rollouts }: Outcome): string => {
  if (right === null) return 'no reference answer';
  if (rollouts > 1) return `${right} of ${rollouts} right`;
  return right === 1 ? '✓ right' : '✗ wrong';
};
