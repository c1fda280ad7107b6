import { reasonOf } from '../../base/errors.ts';

/** How far a service worker has come; a later one includes those before. */
type Stage = 'installed' | 'active';

/** A registration tells of its workers without an event, ms. */
const LOOK_MS = 250;

/**
 * Where a worker stands, by itself or by its registration: WebKitGTK 2.50 may tell a page nothing of a worker that it
 * registered, whose `state` then stays at `installing`.
 */
const stageOf = (
  { installing, waiting, active }: ServiceWorkerRegistration,
  worker: ServiceWorker,
): Stage | 'installing' | 'gone' => {
  if (worker.state === 'redundant') return 'gone';
  if (worker.state === 'activated' || active === worker) return 'active';
  if (worker.state === 'installed' || worker.state === 'activating' || waiting === worker)
    return 'installed';
  return installing === worker ? 'installing' : 'gone';
};

/**
 * Waits for the worker that was registered last.
 * @throws Error in `failure`'s words where it is given up; the signal's reason when aborted
 */
export const reaches = (
  registration: ServiceWorkerRegistration,
  stage: Stage,
  failure: string,
  signal?: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = registration.installing ?? registration.waiting ?? registration.active;
    if (!worker) return resolve();
    const look = (): void => {
      const at = stageOf(registration, worker);
      const waits = at === 'installing' || (at === 'installed' && stage === 'active');
      if (waits && signal?.aborted !== true) return;
      clearInterval(timer);
      worker.removeEventListener('statechange', look);
      if (waits) reject(reasonOf(signal));
      else if (at === 'gone') reject(new Error(failure));
      else resolve();
    };
    const timer = setInterval(look, LOOK_MS);
    worker.addEventListener('statechange', look);
    look();
  });
