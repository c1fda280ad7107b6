import * as fc from 'fast-check';
import type { Passage } from '../../src/records/records.ts';
import type { FetchFile } from '../../src/base/fetch-file.ts';

export const passage = (id: string, title: string, ...sentences: string[]): Passage => ({
  id,
  title,
  text: sentences.join(' '),
  sentences,
});

const WORDS = [
  'silent',
  'harbor',
  'film',
  'director',
  'Órla',
  'the',
  'the',
  'river',
  '1987',
  'born',
];
const phrase = (min: number, max: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: min, maxLength: max }).map((w) => w.join(' '));

/** Small corpora over few words, so that terms and whole texts repeat. */
export const corpora = fc
  .array(fc.tuple(phrase(1, 3), fc.array(phrase(1, 8), { minLength: 1, maxLength: 3 })), {
    minLength: 1,
    maxLength: 40,
  })
  .map((rows) => rows.map(([title, sentences], i) => passage(`p${i}`, title, ...sentences)));

export const queries = phrase(0, 6);

/** Files in memory, as a server would give them. */
export const fetchFrom =
  (files: ReadonlyMap<string, Uint8Array>): FetchFile =>
  async (name, { signal } = {}) => {
    signal?.throwIfAborted();
    const file = files.get(name);
    if (!file) throw new Error(`${name}: not found`);
    return Promise.resolve(file.slice());
  };
