import { plural } from '../../kit/words/format.ts';

/** "994 passages and 100 questions"; kinds without items are left out. */
export const countWords = (passages: number, questions: number): string =>
  [passages > 0 && plural(passages, 'passage'), questions > 0 && plural(questions, 'question')]
    .filter(Boolean)
    .join(' and ') || 'nothing';
