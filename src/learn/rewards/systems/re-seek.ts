import { clause } from '../parts/clause.ts';
import { fixedReward } from '../parts/definition.ts';
import { subExactMatch } from '../../../agent/answers/scores.ts';
import { newGoldShares } from '../parts/searches.ts';

/*
 * ReSeek (arXiv 2510.00568; code: TencentBAC/ReSeek): exact match, and for each judged result 0.3 where the
 * judgement is right, −0.6 for "yes" on a useless result, −0.3 for "no" on a useful one. Departure: a result is
 * useful where it brings a supporting passage that was not read before; theirs compares it with the gold answer
 * by a reranker, the code by the gold answer's text. Their sum has no bound in the number of searches, so that
 * right "no"s can be collected; it is theirs, and the loop's limit of searches is the bound.
 *
 * `re-seek-released` is the code's variant by the gold answer's text in the result: "yes" behind which the final answer is
 * right counts as right, 0.1 more for a right judgement where it is, and nothing for judgements without an answer.
 */

const RIGHT = 0.3;
const YES_ON_USELESS = -0.6;
const NO_ON_USEFUL = -0.3;

export const reSeek = fixedReward({
  id: 're-seek',
  name: 'ReSeek',
  source: 'ReSeek, arXiv 2510.00568',
  range: [-2.4, 2.2],
  steps: ['judge'],
  clauses: ({ em, answer, searches, supporting }) => {
    const gains = newGoldShares(searches, supporting);
    return [
      clause('answer', em, answer),
      ...searches.flatMap(({ judged }, i) => {
        if (!judged) return [];
        const useful = (gains[i] ?? 0) > 0;
        const wrong = judged.useful ? YES_ON_USELESS : NO_ON_USEFUL;
        return [clause('judge', judged.useful === useful ? RIGHT : wrong, judged.evidence)];
      }),
    ];
  },
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
