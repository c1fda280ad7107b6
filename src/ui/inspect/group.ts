import type { Rollout, RolloutMetrics } from '../../data/rollout.ts';

/** Figures of a group of rollouts of one question; means are over the rollouts that ended. */
export interface GroupFigures {
  ended: number;
  em: number;
  f1: number;
  recall: number;
  searches: number;
  tokens: number;
  formatValid: number;
  /** Different answers with how often each was given, most frequent first. */
  answers: { text: string; count: number }[];
}

const mean = (
  metrics: readonly RolloutMetrics[],
  read: (metrics: RolloutMetrics) => number,
): number => metrics.reduce((sum, item) => sum + read(item), 0) / metrics.length;

export const groupFigures = (rollouts: readonly Rollout[]): GroupFigures | null => {
  const ended = rollouts.filter((rollout) => rollout.metrics !== null);
  const metrics = ended.flatMap((rollout) => rollout.metrics ?? []);
  if (metrics.length === 0) return null;
  const counts = new Map<string, number>();
  for (const { answer } of ended) {
    const text = answer ?? '(none)';
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return {
    ended: metrics.length,
    em: mean(metrics, (item) => item.em),
    f1: mean(metrics, (item) => item.f1),
    recall: mean(metrics, (item) => item.recall),
    searches: mean(metrics, (item) => item.searches),
    tokens: mean(metrics, (item) => item.tokens),
    formatValid: mean(metrics, (item) => (item.formatValid ? 1 : 0)),
    answers: [...counts]
      .map(([text, count]) => ({ text, count }))
      .sort((a, b) => b.count - a.count),
  };
};
