/**
 * Browsers may freeze a tab in the background. A timer that comes much too late is how a worker sees
 * it afterwards.
 */

const BEAT_MS = 1000;
/** A busy machine delays a beat by less. */
const FROZEN_MS = 15_000;

export function watchForFreezes(
  onFrozen: (seconds: number) => void,
  now: () => number = () => Date.now(),
): Disposable {
  let last = now();
  const timer = setInterval(() => {
    const gap = now() - last;
    last = now();
    if (gap > FROZEN_MS) onFrozen(Math.round(gap / 1000));
  }, BEAT_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
