import type { RewardClause } from '../../records/rollout.ts';
import { clause, wordsOf } from './parts/clause.ts';
import { fixedReward } from './parts/definition.ts';
import type { RewardFacts } from './parts/facts.ts';
import { fallback, longQueries } from './ur2.ts';

/*
 * UR² as released (Tsinghua-dhy/UR2, UR2_RL/train/reward_server_qwen_7b_math_rag_stage1.py and
 * reward_server_qwen_math_rag_stage2.py, open-domain questions). Where the code leaves the paper:
 * - Stage 1 pays for opening tags of queries: one that was left open, is empty or was sent back counts.
 * - A query is too long from 21 words, not 20. More than four queries are one violation, and so is an
 *   answer of more than ten words that is longer than the gold one.
 * - Where retrieval is not allowed (isRetrieve), stage 1 pays 1 for a clean format and takes nothing off
 *   for another one; a tool call is one violation.
 * - Stage 2 pays 2·F1, not 2 for a right answer.
 * Departures from the code:
 * - The protocol is Forage's: its breaches stand in for the counts of tags and answers; the tests for
 *   chat markers and Chinese characters have no counterpart.
 * - The code looks for tags and for the fallback sentence in the whole output, so that text which was
 *   read counts too. Here only what the policy wrote, and the record's verdicts, count.
 * - An answer is compared with the longest gold answer; the code knows one.
 * - F1 is by SQuAD's normaliser (punctuation deleted); the code puts a space for punctuation and reads True as yes.
 */

const QUERY_WORDS = 20;
const QUERIES = 4;
const ANSWER_WORDS = 10;

function violations(facts: RewardFacts) {
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
function stage1(facts: RewardFacts): RewardClause[] {
  const { count, evidence } = violations(facts);
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
  clauses: stage1,
});

/** Stage 2: twice F1, 1 for a clean format, −0.5 a fallback. */
export const ur2Stage2Released = fixedReward({
  id: 'ur2-stage-2-released',
  name: 'UR² stage 2, released',
  source: SOURCE,
  range: [0, 3],
  clauses: (facts) => {
    const { count, evidence } = violations(facts);
    return [
      clause('answer', 2 * facts.f1, facts.answer),
      clause('format', Number(count === 0), evidence),
      fallback(facts),
    ];
  },
});
