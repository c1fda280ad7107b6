import type { MessagePort } from 'node:worker_threads';
import type { Channel } from '../../policy/serving/messages.ts';

/** A Node message port as the channel that browsers' ports are. */
export function portChannel<In, Out>(port: MessagePort): Channel<In, Out> {
  const handlers = new Map<unknown, (data: In) => void>();
  return {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- no window
    postMessage: (message) => port.postMessage(message),
    addEventListener: (_type, listener) => {
      const handler = (data: In): void => listener(new MessageEvent('message', { data }));
      handlers.set(listener, handler);
      port.on('message', handler);
    },
    removeEventListener: (_type, listener) => {
      const handler = handlers.get(listener);
      if (handler) port.off('message', handler);
    },
    start: () => port.start(),
  };
}
