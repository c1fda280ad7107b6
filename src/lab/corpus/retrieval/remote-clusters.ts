import type { Remote } from 'comlink';
import type { ClusterApi, ClusterOverview, WithoutVectors } from './cluster-messages.ts';

/** Calls a method of clusters that are in another worker. */
export type ClusterCall = <Result>(
  use: (clusters: Remote<ClusterApi>) => Promise<Result>,
) => Promise<Result>;

/** Clusters in another worker as plain calls, which reject when the worker dies. */
export const remoteClusters = (call: ClusterCall): ClusterApi => ({
  overview: (local, encode) =>
    call<ClusterOverview | WithoutVectors>(async (clusters) => clusters.overview(local, encode)),
  progress: () => call((clusters) => clusters.progress()),
  stop: (local) => call((clusters) => clusters.stop(local)),
  learning: (local, changes) => call((clusters) => clusters.learning(local, changes)),
  search: (local, query, k) => call((clusters) => clusters.search(local, query, k)),
  learn: (local, queries, k) => call((clusters) => clusters.learn(local, queries, k)),
  forget: (local) => call((clusters) => clusters.forget(local)),
  recall: (local) => call((clusters) => clusters.recall(local)),
  leave: () => call((clusters) => clusters.leave()),
});
