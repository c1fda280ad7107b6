/**
 * Drawings share a frame within a time budget; the rest wait for the next, so that many strips never
 * block a frame. A later drawing with the same key replaces an earlier one.
 */
export interface PaintQueue {
  add(key: object, paint: () => void): void;
  drop(key: object): void;
}

/** Half of a frame at 60 Hz; the browser needs the other half. */
const BUDGET_MS = 8;

/**
 * @param schedule calls back in the next frame
 * @param now milliseconds of a monotonic clock
 */
export const createPaintQueue = (
  schedule: (run: () => void) => unknown,
  now: () => number,
): PaintQueue => {
  const waiting = new Map<object, () => void>();
  let scheduled = false;
  const request = () => {
    if (scheduled || waiting.size === 0) return;
    scheduled = true;
    schedule(run);
  };
  const run = () => {
    scheduled = false;
    const end = now() + BUDGET_MS;
    for (const [key, paint] of waiting) {
      waiting.delete(key);
      paint();
      if (now() >= end) break;
    }
    request();
  };
  return {
    add(key, paint) {
      // Keeps its position in the queue, so that no strip starves.
      waiting.set(key, paint);
      request();
    },
    drop: (key) => void waiting.delete(key),
  };
};
