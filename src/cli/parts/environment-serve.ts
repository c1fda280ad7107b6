import { loadCurriculum } from '../../learn/curriculum/provided.ts';
import { messageOf } from '../../base/errors.ts';
import {
  Environment,
  refused,
  type EnvironmentParts,
} from '../../handover/environment/environment.ts';
import { say } from '../shared/command.ts';
import { serveHttp } from '../shared/http-server.ts';
import { UsageError } from '../shared/options.ts';
import type { Rollout } from '../../records/rollout.ts';
import { appendLines } from '../shared/append.ts';
import { pathFault } from '../shared/path-fault.ts';

export interface ServeOptions {
  host: string;
  port: number;
  token: string | null;
  bodyBytes: number;
  /** Rollouts open at a time. */
  most: number;
  expireSeconds: number;
  /** File that every rollout is added to. */
  rollouts: string | undefined;
}

/** Results kept for lost replies, in characters: over a thousand rollouts. */
const KEPT_CHARS = 16 * 2 ** 20;
/** Time for open calls to end when the server stops. */
const GRACE_MS = 5000;

export interface Served {
  url: string;
  /** Ends all rollouts and all calls. */
  stop(why: string): Promise<void>;
}

/** Appends the rollouts of a server to `rollouts.jsonl`, one `forage.rollout/1` per line. */
export class RolloutFile {
  readonly #path: string;
  readonly #onFault: (why: string) => void;

  /**
   * @param onFault a later write failed
   * @throws UsageError where it cannot be written
   */
  constructor(path: string, onFault: (why: string) => void) {
    this.#path = path;
    this.#onFault = onFault;
    try {
      appendLines(path, []);
    } catch (error) {
      throw pathFault(path, 'written', error);
    }
  }

  add(rollout: Rollout): void {
    try {
      appendLines(this.#path, [JSON.stringify(rollout)]);
    } catch (error) {
      this.#onFault(messageOf(error));
    }
  }
}

/**
 * Serves an environment until it is stopped.
 * @param onFault the file of rollouts cannot be written any more
 * @throws UsageError where it cannot listen or write
 */
export async function serveEnvironment(
  parts: EnvironmentParts,
  options: ServeOptions,
  onFault: (why: string) => void,
): Promise<Served> {
  const { bodyBytes, most, expireSeconds, host, port, token } = options;
  const file = options.rollouts === undefined ? null : new RolloutFile(options.rollouts, onFault);
  await loadCurriculum(parts.settings);
  const environment = new Environment(parts, {
    limits: { bodyBytes, rollouts: most, expireSeconds, keptChars: KEPT_CHARS },
    ...(file && { onRollout: (rollout) => file.add(rollout) }),
  });
  const server = await serveHttp({
    host,
    port,
    token,
    bodyBytes,
    tooLarge: 'send fewer answers at a time, or start the server with a larger --body-mib',
    refuse: refused,
    answer: (method, path, body) => environment.call(method, path, body),
  }).catch((error: unknown) => {
    throw new UsageError(
      `Cannot listen on ${host}:${port}: ${messageOf(error)}; choose another --port, or 0 for any free one.`,
    );
  });
  const sweeps = setInterval(() => environment.sweep(), Math.min(5000, 250 * expireSeconds));
  return {
    url: server.url,
    stop: async (why) => {
      clearInterval(sweeps);
      environment.stop(why);
      await server.close(GRACE_MS);
    },
  };
}

/** Resolves with the name of the signal that asks the process to end; a second one ends it at once. */
export const untilSignalled = (): Promise<string> =>
  new Promise((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const)
      process.once(name, () => {
        say(`${name}: ending the rollouts and the calls under way …`);
        resolve(name);
      });
  });
