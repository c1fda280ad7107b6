import { startTransition, useSyncExternalStore, useEffect, useState } from 'react';

const never = (): (() => void) => () => undefined;

/** Whether a page renders at once (server-rendered or tests) and not in parts. */
const useAtOnce = (): boolean =>
  useSyncExternalStore(
    never,
    () => false,
    () => true,
  );

/** WebKit has no `requestIdleCallback`; a task is used instead. */
const whenIdle = (work: () => void): (() => void) => {
  if (!globalThis.requestIdleCallback) {
    const timer = setTimeout(work, 50);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(work, { timeout: 1000 });
  return () => cancelIdleCallback(request);
};

/**
 * Whether to render content that is still hidden: false until the browser is idle. It is rendered
 * early, so that find-in-page works.
 */
export const useIdle = (): boolean => {
  const atOnce = useAtOnce();
  const [idle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => startTransition(() => setIdle(true))), []);
  return atOnce || idle;
};
