import { clause } from '../../parts/clause.ts';
import { fixedReward } from '../../parts/definition.ts';

/*
 * R-Search (arXiv 2506.04185; code: QingFei1/R-Search, src/verl/utils/reward_score/qa_f1.py): 0.2 for one whole
 * answer, 0.2 for one evidence block behind a result (or neither), F1 of the answer, and F1 of what a frozen model
 * answers from the last evidence block alone. Both F1 are rounded to two places, as in the code. Departure: the
 * frozen model is the checkpoint without its adapter.
 */

const FORMAT = 0.2;
const rounded = (f1: number): number => Math.round(f1 * 100) / 100;

export const rSearch = fixedReward({
  id: 'r-search',
  name: 'R-Search',
  source: 'R-Search, arXiv 2506.04185, values of its code',
  range: [0, 2.4],
  frozen: 'evidence',
  clauses: ({ f1, form, answer, blocks, searches, frozen }) => {
    const quotes = blocks.filter(({ kind }) => kind === 'evidence');
    const read = searches.some(({ passages }) => passages.length > 0);
    const whole = quotes.length === 1 && quotes[0]?.text.trim() !== '';
    const fits = read ? whole : quotes.length === 0;
    const answered = frozen.find(({ from }) => from === 'evidence');
    const spans = quotes.flatMap(({ evidence }) => evidence);
    return [
      clause('answer-format', form === null ? 0 : FORMAT, answer),
      clause('evidence-format', fits ? FORMAT : 0, spans),
      clause('answer', rounded(f1), answer),
      clause('evidence', read ? rounded(answered?.f1 ?? 0) : 0, spans),
    ];
  },
});
