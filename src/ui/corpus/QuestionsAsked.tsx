import { useMemo } from 'react';
import { groupBy } from '../../base/items.ts';
import type { QuestionRow } from '../../lab/contract/ask.ts';
import { formatCount, plural } from '../kit/words/format.ts';
import { useLab } from '../lab/lab-store.ts';

/** Statistics of the questions in use. */

/** `bridge 1,204`, the most frequent first. */
const counted = (rows: readonly QuestionRow[], of: (row: QuestionRow) => string): string =>
  [...groupBy(rows, of)]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([name, all]) => `${name} ${formatCount(all.length)}`)
    .join(' · ');

const FACTS: readonly (readonly [string, (row: QuestionRow) => string])[] = [
  ['by split', ({ split }) => split || 'unknown'],
  ['by hops', ({ hops }) => (hops > 0 ? plural(hops, 'hop') : 'unknown')],
  ['by type', ({ type }) => type ?? 'unknown'],
  [
    'source',
    ({ localSuffices }) =>
      localSuffices === null ? 'unknown' : localSuffices ? 'local is enough' : 'needs the web',
  ],
];

export const QuestionsAsked = () => {
  const rows = useLab((state) => state.questions);
  const facts = useMemo(
    () => FACTS.map(([name, of]) => [name, counted(rows, of)] as const),
    [rows],
  );
  if (rows.length === 0) return null;
  return (
    <section className="questions-asked" aria-labelledby="questions-asked">
      <h2 id="questions-asked">{plural(rows.length, 'question')} to ask</h2>
      <dl className="pairs">
        {facts.map(([name, text]) => (
          <div key={name} className="pair">
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
};
