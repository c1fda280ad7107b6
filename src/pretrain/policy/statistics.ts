import type { Example, Score } from './replica.ts';

/** Teacher-forced results over sequences. */
export interface Summary {
  sequences: number;
  /** Mean negative log-probability of the policy's tokens, in nats. */
  loss: number;
  /** Share of the policy's tokens that were the most probable ones. */
  accuracy: number;
  /** Share of sequences in which all of them were. */
  whole: number;
}

export function summarise(scores: readonly Score[]): Summary {
  const scored = scores.filter((s) => s.tokens > 0);
  const sum = (of: (s: Score) => number): number => scored.reduce((a, s) => a + of(s), 0);
  const tokens = Math.max(
    1,
    sum((s) => s.tokens),
  );
  return {
    sequences: scored.length,
    loss: sum((s) => s.nll) / tokens,
    accuracy: sum((s) => s.right) / tokens,
    whole: scored.filter((s) => s.right === s.tokens).length / Math.max(1, scored.length),
  };
}

/** Summaries by kind, kinds in alphabetical order. */
export function summariseByKind(
  examples: readonly Example[],
  scores: readonly Score[],
): Record<string, Summary> {
  const kinds = [...new Set(examples.map((e) => e.kind))].sort();
  return Object.fromEntries(
    kinds.map((kind) => [kind, summarise(scores.filter((_, i) => examples[i]?.kind === kind))]),
  );
}
