import type { RewardClause } from '../../records/rollout.ts';
import { weightedReward } from '../../learn/rewards/parts/definition.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';

/*
 * KunLunBaizeRAG, equations (17) and (18) of arXiv 2506.19466. Differences and choices where the paper
 * leaves one:
 * - The λ are not given, only that they sum to 1. Accuracy gets most, because the other terms are
 *   already near their ceiling after the format warm-up.
 * - R_fmt is 1 for an output that follows the protocol throughout, else 0.
 * - R_len is not defined. Ours: 1 up to a target of tokens, falling in a line to 0 at twice the
 *   target; it says what "length control" must, that longer is not better, and pays nothing for silence
 *   because an output without answer gets 0.
 * - R_acc is exact match for short answers. Of long ones it is F1 of the box, and where the question has a
 *   gold summary the mean of that and ROUGE-L of the prose with it (src/agent/answers/long-answer.ts).
 * - R_struct is half for the long form's own tag, half for the share of the prose's statements that a
 *   retrieved passage supports (src/agent/answers/long-answer.ts): a sentence of nonsense earns nothing
 *   beside the tag.
 * - "Dual-mode" is by the question: `kunlun-by-form` scores a question that wants a long answer by (18),
 *   every other by (17), where the share of R_struct goes to R_acc. An answer in the other form than the
 *   question's breaks R_fmt.
 */

const SHORT_TOKENS = 160;
const LONG_TOKENS = 320;
const SHORT_WEIGHTS = { format: 0.1, length: 0.1, accuracy: 0.8 };
const LONG_WEIGHTS = { format: 0.1, length: 0.1, accuracy: 0.6, structure: 0.2 };

const SOURCE = 'KunLunBaizeRAG, arXiv 2506.19466';

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

const shortClauses = (facts: RewardFacts, weights: typeof SHORT_WEIGHTS): RewardClause[] =>
  shared(facts, weights, SHORT_TOKENS, facts.em);

/** R_acc of a long answer. */
const longAccuracy = ({ f1, proseScores: { rougeL } }: RewardFacts): number =>
  rougeL === null ? f1 : (f1 + rougeL) / 2;

const longClauses = (facts: RewardFacts, weights: typeof LONG_WEIGHTS): RewardClause[] => [
  ...shared(facts, weights, LONG_TOKENS, longAccuracy(facts)),
  {
    clause: 'structure',
    value: facts.form === 'long' ? 0.5 + 0.5 * facts.proseScores.supported : 0,
    weight: weights.structure,
    evidence: facts.answer,
  },
];

/** (17): λ1 R_fmt + λ2 R_len + λ3 R_acc. */
export const kunlunShort = weightedReward({
  id: 'kunlun-short',
  name: 'KunLunBaizeRAG, short answers (17)',
  source: `${SOURCE}, equation 17`,
  range: [0, 1],
  needs: { length: 'tokens' },
  weights: SHORT_WEIGHTS,
  clauses: shortClauses,
});

/** (18): (17) with λ4 R_struct. */
export const kunlunLong = weightedReward({
  id: 'kunlun-long',
  name: 'KunLunBaizeRAG, long answers (18)',
  source: `${SOURCE}, equation 18`,
  range: [0, 1],
  needs: { length: 'tokens' },
  weights: LONG_WEIGHTS,
  clauses: longClauses,
});

/** (17) or (18), as the question asks; λ are those of (18). */
export const kunlunByForm = weightedReward({
  id: 'kunlun-by-form',
  name: 'KunLunBaizeRAG, short (17) or long (18) by the question',
  source: `${SOURCE}, equations 17 and 18`,
  range: [0, 1],
  needs: { length: 'tokens' },
  weights: LONG_WEIGHTS,
  clauses: (facts, weights) => {
    const { format, length, accuracy, structure } = weights;
    const fits = facts.form === null || (facts.form === 'long') === facts.wantsLong;
    const own = fits ? facts : { ...facts, formatValid: false };
    return facts.wantsLong
      ? longClauses(own, weights)
      : shortClauses(own, { format, length, accuracy: accuracy + structure });
  },
});
