import type { RewardClause } from '../../records/rollout.ts';
import { subExactMatch } from '../../agent/answers/scores.ts';
import {
  autoRefine as autoRefineRelease,
  blocksIn,
  type Output,
  research as release,
} from '../../agent/released.ts';
import { asReleased } from './parts/as-released.ts';
import { clause } from './parts/clause.ts';
import { fixedReward } from './parts/definition.ts';
import type { RewardFacts } from './parts/facts.ts';

/*
 * ReSearch (arXiv 2503.19470; code: Agent-RL/ReCall, branch re-search, reward_score/re_search.py) and
 * AutoRefine (2505.11277; code: syr-cn/AutoRefine, reward_score/qa_em.py, refine_score 0.1 and format_score
 * 0 in cmd/train.sh). Papers and code agree on the values. An output in their own format is read by their rules
 * (src/agent/released), one in Forage's protocol by its rules. Differences:
 * - ReSearch's code also gives 0 to an output that the limit of tokens ended. Forage asks for the answer
 *   at its limits, so such an output is judged by what it then answered.
 * - In Forage's protocol, where the policy wrote no <refine> block, what it thought after it first read passages counts as one.
 */

/** ReSearch: 0 where malformed, else F1, else 0.1 for the format. */
export const research = fixedReward({
  id: 'research',
  name: 'ReSearch',
  source: 'ReSearch, arXiv 2503.19470',
  range: [0, 1],
  clauses: asReleased(release, (facts) => [
    clause('answer', facts.formatValid ? facts.f1 : 0, facts.answer),
    clause('format', facts.formatValid && facts.f1 === 0 ? 0.1 : 0, facts.faults.flat()),
  ]),
});

/** AutoRefine: F1; where that is 0, 0.1 if the refinement holds a gold answer; 0 without an answer. */
function refined(facts: RewardFacts, output: Output | null): RewardClause[] {
  const { spans } = facts.afterReading;
  const text = output ? blocksIn(output.text, 'refine').join(' ') : facts.afterReading.text;
  const holds = facts.form !== null && facts.f1 === 0 && subExactMatch(text, facts.golds) === 1;
  return [
    clause('answer', facts.f1, facts.answer),
    clause('refinement', holds ? 0.1 : 0, holds ? spans : []),
  ];
}

export const autorefine = fixedReward({
  id: 'autorefine',
  name: 'AutoRefine',
  source: 'AutoRefine, arXiv 2505.11277',
  range: [0, 1],
  clauses: asReleased(autoRefineRelease, refined),
});
