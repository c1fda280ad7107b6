import type { RewardClause } from '../../records/rollout.ts';
import { boolMapped, PUNCTUATION, spacing } from '../../agent/answers/normalisers.ts';
import type { Span } from '../../agent/answers/answer-text.ts';
import {
  blocksIn,
  CHINESE,
  count,
  defineRelease,
  faultsAmong,
  type Output,
} from '../../agent/released.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { clause, wordsOf } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import { scoresBy, type RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { fallback, longQueries, queriesIn, SEARCH_TAGS } from '../ur2/reward.ts';

/*
 * UR² as released (Tsinghua-dhy/UR2, UR2_RL/train/reward_server_qwen_7b_math_rag_stage1.py and
 * reward_server_qwen_math_rag_stage2.py, open-domain questions). Where the code leaves the paper:
 * - Stage 1 pays for opening tags of queries: one that was left open, is empty or was sent back counts.
 * - A query is too long from 21 words, not 20. More than four queries are one violation, and so is an
 *   answer of more than ten words that is longer than the gold one.
 * - Where retrieval is not allowed (isRetrieve), stage 1 pays 1 for a clean format and takes nothing off
 *   for another one; a tool call is one violation.
 * - Stage 2 pays 2·F1, not 2 for a right answer.
 * An output in its own format is read by its rules (`release`). Differences from the code:
 * - In Forage's protocol its breaches are in for the counts of tags and answers; the test for Chinese characters has no
 *   counterpart. The test for chat markers has none anywhere.
 * - The code looks for Chinese and for the fallback sentence in the whole output, so that text which was
 *   read counts too. Here only what the policy wrote, and the record's verdicts, count.
 * - An answer is compared with the longest gold answer; the code knows one.
 */

interface Violations {
  count: number;
  evidence: Span[];
}

/** ASCII punctuation is a space; a bare True or False is yes or no. */
const NORMALISER = spacing(PUNCTUATION, boolMapped);

/** A query may have 20 words, an output four queries, an answer ten words or as many as the longest gold answer. */
const QUERY_WORDS = 20;
const QUERIES = 4;
const ANSWER_WORDS = 10;

/**
 * From the first `\boxed{` of a line to its last brace, of the last line that has one; else the letter of an option. So
 * two boxes on a line are one answer, and so is a box with what braces follow it.
 */
function stated(text: string): string | null {
  const boxed = [...text.matchAll(/\\boxed\{(.*)\}/g)].at(-1)?.[1];
  return boxed?.trim() ?? /[Tt]he correct answer is:\s*([A-J])/.exec(text)?.[1] ?? null;
}

const answerIn = (text: string): string | null =>
  stated(text) ?? blocksIn(text, 'answer').at(-1) ?? null;

/** Its format for open-domain questions. */
export const release = defineRelease({
  dialects: ['ur2'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text, written }, golds) => {
    const [queries = 0, ...others] = SEARCH_TAGS.map((tag) => count(text, tag));
    const long = queriesIn(text).filter((query) => wordsOf(query) > QUERY_WORDS);
    const longest = Math.max(ANSWER_WORDS, ...golds.map(wordsOf));
    return [
      ...long.map(() => `a query has more than ${QUERY_WORDS} words`),
      ...faultsAmong({
        'a query is not closed or not answered': others.some((one) => one !== queries),
        [`there are more than ${QUERIES} queries`]: queries > QUERIES,
        'it holds Chinese characters': CHINESE.test(written),
        'the answer is not in a box': stated(text) === null,
        [`the answer has more than ${longest} words`]: wordsOf(answerIn(text) ?? '') > longest,
      }),
    ];
  },
});

function violations(facts: RewardFacts, output: Output | null): Violations {
  if (output)
    return { count: release.faults(output, facts.golds).length, evidence: facts.faults.flat() };
  const long = longQueries(facts, QUERY_WORDS);
  const words = wordsOf(facts.answerText ?? '');
  const wordy = words > Math.max(ANSWER_WORDS, ...facts.golds.map(wordsOf));
  const many = facts.opened.length > QUERIES;
  const missing = facts.form === null && facts.faults.length === 0;
  return {
    count: facts.faults.length + long.length + Number(wordy) + Number(many) + Number(missing),
    evidence: [
      ...facts.faults.flat(),
      ...long.flatMap((query) => query.evidence),
      ...(many ? facts.opened.slice(QUERIES) : []),
      ...(wordy ? facts.answer : []),
    ],
  };
}

/** +1 or −1 a violation, no query being one; +3 for one opening tag, +4 for more; fallbacks. */
function stage1(facts: RewardFacts, output: Output | null): RewardClause[] {
  const { count, evidence } = violations(facts, output);
  if (!facts.mayRetrieve)
    return [
      clause('format', Number(count === 0), evidence),
      clause('retrieval', 0),
      clause('fallback', 0),
    ];
  const faults = count + Number(facts.opened.length === 0);
  return [
    clause('format', faults === 0 ? 1 : -faults, evidence),
    clause('retrieval', [0, 3][facts.opened.length] ?? 4, facts.opened),
    fallback(facts),
  ];
}

const SOURCE = 'UR², Tsinghua-dhy/UR2, UR2_RL/train/reward_server_*.py';

export const ur2Stage1Released = fixedReward({
  id: 'ur2-stage-1-released',
  name: 'UR² stage 1, released',
  source: SOURCE,
  range: [-1, 5],
  coldStart: true,
  clauses: asReleased(release, stage1),
});

/** Stage 2: twice F1, 1 for a clean format, −0.5 a fallback. */
export const ur2Stage2Released = fixedReward({
  id: 'ur2-stage-2-released',
  name: 'UR² stage 2, released',
  source: SOURCE,
  range: [0, 3],
  clauses: asReleased(release, (facts, output) => {
    const { count, evidence } = violations(facts, output);
    return [
      clause('answer', 2 * scoresBy(NORMALISER, facts).f1, facts.answer),
      clause('format', Number(count === 0), evidence),
      fallback(facts),
    ];
  }),
});
