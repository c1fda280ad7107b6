import { subExactMatch } from '../../agent/answers/scores.ts';
import { clause } from '../../learn/rewards/parts/clause.ts';
import { fixedReward } from '../../learn/rewards/parts/definition.ts';

/*
 * The trainable rewriter of rewrite-retrieve-read (arXiv 2305.14283; code: xbmxb/RAG-query-rewriting): EM + F1 + 1 where a
 * gold answer is in what was retrieved, and −1 where it does not. Difference: the reader is the policy itself.
 */
export const rewriter = fixedReward({
  id: 'rewriter',
  name: 'Rewrite-retrieve-read, rewriter',
  source: 'Rewrite-retrieve-read, arXiv 2305.14283',
  range: [-1, 3],
  clauses: ({ em, f1, answer, golds, searches }) => {
    const holding = searches.filter(({ passages }) =>
      passages.some(({ text }) => subExactMatch(text, golds) === 1),
    );
    const all = holding.length > 0 ? holding : searches;
    return [
      clause('em', em, answer),
      clause('f1', f1, answer),
      clause(
        'hit',
        holding.length > 0 ? 1 : -1,
        all.flatMap(({ evidence }) => evidence),
      ),
    ];
  },
});
