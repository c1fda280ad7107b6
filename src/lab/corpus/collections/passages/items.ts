import { z } from 'zod';
import type { ImportedQuestion } from '../../../../formats/import/values/types.ts';
import type { Passage } from '../../../../records/records.ts';
import { gunzip, gzip } from '../../../storage/blobs.ts';

/** Items as they lie in a chunk: one JSON value a line, gzipped. */

const passageSchema = z
  .object({ id: z.string(), title: z.string(), sentences: z.array(z.string()) })
  .transform((row): Passage => ({ ...row, text: row.sentences.join(' ') }));

const questionSchema = z.looseObject({
  id: z.string(),
  text: z.string(),
  answers: z.array(z.string()),
  supporting: z.array(z.string()),
});

/** The text of a passage is its sentences, which are enough to store. */
export const passageLine = ({ id, title, sentences }: Passage): string =>
  JSON.stringify({ id, title, sentences });

export const questionLine = (question: ImportedQuestion): string => JSON.stringify(question);

export const packLines = (lines: readonly string[]): Promise<Uint8Array<ArrayBuffer>> =>
  gzip(new TextEncoder().encode(lines.join('\n')));

const unpackLines = async (gz: Uint8Array): Promise<unknown[]> => {
  try {
    const text = new TextDecoder().decode(await gunzip(gz));
    return text.split('\n').map((line): unknown => JSON.parse(line));
  } catch (error) {
    throw new Error('A part of this collection is damaged; import its file again.', {
      cause: error,
    });
  }
};

/** @throws Error where the bytes are damaged */
export const unpackPassages = async (gz: Uint8Array): Promise<Passage[]> =>
  z.array(passageSchema).parse(await unpackLines(gz));

/** @throws Error where the bytes are damaged */
export const unpackQuestions = async (gz: Uint8Array): Promise<ImportedQuestion[]> => {
  const values = await unpackLines(gz);
  z.array(questionSchema).parse(values);
  return values as ImportedQuestion[];
};
