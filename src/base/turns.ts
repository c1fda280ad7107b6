/** Longest stretch of work between two turns of the event loop, in milliseconds. */
const STRETCH_MS = 30;

/**
 * Gives the event loop a turn where the last one is a while ago, so that messages and aborts are
 * handled while something long is computed. @throws the signal's reason when aborted
 */
export function createTurns(signal?: AbortSignal): () => Promise<void> {
  let last = performance.now();
  return async () => {
    signal?.throwIfAborted();
    if (performance.now() - last < STRETCH_MS) return;
    await new Promise((resolve) => setTimeout(resolve, 0));
    last = performance.now();
    signal?.throwIfAborted();
  };
}
