import { WebWorkerMLCEngineHandler } from '@mlc-ai/web-llm';
import { watchGpuDevices } from '../src/policy/remote/webllm/gpu-loss.ts';
import { announce } from '../src/lab/rpc/life.ts';

/** WebLLM's own worker: the library's engine after its own messages. */

/** While a model loads, the library says in its own words that the device was lost; those come first. */
const LATER_MS = 1000;

// The library logs a lost device, and what waits for the device waits for ever.
watchGpuDevices((reason) =>
  setTimeout(() => reportError(new Error(`the GPU device was lost (${reason})`)), LATER_MS),
);

const handler = new WebWorkerMLCEngineHandler();
self.addEventListener('message', (event) => handler.onmessage(event));
announce(self.name, navigator.locks, self, (sign) => postMessage(sign));
