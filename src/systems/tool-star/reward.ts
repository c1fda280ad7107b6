import type { Output } from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { release } from '../research/reward.ts';

/*
 * Tool-Star (arXiv 2505.16410; code: dongguanting/Tool-Star, reward_score/re_search.py): −1 where the output is
 * malformed; else F1, and 0.1 more where that is above 0 and both tools were used. An output in its own format is read by
 * its rules (`release` of ReSearch). Difference: the second tool is the calculator of `compute` blocks in place of
 * Python.
 */

/** The code looks for the tags that close a call. */
const calledBoth = ({ written }: Output): boolean =>
  ['</search>', '</python>'].every((tag) => written.includes(tag));

const usedBoth = ({ searches, computed }: RewardFacts): boolean =>
  searches.length > 0 && computed.length > 0;

export const toolStar = fixedReward({
  id: 'tool-star',
  name: 'Tool-Star',
  source: 'Tool-Star, arXiv 2505.16410',
  range: [-1, 1.1],
  clauses: asReleased(release, (facts, output) => {
    const right = facts.formatValid ? facts.f1 : 0;
    const both = output ? calledBoth(output) : usedBoth(facts);
    const joint = right > 0 && both;
    return [
      clause('format', facts.formatValid ? 0 : -1, facts.faults.flat()),
      clause('answer', right, facts.answer),
      clause('both-tools', joint ? 0.1 : 0, joint ? facts.computed : []),
    ];
  }),
});
