import type { Remote } from 'comlink';
import type { ClusterApi } from './cluster-messages.ts';

/** Calls a method of clusters that are in another worker. */
export type ClusterCall = <Result>(
  use: (clusters: Remote<ClusterApi>) => Promise<Result>,
) => Promise<Result>;

/** Clusters in another worker as plain calls, which reject when the worker dies. */
export const remoteClusters = (call: ClusterCall): ClusterApi => ({
  overview: () => call((clusters) => clusters.overview()),
  progress: () => call((clusters) => clusters.progress()),
  stop: () => call((clusters) => clusters.stop()),
  search: (query, k) => call((clusters) => clusters.search(query, k)),
  learn: (queries, k) => call((clusters) => clusters.learn(queries, k)),
  forget: () => call((clusters) => clusters.forget()),
});
