import { isFailedReply } from '../../agent/expression.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * CoRT (arXiv 2506.09820; code: ChengpengLi1003/CoRT, math_reward_hybrid.py): R = right + ω · R_code, ω = 0.1, R_code = −1
 * where all calls of the tool failed. Differences: calls are searches and computations; one fails that brings no passage
 * or an error. As released a rollout without a call counts as one whose calls all failed: all of nothing is true.
 */

const OMEGA = 0.1;

/** Whether each call brought something. */
const callsOf = ({ searches, blocks }: RewardFacts): boolean[] => [
  ...searches.map(({ passages }) => passages.length > 0),
  ...blocks.flatMap(({ kind, reply }) =>
    kind === 'compute' ? [reply !== undefined && !isFailedReply(reply)] : [],
  ),
];

const clausesBy =
  (noneFails: boolean) =>
  (facts: RewardFacts): ReturnType<typeof clause>[] => {
    const calls = callsOf(facts);
    const failed = calls.length === 0 ? noneFails : !calls.includes(true);
    return [
      clause('answer', facts.em, facts.answer),
      clause('calls', failed ? -OMEGA : 0, failed ? facts.queries.flatMap((q) => q.evidence) : []),
    ];
  };

export const cort = fixedReward({
  id: 'cort',
  name: 'CoRT',
  source: 'CoRT, arXiv 2506.09820',
  range: [-OMEGA, 1],
  clauses: clausesBy(false),
});

export const cortReleased = fixedReward({
  id: 'cort-released',
  name: 'CoRT, as released',
  source: 'CoRT, its code: no call counts as failed ones',
  range: [-OMEGA, 1],
  clauses: clausesBy(true),
});
