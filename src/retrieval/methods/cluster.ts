import type { LocalMethod } from './method.ts';

// The page lists the methods, and only a worker opens one: what opens them is imported then.
export const cluster: LocalMethod = {
  id: 'cluster',
  name: 'dense, clusters',
  way: 'clusters of the vectors',
  words: false,
  dense: async (vectors, parts, hooks) => {
    const { openClusters } = await import('./open-clusters.ts');
    const clusters = await openClusters(vectors, parts, hooks);
    return {
      index: clusters.index,
      note: `${clusters.index.parts.offsets.length - 1} clusters`,
      search: (text, vector, k) => clusters.search(text, vector, k).neighbours,
      clusters,
    };
  },
};
