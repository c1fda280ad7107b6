import { staged, type LocalMethod } from './method.ts';

export const hnsw: LocalMethod = {
  id: 'hnsw',
  name: 'dense, HNSW',
  way: 'a graph (HNSW)',
  words: false,
  dense: async (vectors, _, hooks) => {
    const { HnswIndex } = await import('../dense/hnsw.ts');
    return {
      index: await HnswIndex.build(vectors, {}, staged(hooks, 'graph')),
      note: 'HNSW graph',
    };
  },
};
