import type { Rollout } from '../../../records/rollout.ts';
import type { Span } from '../../../agent/answers/answer-text.ts';
import type { RewardFacts } from './facts.ts';

/**
 * What asks narrow: the measure by which one of the strategies that AR-Bench tries (arXiv 2506.08295; code:
 * tmlr-group/AR-Bench), after Uncertainty of Thoughts, chooses between asks, one step ahead.
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

/** How many things the question may mean before anything is asked: the one that is meant and its namesakes; 1 where it is clear. */
export function candidatesOf({ question }: Pick<Rollout, 'question'>): number {
  if (question.type !== 'underspecified') return 1;
  const rivals = question.chain?.[0]?.rivals ?? [];
  const namesakes = rivals.filter(({ why }) => why === 'namesake');
  return 1 + new Set(namesakes.map(({ passageId }) => passageId)).size;
}

/**
 * What each ask of a rollout narrows, in order. The asker tells which one is meant, so that the first ask parts all
 * candidates and a later one finds but one of them; an empty ask parts nothing.
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
