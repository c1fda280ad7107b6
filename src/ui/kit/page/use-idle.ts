import { startTransition, useSyncExternalStore, useEffect, useState } from 'react';

const never = (): (() => void) => () => undefined;

/** Whether a page is drawn at once, as one that is written as text is, and not bit by bit. */
const useAtOnce = (): boolean =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  );

/** WebKit has no `requestIdleCallback`; there the next task has to do. */
const whenIdle = (work: () => void): (() => void) => {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(request);
};

/**
 * Whether what nobody sees yet is to be drawn: false until the browser has nothing else to do. It is drawn before it
 * is asked for, so that a search of the page finds it.
 */
export const useIdle = (): boolean => {
  const atOnce = useAtOnce();
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), []);
  return atOnce || idle;
};
