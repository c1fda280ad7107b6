import { proxy } from 'comlink';
import { describeFailure } from '../../runs/conductor/failures.ts';
import type { ConductorMessage, LabApi } from '../../runs/conductor/messages.ts';
import { supervise } from '../../runs/conductor/supervised.ts';
import { useLab } from './lab-store.ts';
import type { LabOpener } from './connection.ts';
import { failRun } from './actions.ts';
import { remoteInspection } from './remote-inspection.ts';
import { remoteTrain } from './remote-train.ts';
import { isRunning, useRun } from './run-store.ts';

/** Comlink's proxies are kept: one that is collected goes silent. */
let pinned: unknown = null;

const fail = (error: unknown): void => {
  useLab.setState({ labFailure: describeFailure(error) });
  if (isRunning(useRun.getState().run)) failRun(error);
};

/** Starts the lab worker, which starts the others. */
export const openLab: LabOpener = (receive, device) => {
  const worker = supervise<LabApi>({
    name: 'lab',
    create: (name) =>
      new Worker(new URL('../../../workers/lab.ts', import.meta.url), { type: 'module', name }),
    locks: navigator.locks,
    onLost: fail,
  });
  const listener = proxy((messages: ConductorMessage[]) => receive(messages));
  pinned = listener;
  worker.call((api) => api.start(listener, device)).catch(fail);
  return {
    train: remoteTrain(worker),
    inspection: remoteInspection(),
    run: (request) => worker.call((api) => api.run(request)),
    cancel: () => worker.call((api) => api.cancel(), 10_000),
    retry: () => worker.call((api) => api.retry(), 10_000),
    question: (id) => worker.call((api) => api.question(id)),
    pieces: (ids) => worker.call((api) => api.pieces(ids), 10_000),
    search: (source, query, k) => worker.call((api) => api.search(source, query, k), 60_000),
  };
};

/** For the debugger: the proxy that is held. */
export const heldProxy = (): unknown => pinned;
