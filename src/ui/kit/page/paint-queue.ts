/**
 * Drawings wait for a frame and share it: what does not fit into the budget waits for the next, so
 * that sixteen strips never hold up a frame together. A later drawing of one key replaces an earlier.
 */
export interface PaintQueue {
  add(key: object, paint: () => void): void;
  drop(key: object): void;
}

/** Half of a frame at 60 a second: the other half is the browser’s. */
const BUDGET_MS = 8;

/**
 * @param schedule calls back in the next frame
 * @param now milliseconds of a steady clock
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
      // Kept in its place in the line, so that no strip starves.
      waiting.set(key, paint);
      request();
    },
    drop: (key) => void waiting.delete(key),
  };
};
