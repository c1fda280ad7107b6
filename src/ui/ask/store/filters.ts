import type { QuestionType } from '../../../records/records.ts';
import type { QuestionRow } from '../../../lab/contract/ask.ts';

/** Filters of the question list; `null` matches everything. */
export interface QuestionFilter {
  text: string;
  hops: number | null;
  type: QuestionType | null;
  source: 'local' | 'web' | null;
  split: string | null;
}

/** No filter. */
export const NO_FILTER: QuestionFilter = {
  text: '',
  hops: null,
  type: null,
  source: null,
  split: null,
};

/** Matching rows; every word of the text must occur in the question. */
export const filterQuestions = (
  rows: readonly QuestionRow[],
  filter: QuestionFilter,
): QuestionRow[] => {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter(
    (row) =>
      (filter.hops === null || row.hops === filter.hops) &&
      (filter.type === null || row.type === filter.type) &&
      (filter.split === null || row.split === filter.split) &&
      (filter.source === null || row.localSuffices === (filter.source === 'local')) &&
      words.every((word) => row.text.toLowerCase().includes(word)),
  );
};
