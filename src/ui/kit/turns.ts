import { useEffect, useState } from 'react';

/**
 * Runs heavy drawing one piece per frame: a new step changes every chart, and drawing all in one task
 * would block a click. First come, first served.
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

/**
 * Runs `draw` in its own frame.
 * @returns cancels it if it has not run
 */
export const takeTurn = (draw: () => void): (() => void) => {
  waiting.add(draw);
  if (!running) {
    running = true;
    requestAnimationFrame(next);
  }
  return () => void waiting.delete(draw);
};

/** The newest value whose turn has come; newer values replace waiting ones. */
export const useTurn = <T>(value: T): T => {
  const [shown, setShown] = useState(() => value);
  useEffect(
    () => (value === shown ? undefined : takeTurn(() => setShown(() => value))),
    [value, shown],
  );
  return shown;
};
