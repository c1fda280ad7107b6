import { WorkerLost } from '../contract/failures.ts';
import { newLife, watchLife, type Locks, type WorkerLike } from './life.ts';
import { Connection, remoteOver, type Remote, type TimeLimits } from './remote.ts';

/** Workers whose host is called as an object, and whose death rejects every call. */

export interface WorkerOptions<T> {
  /** In the words of the user: "policy", "retrieval", "lab". */
  name: string;
  /** Starts the worker; it must `serve` its host under this life name. */
  create: (life: string) => WorkerLike;
  locks: Locks;
  /** Called once, when the worker ended without being asked to. */
  onLost: (error: WorkerLost) => void;
  /** Longest time until the worker is alive, ms. */
  startMs?: number;
  limits?: TimeLimits<T>;
}

export interface StartedWorker<T> {
  /** Calls reject with what the host throws, or with `WorkerLost` when the worker is gone. */
  api: Remote<T>;
  /** Ends the worker on purpose: calls under way reject, `onLost` is not called. */
  terminate: () => void;
}

const limitOf = (limits: unknown, path: readonly string[]): number | undefined => {
  const limit = path.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? Reflect.get(at, key) : undefined),
    limits,
  );
  return typeof limit === 'number' ? limit : undefined;
};

interface RunningWorker {
  connection: Connection;
  terminate: () => void;
}

function run<T>(options: WorkerOptions<T>): RunningWorker {
  const { name, locks, startMs, onLost } = options;
  const life = newLife(name);
  const worker = options.create(life);
  const end = (error: Error): boolean => {
    if (!connection.end(error)) return false;
    stopWaiting();
    worker.terminate();
    return true;
  };
  const lose = (reason: string): void => {
    const error = new WorkerLost(name, reason);
    if (end(error)) onLost(error);
  };
  // Before the connection listens: it must not see the life sign.
  const stopWaiting = watchLife(worker, { life, locks, startMs }, lose);
  const connection = new Connection(worker, name);
  worker.addEventListener('error', (event) => {
    // Unhandled, it would continue to the owner of this thread, who would take us for lost.
    event.preventDefault();
    const message = 'message' in event && typeof event.message === 'string' ? event.message : '';
    lose(message || 'its script could not be loaded');
  });
  return { connection, terminate: () => void end(new WorkerLost(name, 'it was stopped')) };
}

export function startWorker<T>(options: WorkerOptions<T>): StartedWorker<T> {
  const { connection, terminate } = run(options);
  const api = remoteOver<T>((path, args) =>
    connection.invoke(path, args, limitOf(options.limits, path)),
  );
  return { api, terminate };
}

/** A worker that starts with its first call; after it died, the next call starts another. */
export function workerOnDemand<T>(options: Omit<WorkerOptions<T>, 'onLost'>): Remote<T> {
  let current: RunningWorker | null = null;
  const start = (): RunningWorker =>
    run({
      ...options,
      onLost: () => {
        current = null;
      },
    });
  return remoteOver<T>((path, args) => {
    current ??= start();
    return current.connection.invoke(path, args, limitOf(options.limits, path));
  });
}
