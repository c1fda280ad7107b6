import { useEffect, useState } from 'react';

/**
 * Heavy drawing, one piece a frame: when a step arrives every chart on the screen has something new,
 * and all of them in one task would hold up a click. The order is that of asking.
 */

const waiting = new Set<() => void>();
let running = false;

const next = (): void => {
  const [first] = waiting;
  if (!first) {
    running = false;
    return;
  }
  waiting.delete(first);
  requestAnimationFrame(next);
  first();
};

/** Does `draw` in a frame of its own. @returns takes it back, where it has not been done */
export const takeTurn = (draw: () => void): (() => void) => {
  waiting.add(draw);
  if (!running) {
    running = true;
    requestAnimationFrame(next);
  }
  return () => void waiting.delete(draw);
};

/** The newest value whose turn has come; what is newer replaces what still waits. */
export const useTurn = <T>(value: T): T => {
  const [shown, setShown] = useState(() => value);
  useEffect(
    () => (value === shown ? undefined : takeTurn(() => setShown(() => value))),
    [value, shown],
  );
  return shown;
};
