import { Wllama } from '@wllama/wllama';
import wasmUrl from '@wllama/wllama/esm/wasm/wllama.wasm?url';
import { BENCH_CONFIG, GENERATED, promptLength } from './shape.ts';

/** llama.cpp with as many slots as rollouts, continuous batching, two threads. */
export async function startWllama(gguf: Blob, rollouts: number, threads: number): Promise<Wllama> {
  const wllama = new Wllama({ 'default': wasmUrl } as never, { suppressNativeLog: false });
  await wllama.loadModel([gguf], {
    n_ctx: BENCH_CONFIG.maxPositions * rollouts,
    n_parallel: rollouts,
    n_batch: 512,
    n_threads: threads,
    n_gpu_layers: 0,
    cont_batching: true,
    warmup: true,
  });
  return wllama;
}

export async function runWllama(wllama: Wllama, rollouts: number, tokens = GENERATED) {
  const one = async (seed: number): Promise<number> => {
    const prompt = Array.from({ length: promptLength(seed) }, (_, i) =>
      String.fromCharCode(97 + ((i * 31 + seed) % 26)),
    ).join('');
    const response = await wllama.createCompletion({
      prompt,
      max_tokens: tokens,
      temperature: 1,
      top_k: 0,
      top_p: 1,
      min_p: 0,
      seed,
      ignore_eos: true,
      cache_prompt: false,
    } as never) as unknown as { usage: { completion_tokens: number; prompt_tokens: number } };
    if (response.usage.prompt_tokens < promptLength(seed)) console.log('prompt', response.usage.prompt_tokens);
    return response.usage.completion_tokens;
  };
  const start = performance.now();
  const counts = await Promise.all(Array.from({ length: rollouts }, (_, i) => one(i + 1)));
  const seconds = (performance.now() - start) / 1000;
  return { tokensPerSecond: counts.reduce((a, b) => a + b, 0) / seconds, seconds };
}
