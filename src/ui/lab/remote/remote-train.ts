import { proxy, type Remote } from 'comlink';
import type { LabApi } from '../../../lab/ask/messages.ts';
import type { SupervisedWorker } from '../../../lab/workers/supervised.ts';
import type { TrainApi } from '../../../lab/train/messages.ts';

/** Longest wait for what only reads or writes a record. */
const SHORT_MS = 30_000;

/** Comlink's proxies are kept: one that is collected goes silent. */
let pinned: unknown = null;

/** Training in the lab worker as plain calls, which reject when the worker dies. */
export const remoteTrain = (worker: SupervisedWorker<LabApi>): TrainApi => {
  const call = <R>(use: (train: Remote<TrainApi>) => Promise<R>, timeoutMs?: number): Promise<R> =>
    worker.call((api) => use(api.train as unknown as Remote<TrainApi>), timeoutMs);
  return {
    listen: (listener) => {
      const shared = proxy(listener);
      pinned = shared;
      return call((train) => train.listen(shared), SHORT_MS);
    },
    runs: () => call((train) => train.runs(), SHORT_MS),
    steps: (id) => call((train) => train.steps(id), SHORT_MS),
    rollouts: (id, step) => call((train) => train.rollouts(id, step), SHORT_MS),
    estimate: (settings, device, setup) => call((train) => train.estimate(settings, device, setup)),
    create: (settings, name, device, setup, demonstrations) =>
      call((train) => train.create(settings, name, device, setup, demonstrations)),
    resume: (id, device) => call((train) => train.resume(id, device)),
    pause: (id) => call((train) => train.pause(id), SHORT_MS),
    stop: (id, keep) => call((train) => train.stop(id, keep)),
    setLearningRate: (id, rate) => call((train) => train.setLearningRate(id, rate), SHORT_MS),
    edit: (id, change) => call((train) => train.edit(id, change), SHORT_MS),
    remove: (id) => call((train) => train.remove(id)),
    restore: (id) => call((train) => train.restore(id), SHORT_MS),
    exportRun: (id) => call((train) => train.exportRun(id)),
    importRun: (file) => call((train) => train.importRun(file)),
    download: (id, what) => call((train) => train.download(id, what)),
    dropRollouts: (id) => call((train) => train.dropRollouts(id)),
  };
};

/** For the debugger: the proxy that is held. */
export const heldTrainProxy = (): unknown => pinned;
