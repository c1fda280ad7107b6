import type { LabApi } from '../../lab/contract/lab.ts';
import type { RolloutsApi } from '../../lab/contract/rollouts.ts';
import type { TimeLimits } from '../../lab/rpc/remote.ts';
import { startWorker, workerOnDemand } from '../../lab/rpc/worker.ts';
import { reportLost, type LabOpener } from './connection.ts';

/** Timeout for calls that only read or write a record, ms. */
const RECORD_MS = 30_000;

const LAB_LIMITS: TimeLimits<LabApi> = {
  ask: { cancel: 10_000, retry: 10_000, pieces: 10_000, search: 60_000, webLlmModels: 60_000 },
  train: {
    listen: RECORD_MS,
    runs: RECORD_MS,
    steps: RECORD_MS,
    rollouts: RECORD_MS,
    pause: RECORD_MS,
    setLearningRate: RECORD_MS,
    edit: RECORD_MS,
    restore: RECORD_MS,
  },
  collections: {
    list: RECORD_MS,
    dismissImport: RECORD_MS,
    cancel: RECORD_MS,
    rename: RECORD_MS,
    remove: RECORD_MS,
    restore: RECORD_MS,
    items: RECORD_MS,
    question: RECORD_MS,
    rejected: RECORD_MS,
  },
  evaluations: {
    list: RECORD_MS,
    rename: RECORD_MS,
    remove: RECORD_MS,
    restore: RECORD_MS,
    runs: RECORD_MS,
    customs: RECORD_MS,
    saveCustom: RECORD_MS,
    removeCustom: RECORD_MS,
  },
};

const INSPECTION_LIMITS: TimeLimits<RolloutsApi> = {
  ownRuns: RECORD_MS,
  ownEvaluations: RECORD_MS,
  cancel: RECORD_MS,
  files: RECORD_MS,
  remove: RECORD_MS,
  restore: RECORD_MS,
  marks: RECORD_MS,
  mark: RECORD_MS,
  views: RECORD_MS,
  saveView: RECORD_MS,
  removeView: RECORD_MS,
};

/** A separate worker, because reading a file keeps a thread busy for seconds. */
const rollouts = workerOnDemand<RolloutsApi>({
  name: 'rollouts',
  create: (name) =>
    new Worker(new URL('../../../workers/rollouts.ts', import.meta.url), {
      type: 'module',
      name,
    }),
  locks: globalThis.navigator?.locks,
  limits: INSPECTION_LIMITS,
});

/** Starts the lab worker, which starts the others. */
export const openLab: LabOpener = (receive, device, setup) => {
  const { api } = startWorker<LabApi>({
    name: 'lab',
    create: (name) =>
      new Worker(new URL('../../../workers/lab.ts', import.meta.url), { type: 'module', name }),
    locks: navigator.locks,
    onLost: reportLost,
    limits: LAB_LIMITS,
  });
  api.ask.listen(receive).catch(reportLost);
  api.ask.start(device, setup).catch(reportLost);
  const {
    ask,
    train,
    demonstrations,
    exports,
    collections,
    checkpoints,
    clusters,
    encoders,
    evaluations,
  } = api;
  return {
    ask,
    train,
    demonstrations,
    exports,
    collections,
    checkpoints,
    clusters,
    encoders,
    evaluations,
    rollouts,
  };
};
