import { afterEach, expect, it } from 'vitest';
import { CountedEngine } from '../../../bench/gpu-counts/count.ts';
import { SHAPES } from '../../../bench/gpu-counts/shapes.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { LORA_TARGETS } from '../../../src/policy/lora/spec.ts';
import { stepTrial } from '../../../src/policy/measure/trials.ts';
import { planFit } from '../../../src/policy/open/fit.ts';
import { engineOptions } from '../../../src/policy/open/loaded-policy.ts';
import type { MatrixType, StoreType } from '../../../src/policy/ops/values.ts';
import { ALL_TESTS } from '../../slow/slow.ts';

const GIB = 2 ** 30;
const LIMITS = {
  device: 'webgpu',
  maxBinding: 4 * GIB,
  maxBuffer: 4 * GIB,
  memory: 64 * GIB,
} as const;
const ADAPTER = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };

let engine: CountedEngine | null = null;
afterEach(() => engine?.close());

/** Bytes that a device has once `slots` contexts were sampled, and the most once a step was taken as well. */
async function held(o: {
  shape: keyof typeof SHAPES;
  type: MatrixType;
  keys: StoreType;
  slots: number;
  context: number;
  tokens: number;
  length: number;
}) {
  const config = parsePolicyConfig({ ...SHAPES[o.shape] }, 4096);
  engine = await CountedEngine.start(config, o.type);
  const { counter } = engine.gpu;
  const { keys } = o;
  const sampler = new GenerationEngine(
    engine.decoder.view(),
    engineOptions('webgpu', o.slots, keys),
  );
  const sampling = { temperature: 1, topK: 20, topP: 0.9 };
  await Promise.all(
    Array.from({ length: o.slots }, async (_, seed) => {
      const session = sampler.open(seed);
      session.append(Array.from({ length: o.context - 64 }, () => 1));
      // What is read back is zeros, of which nothing is finite: each ends with its first token.
      await session.generate({ maxTokens: 1, stopIds: [], sampling }).catch(() => null);
    }),
  );
  const sampled = counter.liveBytes;
  const growing = counter.counts.peakBytes;
  counter.restart();
  const step = await stepTrial(engine.decoder, ADAPTER, o.tokens, o.length, keys);
  await step.run();
  const trained = counter.counts.peakBytes;
  step.free();
  const plan = planFit({
    config,
    type: o.type,
    keys,
    slots: o.slots,
    context: o.context,
    train: { adapter: ADAPTER, limits: { maxTokens: o.tokens, maxLength: o.length } },
    limits: LIMITS,
  });
  return { plan, layers: config.layers, sampled, growing, trained };
}

/** Of the first three a quick run takes the last: two shapes, two ways of keeping keys, few contexts and many. */
const CASES = [
  {
    shape: 'qwen2-0.5b',
    type: 'int4',
    keys: 'f32',
    slots: 16,
    context: 1024,
    tokens: 2048,
    length: 512,
  },
  {
    shape: 'qwen2-0.5b',
    type: 'f32',
    keys: 'f32',
    slots: 64,
    context: 300,
    tokens: 4096,
    length: 256,
  },
  {
    shape: 'qwen2-0.5b',
    type: 'f16',
    keys: 'f32',
    slots: 1,
    context: 512,
    tokens: 1024,
    length: 1024,
  },
  {
    shape: 'qwen2-1.5b',
    type: 'int8',
    keys: 'f32',
    slots: 8,
    context: 2048,
    tokens: 512,
    length: 512,
  },
  {
    shape: 'qwen2-0.5b',
    type: 'int4',
    keys: 'f16',
    slots: 16,
    context: 4096,
    tokens: 2048,
    length: 512,
  },
] as const;

it.each(ALL_TESTS ? CASES : CASES.slice(2))(
  'what fits is planned within 15 %: $shape $type, $slots × $context in $keys, $tokens tokens',
  async (one) => {
    const { plan, layers, sampled, growing, trained } = await held(one);
    const { weightBytes, contextBytes, sampleBytes, totalBytes } = plan;
    const sampling = weightBytes + contextBytes + sampleBytes;
    expect(Math.abs(sampled / sampling - 1)).toBeLessThan(0.15);
    // Contexts that grow are held twice in one layer at a time.
    expect(growing).toBeLessThan(sampled + (1.25 * contextBytes) / layers);
    expect(Math.abs(trained / totalBytes - 1)).toBeLessThan(0.15);
    // Beside the weights as well, which are most of some.
    expect(Math.abs((trained - weightBytes) / (totalBytes - weightBytes) - 1)).toBeLessThan(0.15);
  },
  120_000,
);
