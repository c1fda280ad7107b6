import { research as release } from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * ReSearch (arXiv 2503.19470; code: Agent-RL/ReCall, branch re-search, reward_score/re_search.py). Paper and code agree on
 * the values. An output in its own format is read by its rules (src/agent/released), one in Forage's protocol by Forage's.
 * Difference: its code also gives 0 to an output that the limit of tokens ended. Forage asks for the answer at its limits,
 * so such an output is judged by what it then answered.
 */

/** ReSearch: 0 where malformed, else F1, else 0.1 for the format. */
export const research = fixedReward({
  id: 'research',
  name: 'ReSearch',
  source: 'ReSearch, arXiv 2503.19470',
  formula: 'R = F1 if well-formed (0.1 if F1 is 0); 0 if malformed',
  range: [0, 1],
  clauses: asReleased(release, (facts) => [
    clause('answer', facts.formatValid ? facts.f1 : 0, facts.answer),
    clause('format', facts.formatValid && facts.f1 === 0 ? 0.1 : 0, facts.faults.flat()),
  ]),
});
