import { flat } from './flat.ts';
import type { LocalMethod } from './method.ts';

/** Fuses lexical and dense lists; the dense list is the exact scan. */
export const hybrid: LocalMethod = {
  id: 'hybrid',
  name: 'hybrid (BM25 + dense)',
  way: 'words (BM25) and exact search over all vectors, fused',
  words: true,
  dense: flat.dense,
};
