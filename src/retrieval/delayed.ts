import { sleep } from '../base/sleep.ts';
import type { Retriever } from './retriever.ts';

/** The retriever with milliseconds added to each call that asks the web, reported as added. */
export function withWebDelay(retriever: Retriever, delayMs: number): Retriever {
  if (delayMs <= 0) return retriever;
  const by = retriever.by?.bind(retriever);
  const join = retriever.join?.bind(retriever);
  return {
    ...(by && { by: (method) => withWebDelay(by(method), delayMs) }),
    ...(join && {
      join: () => {
        const { retriever: own, leave } = join();
        return { retriever: withWebDelay(own, delayMs), leave };
      },
    }),
    async search(source, query, k, signal) {
      if (source === 'local') return retriever.search(source, query, k, signal);
      const start = performance.now();
      await sleep(delayMs, signal);
      const waited = performance.now() - start;
      const found = await retriever.search(source, query, k, signal);
      return {
        ...found,
        latencyMs: found.latencyMs + waited,
        addedDelayMs: found.addedDelayMs + delayMs,
      };
    },
  };
}
