import { describe, expect, it } from 'vitest';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { parameterCount } from '../../../src/policy/checkpoint/weights.ts';
import { fitHere, storedBytes } from '../../../src/policy/open/fit-here.ts';
import type { DeviceLimits } from '../../../src/policy/open/fit.ts';
import { PUBLISHED } from '../../../src/policy/open/published.ts';
import { QWEN25_05B } from '../../fixtures/published-configs.ts';

const GiB = 2 ** 30;
const onWasm = (memory: number): DeviceLimits => ({
  device: 'wasm',
  maxBinding: Infinity,
  maxBuffer: Infinity,
  memory,
});
const gpu: DeviceLimits = { ...onWasm(8 * GiB), device: 'webgpu' };
const soon = (): Promise<void> => Promise.resolve();
const named = (repository: string) => {
  const found = PUBLISHED.find((one) => one.repository === repository);
  if (!found) throw new Error(`no ${repository}`);
  return found.config;
};

describe('published checkpoints', () => {
  // What the hub states of each repository's safetensors.
  it.each([
    ['HuggingFaceTB/SmolLM2-135M-Instruct', 134_515_008],
    ['HuggingFaceTB/SmolLM2-360M-Instruct', 361_821_120],
    ['HuggingFaceTB/SmolLM2-1.7B-Instruct', 1_711_376_384],
    ['Qwen/Qwen2-0.5B-Instruct', 494_032_768],
    ['Qwen/Qwen2.5-1.5B-Instruct', 1_543_714_304],
    ['Qwen/Qwen2.5-3B-Instruct', 3_085_938_688],
    ['meta-llama/Llama-3.2-1B-Instruct', 1_235_814_400],
    ['meta-llama/Llama-3.2-3B-Instruct', 3_212_749_824],
    ['PeterJinGo/SearchR1-nq_hotpotqa_train-qwen2.5-7b-em-ppo', 7_615_616_512],
    ['XXsongLALA/Llama-3.1-8B-instruct-RAG-RL', 8_030_261_248],
  ])('%s has the parameters that are stated of it', (repository, parameters) => {
    expect(parameterCount(parsePolicyConfig(named(repository)))).toBe(parameters);
  });

  it('say what they take on disk where their type is told, and nothing where it is not', () => {
    // Two bytes a parameter: 269 MB.
    expect(storedBytes(named('HuggingFaceTB/SmolLM2-135M-Instruct'))).toBe(269_030_016);
    expect(storedBytes(named('XXsongLALA/Qwen-2.5-7B-base-RAG-RL'))).toBeNull();
    expect(storedBytes({ ...QWEN25_05B, torch_dtype: 'float32' })).toBe(4 * 494_032_768);
  });
});

describe('a checkpoint on this device', () => {
  /** 494,032,768 parameters: 1.98 GB in f32, 0.53 GB in int8, 0.28 GB in int4. */
  const config = QWEN25_05B;
  const fit = (memory: number, rest: object = {}, other: DeviceLimits | null = null) =>
    fitHere({ config, ...rest }, onWasm(memory), other, soon);

  it('fits as it is held by itself where there is room, and says how many contexts at a time', async () => {
    const roomy = await fit(16 * GiB);
    expect(roomy.verdict).toEqual({ kind: 'fits', type: 'f32', slots: 16 });
    expect(roomy.needs.map(({ type }) => type)).toEqual(['f32', 'f16', 'int8', 'int4']);
    // Contexts of 4,096 tokens take 96 MiB each: of 1.98 GB and 16 of them 3.6 GB.
    const tight = await fit(3 * GiB);
    expect(tight.verdict).toMatchObject({ kind: 'fits', type: 'f32' });
    expect(tight.verdict.kind === 'fits' && tight.verdict.slots).toBeLessThan(16);
  });

  it('fits in smaller weights where only these have room, unless others were chosen', async () => {
    expect((await fit(1 * GiB)).verdict).toMatchObject({ kind: 'fits', type: 'int8' });
    const chosen = await fit(1 * GiB, { weights: 'f32' });
    expect(chosen.held).toBe('f32');
    expect(chosen.verdict).toMatchObject({ kind: 'no', type: 'f32', gives: GiB, elsewhere: false });
    // Four bytes a parameter and one context at least.
    const needs = chosen.verdict.kind === 'no' ? chosen.verdict.needs : 0;
    expect(needs).toBeGreaterThan(4 * 494_032_768 + 96 * 2 ** 20);
    expect(needs).toBeLessThan(3 * GiB);
  });

  it('needs the least of all types where none fits, and says whether a GPU would hold it', async () => {
    const { verdict } = await fit(0.25 * GiB);
    expect(verdict).toMatchObject({ kind: 'no', type: 'int4', elsewhere: false });
    expect((await fit(0.25 * GiB, {}, gpu)).verdict).toMatchObject({ elsewhere: true });
    const small = { ...gpu, memory: 0.25 * GiB };
    expect((await fit(0.25 * GiB, {}, small)).verdict).toMatchObject({ elsewhere: false });
  });

  it('says why where an array is larger than a GPU binds, though there is memory', async () => {
    const bound = { ...gpu, maxBinding: 2 ** 22, maxBuffer: 2 ** 22 };
    const { verdict } = await fitHere({ config }, bound, null, soon);
    expect(verdict).toMatchObject({ kind: 'no', gives: 8 * GiB });
    expect(verdict.kind === 'no' && verdict.why).toMatch(/its largest array .* in one$/);
  });

  it('names what cannot be computed', async () => {
    const other = { ...config, model_type: 'gemma2' };
    await expect(fitHere({ config: other }, onWasm(GiB), null, soon)).rejects.toThrow(/gemma2/);
  });
});
