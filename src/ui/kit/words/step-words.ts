import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import type { ChainStep } from '../../../records/records.ts';

/** Steps of a gold chain as text. */

/** "company.foundingYear" → "founding year". */
export const relationWords = (relation: string): string =>
  (relation.split('.').at(-1) ?? relation)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[-_]+/g, ' ')
    .toLowerCase();

/**
 * The question of a gold step: its gold query, followed by its subject if the question uses another
 * name; "films starring Elena Belner (Linus Farvik)". Without a query: relation and subject.
 */
export const asksWords = ({
  query,
  subject,
  relation,
}: Pick<ChainStep, 'query' | 'subject' | 'relation'>): string => {
  if (!query) return subject ? `${relationWords(relation)} of ${subject}` : 'supporting passage';
  const named = ` ${normalizeAnswer(query)} `.includes(` ${normalizeAnswer(subject)} `);
  return subject && !named ? `${query} (${subject})` : query;
};
