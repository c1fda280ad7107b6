import { proxy, type Remote } from 'comlink';
import type { CheckpointsApi } from '../../../lab/models/checkpoints/messages.ts';
import type { LabApi } from '../../../lab/ask/messages.ts';
import type { SupervisedWorker } from '../../../lab/workers/supervised.ts';

/** Comlink's proxies are kept: one that is collected goes silent. */
let pinned: unknown = null;

/** The checkpoints in the lab worker as plain calls, which reject when the worker dies. */
export const remoteCheckpoints = (worker: SupervisedWorker<LabApi>): CheckpointsApi => {
  const call = <R>(use: (api: Remote<CheckpointsApi>) => Promise<R>): Promise<R> =>
    worker.call((api) => use(api.checkpoints as unknown as Remote<CheckpointsApi>));
  return {
    listen: (listener) => {
      const shared = proxy(listener);
      pinned = shared;
      return call((api) => api.listen(shared));
    },
    list: () => call((api) => api.list()),
    useToken: (hub, token) => call((api) => api.useToken(hub, token)),
    plan: (request) => call(async (api) => await api.plan(request)),
    cancelPlan: () => call((api) => api.cancelPlan()),
    add: (plan, name, files) => call(async (api) => await api.add(plan, name, files)),
    resume: (id, files) => call(async (api) => await api.resume(id, files)),
    pause: (id) => call((api) => api.pause(id)),
    rename: (id, name) => call(async (api) => await api.rename(id, name)),
    remove: (id) => call(async (api) => await api.remove(id)),
    restore: (id) => call(async (api) => await api.restore(id)),
  };
};

/** For the debugger: the proxy that is held. */
export const heldCheckpointsProxy = (): unknown => pinned;
