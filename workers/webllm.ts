import { watchGpuDevices } from '../src/policy/remote/webllm/gpu-loss.ts';
import { loadWebLlm } from '../src/policy/remote/webllm/library.ts';
import { announce } from '../src/lab/rpc/life.ts';

/** WebLLM's own worker: the library's engine, reached by its own messages. */

/** While a model loads, the library says in its own words that the device was lost; those come first. */
const LATER_MS = 1000;

// The library logs a lost device, and what waits for the device waits for ever.
watchGpuDevices((reason) =>
  setTimeout(() => reportError(new Error(`the GPU device was lost (${reason})`)), LATER_MS),
);

const handler = loadWebLlm().then(
  ({ WebWorkerMLCEngineHandler }) => new WebWorkerMLCEngineHandler(),
);
// Messages wait for the library, in order; what fails ends the worker's engine as an error of the worker does.
self.addEventListener('message', (event) => {
  handler.then((engine) => engine.onmessage(event)).catch(reportError);
});
announce(self.name, navigator.locks, self, (sign) => postMessage(sign));
