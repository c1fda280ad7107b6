import { z } from 'zod';
import type { Passage } from './records.ts';

/** A passage in a file: id, title, sentences, and why it is noise where that is known. */
export const passageRowSchema = z.union([
  z.tuple([z.string(), z.string(), z.array(z.string())]),
  z.tuple([
    z.string(),
    z.string(),
    z.array(z.string()),
    z.enum(['stale', 'contradicting', 'distractor']),
  ]),
]);

export type PassageRow = z.infer<typeof passageRowSchema>;

export const toRow = ({ id, title, sentences, noise }: Passage): PassageRow =>
  noise === undefined ? [id, title, sentences] : [id, title, sentences, noise];

/** `text` is not stored: it is exactly the sentences joined by spaces. */
export const fromRow = ([id, title, sentences, noise]: PassageRow): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
  noise,
});
