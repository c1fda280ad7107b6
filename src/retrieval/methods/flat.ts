import { ExactIndex } from '../dense/dense.ts';
import type { LocalMethod } from './method.ts';

export const flat: LocalMethod = {
  id: 'flat',
  name: 'dense, exact',
  way: 'exact search over all vectors',
  words: false,
  dense: async (vectors) => ({ index: new ExactIndex(vectors), note: 'exact scan' }),
};
