import type { RewardClause } from '../../records/rollout.ts';
import { weightedReward } from './definition.ts';
import type { RewardFacts } from './facts.ts';

/*
 * KunLunBaizeRAG, equations (17) and (18) of arXiv 2506.19466. Departures and choices where the paper
 * leaves one:
 * - The λ are not given, only that they sum to 1. Accuracy gets most, because the other terms are
 *   already near their ceiling after the format warm-up.
 * - R_fmt is 1 for an output that follows the protocol throughout, else 0.
 * - R_len is not defined. Ours: 1 up to a target of tokens, falling in a line to 0 at twice the
 *   target; it says what "length control" must, that longer is not better, and pays nothing for silence
 *   because an output without answer gets 0.
 * - R_acc is exact match for short answers, F1 for long ones.
 * - R_struct is half for the long form's own tag, half for prose beside the box.
 */

const SHORT_TOKENS = 160;
const LONG_TOKENS = 320;
const SHORT_WEIGHTS = { format: 0.1, length: 0.1, accuracy: 0.8 };
const LONG_WEIGHTS = { format: 0.1, length: 0.1, accuracy: 0.6, structure: 0.2 };

export const lengthReward = (facts: RewardFacts, target: number): number =>
  facts.form === null ? 0 : Math.max(0, Math.min(1, 2 - facts.tokens / target));

function shared(
  facts: RewardFacts,
  weights: typeof SHORT_WEIGHTS,
  target: number,
  accuracy: number,
): RewardClause[] {
  const format = Number(facts.formatValid);
  return [
    { clause: 'format', value: format, weight: weights.format, evidence: facts.faults.flat() },
    { clause: 'length', value: lengthReward(facts, target), weight: weights.length, evidence: [] },
    { clause: 'accuracy', value: accuracy, weight: weights.accuracy, evidence: facts.answer },
  ];
}

/** (17): λ1 R_fmt + λ2 R_len + λ3 R_acc. */
export const kunlunShort = weightedReward({
  id: 'kunlun-short',
  name: 'KunLunBaizeRAG, short answers (17)',
  source: 'KunLunBaizeRAG, arXiv 2506.19466, equation 17',
  range: [0, 1],
  ofTokens: ['length'],
  weights: SHORT_WEIGHTS,
  clauses: (facts, weights) => shared(facts, weights, SHORT_TOKENS, facts.em),
});

/** (18): (17) with λ4 R_struct. */
export const kunlunLong = weightedReward({
  id: 'kunlun-long',
  name: 'KunLunBaizeRAG, long answers (18)',
  source: 'KunLunBaizeRAG, arXiv 2506.19466, equation 18',
  range: [0, 1],
  ofTokens: ['length'],
  weights: LONG_WEIGHTS,
  clauses: (facts, weights) => [
    ...shared(facts, weights, LONG_TOKENS, facts.f1),
    {
      clause: 'structure',
      value: facts.form === 'long' ? 0.5 + 0.5 * Number(facts.prose !== '') : 0,
      weight: weights.structure,
      evidence: facts.answer,
    },
  ],
});
