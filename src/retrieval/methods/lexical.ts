import type { LocalMethod } from './method.ts';

export const lexical: LocalMethod = {
  id: 'lexical',
  name: 'lexical (BM25)',
  way: 'words only (BM25)',
  words: true,
  dense: null,
};
