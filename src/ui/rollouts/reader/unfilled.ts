import type { Reading } from '../../../lab/contract/rollouts.ts';
import type { ReaderView } from './store/address.ts';

/** Views that have nothing to show of this rollout, each with the reason. */
export function unfilledViews({
  rollout,
  siblings,
}: Pick<Reading, 'rollout' | 'siblings'>): Partial<Record<ReaderView, string>> {
  const written = rollout.segments.filter(({ source }) => source === 'policy');
  return {
    ...(!written.some(({ ids, tokens }) => ids ?? tokens) && {
      tokens: 'The file has no tokens of this rollout.',
    }),
    ...(siblings.length < 2 && { group: 'The file has no other rollout of this group.' }),
    ...(rollout.question.answers.length === 0 && {
      scores: 'The file has no gold answer for this question.',
    }),
    ...(rollout.reward === null && {
      'what-if': 'The file has no reward of this rollout.',
    }),
    ...(!rollout.events && { time: 'The file has no times.' }),
  };
}
