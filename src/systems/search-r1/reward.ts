import type { RewardClause } from '../../records/rollout.ts';
import { exactMatch, subExactMatch } from '../../agent/answers/scores.ts';
import { searchR1 as release, type Output } from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * Search-R1 (arXiv 2503.09516) and its format reward (2505.15117; code:
 * PeterGriffinJin/Search-R1, verl/utils/reward_score/qa_em_format.py with the values of
 * scripts/nq_hotpotqa/v0.3/train_*_format.sh: structure 0.2, final format 0.1, retrieval 0). Differences:
 * - "Format" is, in their own format, their order of blocks (src/agent/released.ts), in Forage's protocol that
 *   the whole output follows it.
 * - The values are the code's; 2505.15117 itself was not available to compare them with.
 * - Their retrieval reward (a gold answer in what was read) has the value 0 in both scripts. 2505.15117 asks
 *   what it is worth; `search-r1-format-retrieval` gives it 0.1, where the answer is wrong and well formed.
 * - The code looks for the answer in prompt and response and takes the last of at least two answer blocks. Its prompt
 *   holds two: "inside <answer> and </answer>" and "For example, <answer> Beijing </answer>". So an output without an
 *   answer is scored by Beijing. `search-r1-released` does so, and so does the format reward in their own format;
 *   `search-r1` does not.
 * - A gold answer in a result counts where a search of the policy's brought it, not where the policy wrote a result.
 */

const STRUCTURE = 0.2;
const FINAL_FORMAT = 0.1;

/** Search-R1: exact match only. */
export const searchR1 = fixedReward({
  id: 'search-r1',
  name: 'Search-R1, EM',
  source: 'Search-R1, arXiv 2503.09516',
  formula: 'R = EM',
  range: [0, 1],
  clauses: asReleased(release, (facts) => [clause('answer', facts.em, facts.answer)]),
});

/** The last answer block of Search-R1's prompt. */
const IN_PROMPT = 'Beijing';

/** Search-R1 as its code scores: what gives no answer, by its prompt's. */
export const searchR1Released = fixedReward({
  id: 'search-r1-released',
  name: 'Search-R1, EM, as released',
  source: 'Search-R1, its code (qa_em.py, extract_solution)',
  range: [0, 1],
  clauses: asReleased(release, ({ em, answer, answerText, golds }) =>
    answerText === null
      ? [clause('example', exactMatch(IN_PROMPT, golds))]
      : [clause('answer', em, answer)],
  ),
});

/**
 * Right and well formed 1, right 0.8, well formed 0.2, an answer 0.1, none of it 0. The clauses: 0.8 for
 * the right answer, 0.2 for the format, 0.1 for having answered where both others are 0.
 */
function formatClauses(facts: RewardFacts, output: Output | null): RewardClause[] {
  const silent = output !== null && facts.form === null;
  const em = silent ? exactMatch(IN_PROMPT, facts.golds) : facts.em;
  const answered = (silent || facts.form !== null) && em === 0 && !facts.formatValid;
  return [
    clause('answer', (1 - STRUCTURE) * em, facts.answer),
    clause('format', facts.formatValid ? STRUCTURE : 0, facts.faults.flat()),
    clause('answered', answered ? FINAL_FORMAT : 0, answered ? facts.answer : []),
  ];
}

export const searchR1Format = fixedReward({
  id: 'search-r1-format',
  name: 'Search-R1, format',
  source: 'arXiv 2505.15117, values of its code (qa_em_format.py, v0.3)',
  formula: 'R = 0.8 · EM + 0.2 · R_fmt; 0.1 for an answer that is neither correct nor well-formed',
  range: [0, 1],
  clauses: asReleased(release, formatClauses),
});

const RETRIEVAL = 0.1;

export const searchR1FormatRetrieval = fixedReward({
  id: 'search-r1-format-retrieval',
  name: 'Search-R1, format and retrieval',
  source: 'arXiv 2505.15117, values of its code (qa_em_format.py, v0.3), retrieval 0.1',
  formula:
    'R = 0.8 · EM + 0.2 · R_fmt + 0.1 if it is wrong, well-formed, and a gold answer was read; 0.1 for an answer that is neither correct nor well-formed',
  range: [0, 1],
  clauses: asReleased(release, (facts, output) => {
    const holding = facts.searches.filter(({ passages }) =>
      passages.some(({ text }) => subExactMatch(text, facts.golds) === 1),
    );
    const read = facts.formatValid && facts.em === 0 && holding.length > 0;
    return [
      ...formatClauses(facts, output),
      clause('retrieval', read ? RETRIEVAL : 0, read ? holding.flatMap((s) => s.evidence) : []),
    ];
  }),
});
