import { reasonOf } from '../base/errors.ts';
import type { Retriever } from './retriever.ts';

/** Where rollouts wait for each other. */
class Turn {
  #running = 0;
  #waiting: (() => void)[] = [];

  join(): void {
    this.#running += 1;
  }

  leave(): void {
    this.#running -= 1;
    this.#letGo();
  }

  #letGo(): void {
    if (this.#waiting.length < this.#running) return;
    const all = this.#waiting;
    this.#waiting = [];
    for (const go of all) go();
  }

  /** @throws the signal's reason where it fires first */
  wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const stop = (): void => {
        this.#waiting = this.#waiting.filter((one) => one !== go);
        reject(reasonOf(signal));
      };
      const go = (): void => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      signal?.addEventListener('abort', stop, { once: true });
      this.#waiting.push(go);
      this.#letGo();
    });
  }
}

const waiting = (retriever: Retriever, turn: Turn): Retriever => {
  const by = retriever.by?.bind(retriever);
  return {
    ...(by && { by: (method) => waiting(by(method), turn) }),
    async search(source, query, k, signal) {
      await turn.wait(signal);
      return retriever.search(source, query, k, signal);
    },
  };
};

/**
 * Rollouts in lock step, as trainers with one synchronous call of the sampler a turn run them: a search is answered when
 * every rollout that has joined and not left wants one. Only how long they take depends on it; what VerlTool
 * (arXiv 2509.01055) compares its own pace with.
 */
export function inLockStep(retriever: Retriever): Retriever {
  const turn = new Turn();
  return {
    search: (...asked) => retriever.search(...asked),
    join() {
      turn.join();
      const joined = retriever.join?.();
      return {
        retriever: waiting(joined?.retriever ?? retriever, turn),
        leave() {
          turn.leave();
          joined?.leave();
        },
      };
    },
  };
}
