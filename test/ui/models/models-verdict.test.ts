import { describe, expect, it } from 'vitest';
import { modelsVerdict, type ModelNow } from '../../../src/ui/models/models-verdict.ts';

const BUILT_IN: ModelNow = {
  kind: 'built-in',
  name: 'built-in',
  status: 'ready',
  info: { parameters: 1_480_000, device: 'wasm', onDevice: 'f32' },
  coming: [],
};
const OWN: ModelNow = {
  ...BUILT_IN,
  kind: 'checkpoint',
  name: 'SmolLM2-135M',
  info: { parameters: 134_500_000, device: 'webgpu', onDevice: 'int8' },
};

describe('the verdict on Models', () => {
  it.each<[string, ModelNow, string]>([
    [
      'the built-in model is loaded',
      BUILT_IN,
      'clear: The built-in model (1.48 M parameters) is loaded and works here, on the CPU. Ask with it or train it. To use another model, open a model file (GGUF or folder).',
    ],
    [
      'a model of the user is loaded on the GPU',
      OWN,
      'clear: SmolLM2-135M (134.5 M parameters, int8 weights) is loaded and works here, on the GPU. Ask with it. If it answers without searching, teach it: a cold start, then RL.',
    ],
    [
      'a server answers: it is not said to run here, nor to be trainable',
      {
        ...BUILT_IN,
        kind: 'endpoint',
        name: 'qwen3 at localhost:8080',
        info: { parameters: 0, device: 'server' },
      },
      'clear: qwen3 at localhost:8080 is loaded and answers from its server. Ask with it. It cannot be trained here: for that, open a model file (GGUF or folder).',
    ],
    [
      'it is being loaded, and what the lab knows is of the model before it',
      { ...OWN, status: 'loading', info: BUILT_IN.info },
      'open: SmolLM2-135M is being loaded. It can be asked and trained when it is ready.',
    ],
    [
      'it could not be loaded',
      { ...OWN, status: 'failed', info: null },
      'warning: SmolLM2-135M could not be loaded, so no model works here now. Load it again, or use the built-in model.',
    ],
    [
      'its files have faults that change its answers',
      { ...OWN, info: { parameters: 2e9, device: 'wasm', notes: ['no chat template'] } },
      'open: SmolLM2-135M (2.00 B parameters) is loaded and works here, on the CPU, with 1 warning. Read the ⚠ under “Loaded now” before you trust its answers.',
    ],
    [
      'another is being copied',
      { ...BUILT_IN, coming: ['Qwen3-0.6B'] },
      'open: The built-in model (1.48 M parameters) is loaded and works here, on the CPU. Qwen3-0.6B is being copied; use it when its card says “Use”.',
    ],
  ])('%s', (_, now, said) => {
    const { kind, sentence, next } = modelsVerdict(now);
    expect(`${kind}: ${sentence}. ${next}`).toBe(said);
  });
});
