import { Wllama, type RawCompletionParams } from '@wllama/wllama';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import { BENCH_CONFIG, promptLength } from './shape.ts';

/** llama.cpp with as many slots as rollouts and continuous batching. */
export async function startWllama(gguf: Blob, rollouts: number, threads: number): Promise<Wllama> {
  const wllama = new Wllama({ default: wasmUrl }, { suppressNativeLog: true });
  await wllama.loadModel([gguf], {
    n_ctx: BENCH_CONFIG.maxPositions * rollouts,
    n_parallel: rollouts,
    n_batch: 512,
    n_threads: threads,
    n_gpu_layers: 0,
    cont_batching: true,
  });
  return wllama;
}

async function rollout(wllama: Wllama, seed: number, tokens: number): Promise<number> {
  const letters = Array.from({ length: promptLength(seed) }, (_, i) =>
    String.fromCharCode(97 + ((i * 31 + seed) % 26)),
  );
  // Options of llama-server that wllama passes on without naming them in its types.
  const untyped = { ignore_eos: true, cache_prompt: false };
  const options: RawCompletionParams & { stream: false } = {
    prompt: letters.join(''),
    max_tokens: tokens,
    temperature: 1,
    top_k: 0,
    top_p: 1,
    min_p: 0,
    seed,
    stream: false,
    ...untyped,
  };
  const { usage } = await wllama.createCompletion(options);
  if (usage.prompt_tokens < letters.length) throw new Error('bench: the prompt was shortened');
  return usage.completion_tokens;
}

/** All rollouts at once, not streamed: the fewest messages. Returns the number of tokens. */
export async function runWllama(wllama: Wllama, rollouts: number, tokens: number): Promise<number> {
  const seeds = Array.from({ length: rollouts }, (_, i) => i + 1);
  const counts = await Promise.all(seeds.map((seed) => rollout(wllama, seed, tokens)));
  return counts.reduce((a, b) => a + b, 0);
}
