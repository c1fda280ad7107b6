import { CreateMLCEngine, type MLCEngine } from '@mlc-ai/web-llm';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { decodeTrial } from '../../src/policy/measure/trials.ts';
import type { Decoder } from '../../src/policy/model/decoder.ts';
import { createWebGpuOps } from '../../src/policy/webgpu/ops.ts';
import { SHAPES } from '../gpu-counts/shapes.ts';
import { unfilledDecoder } from '../gpu-counts/unfilled.ts';

/** The two engines in a page, on one device, one after the other. */

let webLlm: MLCEngine | null = null;
let ours: Decoder | null = null;

export interface Asked {
  /** Tokens of the prompt, and those that were written. */
  readonly prompt: number;
  readonly tokens: number;
}

const bench = {
  /** Opens the model whose folder is served beside this page. */
  async startWebLlm(): Promise<void> {
    const folder = new URL('model/', location.href).href;
    webLlm = await CreateMLCEngine('model', {
      appConfig: {
        model_list: [
          // The library adds `resolve/main/` where an address lacks it; in the fragment it is content.
          {
            model: `${folder}#/resolve/main/`,
            model_id: 'model',
            model_lib: `${folder}library.wasm`,
            overrides: { context_window_size: 1024 },
          },
        ],
      },
    });
  },

  /** Reads a short prompt and writes `tokens` tokens after it. */
  async askWebLlm(tokens: number): Promise<Asked> {
    if (!webLlm) throw new Error('WebLLM was not started');
    await webLlm.resetChat();
    const { usage } = await webLlm.chat.completions.create({
      messages: [{ role: 'user', content: 'Where is Oslo?' }],
      max_tokens: tokens,
      temperature: 1,
      top_p: 1,
      seed: 1,
      ignore_eos: true,
    });
    if (!usage) throw new Error('WebLLM told no usage');
    return { prompt: usage.prompt_tokens, tokens: usage.completion_tokens };
  },

  /** Matrices hold zeros, which take as long as any other numbers. */
  async startOurs(): Promise<void> {
    const config = parsePolicyConfig({ ...SHAPES['qwen2-0.5b'] }, 1024);
    ours = unfilledDecoder(await createWebGpuOps(), config, 'int4');
  },

  /** Decode steps of `slots` contexts, behind one that compiles kernels. */
  async decode(slots: number, context: number, steps: number): Promise<void> {
    if (!ours) throw new Error('the engine was not started');
    const trial = decodeTrial(ours, slots, context);
    try {
      for (let step = 0; step < steps; step++) await trial.run();
    } finally {
      trial.free();
    }
  },
};

export type Bench = typeof bench;
Object.assign(globalThis, { bench });
