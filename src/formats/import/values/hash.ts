import { sha256 } from '../../../base/hash.ts';

/** Two passages with one title and one text are the same. */
export const passageHash = (title: string, text: string): Promise<string> =>
  sha256(`${title}\n${text}`);

/** Two questions with one text and the same answers are the same. */
export const questionHash = (text: string, answers: readonly string[]): Promise<string> =>
  sha256([text, ...answers].join('\n'));
