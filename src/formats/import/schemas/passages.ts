import { z } from 'zod';
import { filledText, idText, problemOf } from '../values/json-schema.ts';
import { normaliseSpace, splitSentences } from '../values/sentences.ts';

/** A passage as a file gives it: no id yet where the file has none. */
export interface PassageDraft {
  id?: string;
  title: string;
  sentences: string[];
  /** Path of the passage within its item, for messages. */
  key: string;
}

export interface Problem {
  key: string;
  expected: string;
}

const title = z
  .string()
  .nullish()
  .transform((text) => normaliseSpace(text ?? ''));

/** Sentences without space around them; the empty ones are dropped. */
export const cleanSentences = (sentences: readonly string[]): string[] =>
  sentences.map(normaliseSpace).filter(Boolean);

const passage = z
  .object({
    id: idText.nullish(),
    _id: idText.nullish(),
    title,
    text: z.string().optional(),
    paragraph_text: z.string().optional(),
    sentences: z.array(z.string()).optional(),
  })
  .transform(({ id, _id, title, text, paragraph_text, sentences }) => ({
    id: id ?? _id ?? undefined,
    title,
    sentences: sentences ? cleanSentences(sentences) : splitSentences(text ?? paragraph_text ?? ''),
  }));

/** `{id?, title?, text}`, or `sentences` in place of `text`. */
export const readPassage = (value: unknown): PassageDraft | Problem => {
  const parsed = passage.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { id, title, sentences } = parsed.data;
  if (sentences.length === 0) return { key: 'text', expected: 'expected text that is not empty' };
  return { id, title, sentences, key: '' };
};

const contents = z.object({ id: idText.nullish(), contents: filledText });

/**
 * Search-R1 and FlashRAG: `contents` is `"Title"\ntext`; the quotes may be missing. Contents of one
 * line have no title.
 */
export const readContents = (value: unknown): PassageDraft | Problem => {
  const parsed = contents.safeParse(value);
  if (!parsed.success) return problemOf(parsed.error);
  const { id, contents: all } = parsed.data;
  const newline = all.indexOf('\n');
  const first = newline === -1 ? '' : all.slice(0, newline).trim();
  const quoted = /^"(.*)"$/u.exec(first)?.[1] ?? first;
  // There is text after the first line: the contents were trimmed.
  const sentences = splitSentences(all.slice(newline + 1));
  return { ...(id != null && { id }), title: normaliseSpace(quoted), sentences, key: '' };
};

/** One member of `{title: [sentences]}`, or a whole object of them on one line. */
export function readTitleSentences(value: unknown): (PassageDraft | Problem)[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return [{ key: '', expected: 'expected {title: [sentences]}' }];
  return Object.entries(value).map(([title, sentences]) => {
    const parsed = z.array(z.string()).safeParse(sentences);
    if (!parsed.success) {
      const { key, expected } = problemOf(parsed.error);
      return { key: [title, key].filter(Boolean).join('.'), expected };
    }
    const clean = cleanSentences(parsed.data);
    if (clean.length === 0)
      return { key: title, expected: 'expected at least one sentence that is not empty' };
    return { title: normaliseSpace(title), sentences: clean, key: title };
  });
}

export const isProblem = (value: object): value is Problem => 'expected' in value;
