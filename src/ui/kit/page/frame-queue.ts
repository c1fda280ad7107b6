/**
 * Batches messages per animation frame, so that a burst renders once. A hidden tab has no frames and
 * uses a timer.
 */
export const createFrameQueue = <T>(flushTo: (messages: T[]) => void) => {
  let queue: T[] = [];
  let scheduled = false;
  const flush = () => {
    scheduled = false;
    const messages = queue;
    queue = [];
    flushTo(messages);
  };
  return (messages: readonly T[]): void => {
    queue.push(...messages);
    if (scheduled) return;
    scheduled = true;
    if (document.visibilityState === 'visible') requestAnimationFrame(flush);
    else setTimeout(flush, 100);
  };
};
