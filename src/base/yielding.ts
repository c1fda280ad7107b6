/**
 * Lets timers, messages and aborts be handled between two steps. `setTimeout` would wait 4 ms in
 * browsers; `setImmediate` (Node) and a message to oneself (browsers) come at once.
 */
export function createYield(): () => Promise<void> {
  if (typeof setImmediate === 'function')
    return () => new Promise((resolve) => void setImmediate(resolve));
  const channel = new MessageChannel();
  const waiting: (() => void)[] = [];
  channel.port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      channel.port2.postMessage(null);
    });
}
