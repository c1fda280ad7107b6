import {
  blocksIn,
  CHINESE,
  count,
  defineRelease,
  faultsAmong,
  type Release,
} from '../../agent/released.ts';
import type { RewardClause } from '../../records/rollout.ts';
import { asReleased } from '../../learn/rewards/parts/as-released.ts';
import { answeredEvidence, clause, wordsOf } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import { scoresBy, type RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { R1_SEARCHER } from './normaliser.ts';

/*
 * R1-Searcher (arXiv 2503.05592; code: RUCAIBox/R1-Searcher, train/reward_server_*.py). The answer is scored
 * with their normaliser: their three servers hold the functions of their metric_calc_rule.py, of which stage 1
 * uses the first cover-EM and stage 2 F1. An output in their own format is read by their rules, stage 1 by those of its
 * own server (`release`); in Forage's protocol "format" is that the whole output follows it.
 * Differences:
 * - Their tests for Chinese characters and for the word "assistant" look at what was read, too; here only at what the
 *   policy wrote. In Forage's protocol they have no counterpart.
 * - The paper's first stage does not look at the answer; the released code adds ±1 for it, and its
 *   retrieval clause wants every opened query to have been closed.
 * - The released code of the second stage for base models (−2) also calls an answer of more than ten
 *   words a fault; the one for instruction-tuned models (−1) does not.
 */

/**
 * R1-Searcher's formats (RUCAIBox/R1-Searcher, train/reward_server_*.py). Its prompts end with `<think>`, so that an
 * output opens no thought; one at its very beginning is taken for the prompt's.
 */
const opened = (text: string): string => text.replace(/^\s*<think>/, '');

/** Tags of searches, as its servers count them: what was found begins with a number, and a blank line follows it. */
const SEARCH_TAGS = [
  '<|begin_of_query|>',
  '<|end_of_query|>',
  '<|begin_of_documents|>\n(1)',
  '<|end_of_documents|>\n\n',
];

const evenSearches = (text: string): boolean => {
  const [first = 0, ...others] = SEARCH_TAGS.map((tag) => count(text, tag));
  return others.every((one) => one === first);
};

/** Whether it searched, and every query was closed and found something. */
const retrieved = (text: string): boolean =>
  text.includes('<|begin_of_query|>') && evenSearches(text);

/** One thought, closed, and one answer, closed. */
const onePair = (text: string): boolean =>
  count(opened(text), '<think>') === 0 &&
  ['</think>', '<answer>', '</answer>'].every((tag) => count(text, tag) === 1);

const answerIn = (text: string): string | null => blocksIn(text, 'answer')[0] ?? null;

/** Stage 1. */
export const firstRelease: Release = {
  dialects: ['r1-searcher'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text }) => (onePair(text) ? [] : ['there is not exactly one thought and one answer']),
};

/** Stage 2. What the policy wrote is searched for Chinese and for "assistant", the text that it read is not. */
export const release = defineRelease({
  dialects: ['r1-searcher'],
  answer: ({ text }) => answerIn(text),
  faults: ({ text, written }) => {
    const answer = answerIn(text);
    return faultsAmong({
      'there is not exactly one thought and one answer': !onePair(text),
      'a query is not closed, or found nothing': !evenSearches(text),
      'a search tag is in the answer': /<\|(?:begin|end)_of_/.test(answer ?? ''),
      'it holds Chinese characters': CHINESE.test(written),
      'it holds the word "assistant"': /assistant/i.test(written),
    });
  },
});

const SOURCE = 'R1-Searcher, arXiv 2503.05592';
const RELEASED = 'R1-Searcher, train/reward_server_*.py';

/** Longest answer of the released second stage, as text. */
const ANSWER_WORDS = 10;

const formatHalf = (facts: RewardFacts): RewardClause =>
  clause('format', facts.formatValid ? 0.5 : 0, facts.faults.flat());

/** Stage 1: 0.5 for retrieving, 0.5 for the format; the answer does not count. */
export const r1SearcherStage1 = fixedReward({
  id: 'r1-searcher-stage-1',
  name: 'R1-Searcher stage 1, paper',
  source: SOURCE,
  formula: 'R = 0.5 · [a query was answered] + 0.5 · R_fmt',
  range: [0, 1],
  clauses: asReleased(firstRelease, (facts) => {
    const found = facts.queries.some((query) => query.answered);
    return [clause('retrieval', found ? 0.5 : 0, answeredEvidence(facts)), formatHalf(facts)];
  }),
});

const allAnswered = ({ opened, queries }: RewardFacts): boolean =>
  opened.length === queries.length && queries.some((query) => query.answered);

/** Stage 1 as released: the same, and 1 where the answer covers a gold answer's tokens, else −1. */
export const r1SearcherStage1Released = fixedReward({
  id: 'r1-searcher-stage-1-released',
  name: 'R1-Searcher stage 1, released',
  source: RELEASED,
  formula: 'R = ±1 (cover-EM) + 0.5 · [a query was answered, each closed] + 0.5 · R_fmt',
  range: [-1, 2],
  clauses: asReleased(firstRelease, (facts, output) => {
    const found = output ? retrieved(output.text) : allAnswered(facts);
    return [
      clause('answer', scoresBy(R1_SEARCHER, facts).coverEm === 1 ? 1 : -1, facts.answer),
      clause('retrieval', found ? 0.5 : 0, found ? answeredEvidence(facts) : []),
      formatHalf(facts),
    ];
  }),
});

/** @param most words of an answer; a longer one is a fault */
const stage2 = (penalty: number, most = Infinity) =>
  asReleased(release, (facts: RewardFacts): RewardClause[] => {
    const wordy = wordsOf(facts.answerText ?? '') > most;
    return [
      clause('answer', scoresBy(R1_SEARCHER, facts).f1, facts.answer),
      clause('format', facts.formatValid && !wordy ? 0 : penalty, [
        ...facts.faults.flat(),
        ...(wordy ? facts.answer : []),
      ]),
    ];
  });

/** Stage 2 of base models: F1, and −2 for any fault of format. */
export const r1SearcherStage2 = fixedReward({
  id: 'r1-searcher-stage-2',
  name: 'R1-Searcher stage 2, base models',
  source: SOURCE,
  formula: 'R = F1 − 2 · (1 − R_fmt)',
  range: [-2, 1],
  clauses: stage2(-2),
});

/** Stage 2 of base models as released: an answer of more than ten words is a fault as well. */
export const r1SearcherStage2Released = fixedReward({
  id: 'r1-searcher-stage-2-released',
  name: 'R1-Searcher stage 2, base models, released',
  source: RELEASED,
  formula: 'R = F1 − 2 · [malformed, or an answer of more than ten words]',
  range: [-2, 1],
  clauses: stage2(-2, ANSWER_WORDS),
});

/** Stage 2 of instruction-tuned models as released: F1, and −1 for any fault of format. */
export const r1SearcherStage2Instruct = fixedReward({
  id: 'r1-searcher-stage-2-instruct',
  name: 'R1-Searcher stage 2, instruction-tuned',
  source: RELEASED,
  formula: 'R = F1 − (1 − R_fmt)',
  range: [-1, 1],
  clauses: stage2(-1),
});
