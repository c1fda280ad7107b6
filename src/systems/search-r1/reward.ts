import { blocksIn, count, defineRelease, type Output } from '../../agent/released.ts';
import type { RewardClause } from '../../records/rollout.ts';
import { exactMatch, subExactMatch } from '../../agent/answers/scores.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * Search-R1 (arXiv 2503.09516) and its format reward (2505.15117; code:
 * PeterGriffinJin/Search-R1, verl/utils/reward_score/qa_em_format.py with the values of
 * scripts/nq_hotpotqa/v0.3/train_*_format.sh: structure 0.2, final format 0.1, retrieval 0). Differences:
 * - "Format" is, in their own format, their order of blocks (`release`), in Forage's protocol that
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

/**
 * Search-R1's format (PeterGriffinJin/Search-R1, reward_score/qa_em_format.py): a thought; then any number of search,
 * information and thought; then the answer. Every tag is closed, and only white space stands between blocks.
 */
const SEARCH_R1_TAGS = ['think', 'search', 'information', 'answer'] as const;
type Tag = (typeof SEARCH_R1_TAGS)[number];

/** What may stand before each block. */
const AFTER: Readonly<Record<Tag, readonly (Tag | 'start')[]>> = {
  think: ['start', 'information'],
  search: ['think'],
  information: ['search'],
  answer: ['think'],
};

/** The first place where the order is broken; null where none is. */
function disorder(text: string): string | null {
  let [open, before] = [null as Tag | null, 'start' as Tag | 'start'];
  for (const part of text.split(/(<\/?(?:think|search|information|answer)>)/)) {
    const [, slash, name] = /^<(\/?)(\w+)>$/.exec(part) ?? [];
    const tag = SEARCH_R1_TAGS.find((one) => one === name);
    if (tag === undefined) {
      if (open === null && part.trim() !== '') return 'text stands between blocks';
    } else if (slash === '/') {
      if (open !== tag) return `</${tag}> closes nothing`;
      [open, before] = [null, tag];
    } else {
      if (open !== null) return `<${tag}> stands inside <${open}>`;
      if (!AFTER[tag].includes(before))
        return before === 'start' ? `<${tag}> comes first` : `<${tag}> follows <${before}>`;
      open = tag;
    }
  }
  return before === 'answer' && open === null ? null : 'the output does not end with an answer';
}

export const release = defineRelease({
  dialects: ['search-r1'],
  // qa_em.py, extract_solution: the last block; the prompt holds another, so that one is enough.
  answer: ({ text }: Output) => blocksIn(text, 'answer').at(-1) ?? null,
  faults: ({ text }) => {
    const uneven = SEARCH_R1_TAGS.filter(
      (tag) => count(text, `<${tag}>`) !== count(text, `</${tag}>`),
    );
    if (uneven.length > 0) return uneven.map((tag) => `<${tag}> and </${tag}> differ in number`);
    const found = disorder(text);
    return found === null ? [] : [found];
  },
});

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
