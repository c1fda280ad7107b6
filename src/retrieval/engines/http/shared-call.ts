import { reasonOf } from '../../../base/errors.ts';

/**
 * Equal calls that are under way at the same time are one: the rollouts of a group often ask the same.
 * The work is aborted once everybody who waited for it has gone.
 */
export class SharedCalls<T> {
  readonly #calls = new Map<
    string,
    { result: Promise<T>; waiting: number; controller: AbortController }
  >();

  /** @returns the result, and whether another caller's work was joined; @throws the signal's reason */
  async run(
    key: string,
    work: (signal: AbortSignal) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<{ value: T; joined: boolean }> {
    signal?.throwIfAborted();
    const joined = this.#calls.get(key);
    const call = joined ?? this.#start(key, work);
    call.waiting += 1;
    try {
      const value = await Promise.race([call.result, ...(signal ? [rejection(signal)] : [])]);
      return { value, joined: joined !== undefined };
    } finally {
      call.waiting -= 1;
      if (call.waiting === 0) {
        if (this.#calls.get(key) === call) this.#calls.delete(key);
        call.controller.abort();
      }
    }
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>) {
    const controller = new AbortController();
    const call = { result: work(controller.signal), waiting: 0, controller };
    // Waiting callers get the error; a call without waiting callers may fail silently.
    call.result.catch(() => undefined);
    this.#calls.set(key, call);
    return call;
  }
}

const rejection = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(reasonOf(signal)), { once: true });
  });
