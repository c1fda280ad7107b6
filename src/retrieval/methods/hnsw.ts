import { HnswIndex } from '../dense/hnsw.ts';
import { staged, type LocalMethod } from './method.ts';

export const hnsw: LocalMethod = {
  id: 'hnsw',
  name: 'dense, HNSW',
  way: 'a graph (HNSW)',
  words: false,
  dense: async (vectors, _, hooks) => ({
    index: await HnswIndex.build(vectors, {}, staged(hooks, 'graph')),
    note: 'HNSW graph',
  }),
};
