import { reasonOf } from '../../base/errors.ts';

/** Stages of a service worker, in order. */
type Stage = 'installed' | 'active';

/** Polling interval of a registration, ms. */
const LOOK_MS = 250;

/**
 * The stage of a worker, from itself or its registration: in WebKitGTK 2.50 the `state` of a
 * registered worker may stay at `installing`.
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
 * Waits for the worker registered last.
 * @throws Error with the message `failure` on failure; the signal's reason when aborted
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
