import type { RewardClause } from '../../records/rollout.ts';
import { count, faultsAmong, type Output, type Release } from '../../agent/released.ts';
import { readProseAnswer } from '../../agent/transcript/boxed.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause, wordsOf } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import type { AskedQuery, RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * UR², equations (4) and (5) and appendix C.5 of arXiv 2508.06165, the paper's version (as released:
 * src/systems/ur2-released). Differences and choices:
 * - In its own format an output is read from its text (`paper`). In Forage's protocol a violation is a breach of it, a
 *   query of 20 words or more, or an output without answer. A missing retrieval is a violation in the first stage only,
 *   which is there to make the policy search.
 * - A fallback is a query that the environment answered with a hint instead of passages; a call that
 *   failed is none, nor is a query over the rollout's budget.
 * - 3B: "−1 Format Reward (non-accumulative)" for an output that invokes no retrieval is read as −1
 *   whatever else is wrong with it. The paper says so of the multiple-choice tasks and gives +5/+7 for
 *   mathematics; here they stand together.
 * - Where retrieval is not allowed (the code's isRetrieve), a search is a violation, not searching is
 *   none, and no query is paid for.
 * - A right answer is one that the question's own check takes: an option by its text or letter, a number
 *   as a number, else exact match.
 * - Weak: the paper's variant for multiple choice. It starts with the answer reward of stage 2, and
 *   searching less is no violation there, as the released code has it.
 */

/** The penalty that an ablation leaves out. */
const OPTIONAL = ['fallback'];

/** Queries must have fewer words. */
const QUERY_WORDS = 20;

export const SEARCH_TAGS = ['query', 'documents'].flatMap((what) => [
  `<|begin_of_${what}|>`,
  `<|end_of_${what}|>`,
]);

export const queriesIn = (text: string): string[] =>
  [...text.matchAll(/<\|begin_of_query\|>([\s\S]*?)<\|end_of_query\|>/g)].map(
    ([, query = '']) => query,
  );

/**
 * What the paper says of its format: queries and what was found are closed, a query has fewer than 20 words, and an answer
 * is in a box or after the phrase. A query that brought nothing is not a fault.
 */
export const paper: Release = {
  dialects: ['ur2'],
  answer: ({ text }) => readProseAnswer(text, 'the correct answer is:'),
  faults: ({ text }) => {
    const [queries = 0, ended = 0, found = 0, shown = 0] = SEARCH_TAGS.map((tag) =>
      count(text, tag),
    );
    const all = queriesIn(text);
    return [
      ...all.flatMap((query) => (query.trim() === '' ? ['a query is empty'] : [])),
      ...all.flatMap((query) =>
        wordsOf(query) < QUERY_WORDS ? [] : [`a query has ${QUERY_WORDS} words or more`],
      ),
      ...faultsAmong({
        'a query is not closed': queries !== ended,
        'it wrote what only a search finds': found !== shown || found > queries,
        'there is no answer': readProseAnswer(text, 'the correct answer is:') === null,
      }),
    ];
  },
};

const isLong = (query: string): boolean => wordsOf(query) >= QUERY_WORDS;

/** Queries of more than `most` words, except for those that are among the faults for it already. */
export const longQueries = ({ queries, queryWords }: RewardFacts, most: number): AskedQuery[] =>
  queries.filter(({ text }) => {
    const words = wordsOf(text);
    return words > most && !(queryWords !== null && words > queryWords);
  });

function violations(facts: RewardFacts, output: Output | null, needsRetrieval: boolean) {
  const idle = Number(needsRetrieval && facts.mayRetrieve && facts.queries.length === 0);
  if (output)
    return {
      count: paper.faults(output, facts.golds).length + idle,
      evidence: facts.faults.flat(),
    };
  const long = longQueries(facts, QUERY_WORDS - 1);
  const missing = Number(facts.form === null && facts.faults.length === 0);
  return {
    count: facts.faults.length + long.length + missing + idle,
    evidence: [...facts.faults.flat(), ...long.flatMap((query) => query.evidence)],
  };
}

/** −0.5 a query that was sent back with a hint. */
export function fallback(facts: RewardFacts): RewardClause {
  const refused = facts.queries.filter((query) => query.refused);
  return clause(
    'fallback',
    refused.length === 0 ? 0 : -0.5 * refused.length,
    refused.flatMap((query) => query.evidence),
  );
}

/** +1 for a clean format, −1 a violation. */
function signedFormat(facts: RewardFacts, output: Output | null): RewardClause {
  const { count, evidence } = violations(facts, output, true);
  return clause('format', count === 0 ? 1 : -count, evidence);
}

/** `one` for one valid query, `more` for two or more: answered, and short enough. */
function retrieval(facts: RewardFacts, one: number, more: number): RewardClause {
  const valid = facts.queries.filter(
    (query) => facts.mayRetrieve && query.answered && !isLong(query.text),
  );
  return clause(
    'retrieval',
    [0, one][valid.length] ?? more,
    valid.flatMap((query) => query.evidence),
  );
}

const PAPER = 'UR², arXiv 2508.06165';

/** (4): +1 for a clean format, −1 a violation; +3 for one valid query, +4 for more; −0.5 a fallback. */
export const ur2Stage1 = fixedReward({
  id: 'ur2-stage-1',
  optional: OPTIONAL,
  name: 'UR² stage 1, paper',
  source: `${PAPER}, equation 4`,
  formula:
    'R = 1, or −1 per format violation; + 3 for one valid query, 4 for more; − 0.5 per fallback',
  range: [-1, 5],
  coldStart: true,
  clauses: asReleased(paper, (facts, output) => [
    signedFormat(facts, output),
    retrieval(facts, 3, 4),
    fallback(facts),
  ]),
});

/** The 3B model: +5 and +7; the format is −1 where nothing was asked for. */
export const ur2Stage1Small = fixedReward({
  id: 'ur2-stage-1-3b',
  optional: OPTIONAL,
  name: 'UR² stage 1, 3B',
  source: `${PAPER}, appendix C.5`,
  formula:
    'R = 1, or −1 per format violation or without a query; + 5 for one valid query, 7 for more; − 0.5 per fallback',
  range: [-1, 8],
  coldStart: true,
  clauses: asReleased(paper, (facts, output) => {
    const format = signedFormat(facts, output);
    const idle = facts.mayRetrieve && facts.queries.length === 0;
    return [idle ? { ...format, value: -1 } : format, retrieval(facts, 5, 7), fallback(facts)];
  }),
});

/** LLaMA, which searches too readily: +3 however often it searched. */
export const ur2Stage1Llama = fixedReward({
  id: 'ur2-stage-1-llama',
  optional: OPTIONAL,
  name: 'UR² stage 1, Llama',
  source: `${PAPER}, appendix C.5`,
  formula: 'R = 1, or −1 per format violation; + 3 for any valid query; − 0.5 per fallback',
  range: [-1, 4],
  coldStart: true,
  clauses: asReleased(paper, (facts, output) => [
    signedFormat(facts, output),
    retrieval(facts, 3, 3),
    fallback(facts),
  ]),
});

/** (5) without its fallback: 2 for a right answer, 1 for a clean format. */
function answerAndFormat(facts: RewardFacts, output: Output | null): RewardClause[] {
  const { count, evidence } = violations(facts, output, false);
  return [
    clause('answer', 2 * facts.em, facts.answer),
    clause('format', Number(count === 0), evidence),
  ];
}

/**
 * Weak stage 1: (5) with 0.5 for one valid query, 1 for more. No cold start: the paper's variant "no
 * longer relying on cold-start data" (C.5).
 */
export const ur2Stage1Weak = fixedReward({
  id: 'ur2-stage-1-weak',
  optional: OPTIONAL,
  name: 'UR² stage 1, weak',
  source: `${PAPER}, appendix C.5`,
  formula: 'R = 2 · EM + R_fmt + 0.5 for one valid query, 1 for more; − 0.5 per fallback',
  range: [0, 4],
  clauses: asReleased(paper, (facts, output) => [
    ...answerAndFormat(facts, output),
    retrieval(facts, 0.5, 1),
    fallback(facts),
  ]),
});

/** (5): 2 for a right answer, 1 for a clean format, −0.5 a fallback. */
export const ur2Stage2 = fixedReward({
  id: 'ur2-stage-2',
  optional: OPTIONAL,
  name: 'UR² stage 2, paper',
  source: `${PAPER}, equation 5`,
  formula: 'R = 2 · EM + R_fmt − 0.5 per fallback',
  range: [0, 3],
  clauses: asReleased(paper, (facts, output) => [
    ...answerAndFormat(facts, output),
    fallback(facts),
  ]),
});
