import { WebWorkerMLCEngineHandler } from '@mlc-ai/web-llm';

/** WebLLM's own worker: the library's engine behind its own messages. */

const handler = new WebWorkerMLCEngineHandler();
self.addEventListener('message', (event) => handler.onmessage(event));
