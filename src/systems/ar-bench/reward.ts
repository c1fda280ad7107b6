import type { Span } from '../../agent/answers/answer-text.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * After AR-Bench (arXiv 2506.08295): exact match, and for each ask the share of the candidates that it is expected to leave
 * out, one step ahead. One of the paper's strategies (code: tmlr-group/AR-Bench), after Uncertainty of Thoughts, chooses
 * between asks by it; paying for them is ours.
 */

/**
 * How many candidates an ask is expected to leave, whose answers part them into sets of these sizes and of which each is
 * as likely to be meant: Σ n²/N.
 */
export const expectedLeft = (sizes: readonly number[]): number =>
  sizes.reduce((sum, n) => sum + n * n, 0) / sizes.reduce((sum, n) => sum + n, 0);

/** The share of its candidates that an ask is expected to leave out, from 0 to below 1. */
export const narrowing = (sizes: readonly number[]): number =>
  1 - expectedLeft(sizes) / sizes.reduce((sum, n) => sum + n, 0);

/**
 * What each ask of a rollout narrows, in order. The asker tells which one is meant, so the first ask tells all candidates
 * apart, and only one is left for a later one. An empty ask tells nothing apart.
 */
export function asksOf({
  blocks,
  candidates,
}: Pick<RewardFacts, 'blocks' | 'candidates'>): { narrows: number; evidence: Span[] }[] {
  let left = candidates;
  return blocks
    .filter(({ kind }) => kind === 'ask')
    .map(({ text, evidence }) => {
      if (text === '') return { narrows: 0, evidence };
      const sizes = Array.from({ length: left }, () => 1);
      left = 1;
      return { narrows: narrowing(sizes), evidence };
    });
}

export const arBenchAsks = fixedReward({
  id: 'ar-bench',
  name: 'Exact match and what asks narrow',
  source: 'after AR-Bench, arXiv 2506.08295',
  range: [0, 2],
  steps: ['ask'],
  optional: ['ask'],
  clauses: (facts) => [
    clause('answer', facts.em, facts.answer),
    ...asksOf(facts).map(({ narrows, evidence }) => clause('ask', narrows, evidence)),
  ],
});
