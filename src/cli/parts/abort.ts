import { setMaxListeners } from 'node:events';
import { say } from '../shared/command.ts';

/** Turns Ctrl-C and SIGTERM into an abort, so that finished work is kept. */
export function abortOnSignals(words: string): { signal: AbortSignal; [Symbol.dispose](): void } {
  const abort = new AbortController();
  // Every rollout of a step listens to it; Node takes more than ten for a leak.
  setMaxListeners(0, abort.signal);
  const raise = (): void => {
    if (!abort.signal.aborted) say(words);
    abort.abort();
  };
  process.on('SIGINT', raise);
  process.on('SIGTERM', raise);
  return {
    signal: abort.signal,
    [Symbol.dispose]: () => {
      process.off('SIGINT', raise);
      process.off('SIGTERM', raise);
    },
  };
}
