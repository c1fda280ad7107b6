import { openWebLlm } from '../../../src/policy/webllm/start.ts';
const worker = new Worker(new URL('../../../workers/webllm.ts', import.meta.url), {
  type: 'module',
});
const log = (x: unknown) => {
  console.log(JSON.stringify(x));
};
const base = location.origin + '/model/';
try {
  const t = performance.now();
  const backend = await openWebLlm({
    id: 'random',
    worker,
    custom: [{ id: 'random', weights: base, library: base + 'library.wasm', maxContext: 1024 }],
    onProgress: (p) => log(p),
  });
  log({ loaded: performance.now() - t });
  const t2 = performance.now();
  for await (const c of backend.stream({
    prefix: '',
    messages: [{ role: 'user', content: 'Where is it?' }],
    maxTokens: 8,
    temperature: 1,
    topK: 0,
    topP: 1,
    stop: [],
    seed: 3,
    signal: new AbortController().signal,
  }))
    log({ c, t: performance.now() - t2 });
} catch (e) {
  log({ error: String(e) });
}
const out = document.createElement('output');
out.textContent = 'done';
document.body.append(out);
