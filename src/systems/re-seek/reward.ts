import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';
import { subExactMatch } from '../../agent/answers/scores.ts';
import type { Span } from '../../agent/answers/answer-text.ts';
import type { RewardFacts } from '../../learn/rewards/parts/facts.ts';
import { newGoldShares } from '../../learn/rewards/parts/searches.ts';

/*
 * ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek): exact match, and for each judged result 0.3 where the
 * judgement is right, −0.6 for "yes" on a useless result, −0.3 for "no" on a useful one. Difference: a result is
 * useful where it brings a supporting passage that was not read before; theirs compares it with the gold answer
 * by a reranker, the code by the gold answer's text. Their sum has no bound in the number of searches, so that
 * right "no"s can be collected; it is theirs, and the loop's limit of searches is the bound. `re-seek-mean` takes the mean
 * of the judgements in place of their sum, which is bounded by 0.3 however often is searched; no paper has it. In
 * `re-seek-symmetric`, the ablation, a wrong "yes" costs what a wrong "no" does, −0.3.
 *
 * `re-seek-released` is the code's variant by the gold answer's text in the result: "yes" after which the final answer is
 * right counts as right, 0.1 more for a right judgement where it is, and nothing for judgements without an answer.
 */

const RIGHT = 0.3;
const YES_ON_USELESS = -0.6;
const NO_ON_USEFUL = -0.3;

/** What each judgement is worth, in the order of the searches. */
const judgements = (
  { searches, supporting }: Pick<RewardFacts, 'searches' | 'supporting'>,
  yesOnUseless: number = YES_ON_USELESS,
): { value: number; evidence: Span[] }[] => {
  const gains = newGoldShares(searches, supporting);
  return searches.flatMap(({ judged }, i) => {
    if (!judged) return [];
    const useful = (gains[i] ?? 0) > 0;
    const wrong = judged.useful ? yesOnUseless : NO_ON_USEFUL;
    return [{ value: judged.useful === useful ? RIGHT : wrong, evidence: judged.evidence }];
  });
};

export const reSeek = fixedReward({
  id: 're-seek',
  name: 'ReSeek',
  needs: { judge: 'supporting' },
  source: 'ReSeek, arXiv 2510.00568',
  range: [-2.4, 2.2],
  steps: ['judge'],
  clauses: (facts) => [
    clause('answer', facts.em, facts.answer),
    ...judgements(facts).map(({ value, evidence }) => clause('judge', value, evidence)),
  ],
});

export const reSeekMean = fixedReward({
  id: 're-seek-mean',
  name: 'ReSeek, mean of the judgements',
  source: 'ReSeek, arXiv 2510.00568; the mean is of this repository',
  range: [-0.6, 1.3],
  steps: ['judge'],
  clauses: (facts) => {
    const judged = judgements(facts);
    return [
      clause('answer', facts.em, facts.answer),
      ...judged.map(({ value, evidence }) => clause('judge', value / judged.length, evidence)),
    ];
  },
});

export const reSeekSymmetric = fixedReward({
  id: 're-seek-symmetric',
  name: 'ReSeek, both mistakes alike',
  source: 'ReSeek, arXiv 2510.00568; its ablation',
  range: [-1.2, 2.2],
  steps: ['judge'],
  clauses: (facts) => [
    clause('answer', facts.em, facts.answer),
    ...judgements(facts, NO_ON_USEFUL).map(({ value, evidence }) =>
      clause('judge', value, evidence),
    ),
  ],
});

const RIGHT_BONUS = 0.1;

export const reSeekReleased = fixedReward({
  id: 're-seek-released',
  name: 'ReSeek, as released',
  source: 'ReSeek, its code: by the text of the gold answer',
  range: [-2.4, 2.6],
  steps: ['judge'],
  clauses: ({ em, answer, form, golds, searches }) => [
    clause('answer', em, answer),
    ...searches.flatMap(({ judged, passages }) => {
      if (!judged || form === null) return [];
      const useful = passages.some(({ text }) => subExactMatch(text, golds) === 1);
      const right = judged.useful === useful || (judged.useful && em === 1);
      const wrong = judged.useful ? YES_ON_USELESS : NO_ON_USEFUL;
      return [clause('judge', right ? RIGHT + RIGHT_BONUS * em : wrong, judged.evidence)];
    }),
  ],
});
