/**
 * A decoder of half a billion random parameters (the shape of Qwen2.5-0.5B): what it needs by plan, and
 * loading, generating in batch and one LoRA step as they are measured.
 *
 *   npx tsx bench/engine/half-billion.ts --device webgpu [--layers 24] [--slots 16] [--tokens 64]
 *     [--prompt 256] [--train 2048] [--plan [--weights f16]]
 *
 * Its weights are stored in bf16: a GPU that reads halves holds them in f16 unless told otherwise.
 * WebGPU in Node is Dawn; VK_ICD_FILENAMES chooses its driver. `--plan` prints the plan alone,
 * for weights in f32 unless told otherwise.
 */
import { parseArgs } from 'node:util';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { openCheckpoint } from '../../src/policy/checkpoint/checkpoint.ts';
import { planFit } from '../../src/policy/open/fit.ts';
import { prepareNode, prepareNodeWebGpu } from '../../src/policy/jax/jax-node.ts';
import { initAdapter } from '../../src/policy/lora/init.ts';
import { LORA_TARGETS } from '../../src/policy/lora/spec.ts';
import { packBatch } from '../../src/policy/lora/train-batch.ts';
import { hasShaderF16, weightTypeFor } from '../../src/policy/checkpoint/weight-type.ts';
import { randomCheckpoint } from './random-checkpoint.ts';

const { values } = parseArgs({
  options: {
    device: { type: 'string', default: 'webgpu' },
    layers: { type: 'string', default: '24' },
    slots: { type: 'string', default: '16' },
    tokens: { type: 'string', default: '64' },
    prompt: { type: 'string', default: '256' },
    train: { type: 'string', default: '2048' },
    weights: { type: 'string' },
    plan: { type: 'boolean', default: false },
  },
});
const count = (name: 'layers' | 'slots' | 'tokens' | 'prompt' | 'train'): number =>
  Number(values[name]);
const device = values.device === 'wasm' ? 'wasm' : 'webgpu';
const context = 1024;
const json = {
  model_type: 'qwen2',
  vocab_size: 151_936,
  hidden_size: 896,
  num_hidden_layers: count('layers'),
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  max_position_embeddings: 32_768,
  rope_theta: 1_000_000,
  tie_word_embeddings: true,
};
const adapter = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };
const config = parsePolicyConfig(json, context);
prepareNode();
if (device === 'webgpu' && !values.plan) await prepareNodeWebGpu();
const type = values.plan
  ? values.weights === 'f16'
    ? 'f16'
    : 'f32'
  : weightTypeFor('bf16', device === 'webgpu' && (await hasShaderF16()));
const plan = planFit({
  config,
  dtype: type,
  slots: count('slots'),
  context,
  train: { adapter, tokens: count('train') },
  limits: { maxBinding: Infinity, maxBuffer: Infinity, memory: Infinity },
});
const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const report = (name: string, value: string): void => console.log(`${name.padEnd(38)}${value}`);

report('parameters', plan.parameters.toLocaleString('en'));
report('weights held in', type);
report('plan: weights (sampling, training)', gib(plan.weightBytes));
report('plan: embedding on the host', gib(plan.hostBytes));
report(`plan: caches, ${values.slots} × ${context}`, gib(count('slots') * plan.cacheBytesPerSlot));
report('plan: one decoding step', gib(plan.decodeBytes));
report('plan: one LoRA step', gib(plan.trainBytes));
report('plan: largest array', `${gib(plan.largestBuffer.bytes)} (${plan.largestBuffer.name})`);
report('plan: operations a token', `${(plan.flopsPerToken / 1e9).toFixed(2)} GFLOP`);
report(
  `plan: a LoRA step, ${values.train} tokens`,
  `${(plan.flopsPerStep / 1e12).toFixed(2)} TFLOP`,
);
if (values.plan) process.exit(0);

const { defaultDevice, init } = await import('@jax-js/jax');
await init(device);
defaultDevice(device);
if (device === 'webgpu') {
  const found = await navigator.gpu.requestAdapter();
  const { vendor, architecture, description } = found!.info;
  report('adapter', `${vendor} ${architecture} ${description}`);
  report('its largest binding', gib(found!.limits.maxStorageBufferBindingSize));
}
const { uploadFrom } = await import('../../src/policy/engine/device-weights.ts');
const { GenerationEngine } = await import('../../src/policy/engine/engine.ts');
const { createLoraTrainer } = await import('../../src/policy/open/create.ts');

const timed = async <T>(run: () => Promise<T>): Promise<[T, seconds: number]> => {
  const start = performance.now();
  return [await run(), (performance.now() - start) / 1000];
};
const memory = (): string => gib(process.memoryUsage().rss);

const source = await openCheckpoint(randomCheckpoint(json), context);
const [weights, loading] = await timed(() => uploadFrom(source, { type }));
report('loaded', `${loading.toFixed(1)} s, process ${memory()}`);
const engine = new GenerationEngine(weights, { maxSlots: count('slots'), sync: device === 'wasm' });

async function generate(maxTokens: number): Promise<number> {
  const sessions = Array.from({ length: count('slots') }, (_, seed) => engine.open(seed));
  const all = await Promise.all(
    sessions.map((session, s) => {
      session.append(Array.from({ length: count('prompt') }, (_, i) => (7919 * (i + s)) % 150_000));
      const sampling = { temperature: 1, topK: 0, topP: 1 };
      return session.generate({ maxTokens, stopIds: [], sampling });
    }),
  );
  for (const session of sessions) session.close();
  const finite = all.every(({ logprobs }) => logprobs.every((value) => Number.isFinite(value)));
  if (!finite) throw new Error('a log-probability is not finite');
  return all.reduce((sum, { ids }) => sum + ids.length, 0);
}
const [, compiling] = await timed(() => generate(4));
report('first batch, kernels compiled', `${compiling.toFixed(1)} s`);
const [, reading] = await timed(() => generate(1));
const [sampled, generating] = await timed(() => generate(count('tokens')));
const read = count('slots') * count('prompt');
report('prefill', `${(read / reading).toFixed(0)} tokens/s (${read} in ${reading.toFixed(2)} s)`);
const decoding = generating - reading;
const rate = (sampled - count('slots')) / decoding;
report(
  'decode',
  // Few tokens take less than the time of reading varies.
  decoding > 0 ? `${rate.toFixed(1)} tokens/s, ${values.slots} together` : 'too few to tell',
);
engine.dispose();

const limits = { maxTokens: count('train'), maxLength: context };
const [{ trainer, kernels, fallback }, creating] = await timed(() =>
  createLoraTrainer(source, adapter, limits, device),
);
report('trainer', `${kernels}${fallback ? ` (${fallback})` : ''}, ${creating.toFixed(1)} s`);
await trainer.setAdapter(initAdapter(config, adapter, 1));
const length = Math.min(512, count('train'));
const sequences = Array.from({ length: Math.floor(count('train') / length) }, (_, s) => {
  const ids = Array.from({ length }, (__, i) => (104_729 * (i + 31 * s)) % 150_000);
  return { ids, weights: ids.map((__, i) => (i < length / 2 ? 0 : 1)) };
});
const batch = packBatch(sequences);
const step = () => trainer.accumulate(batch, ({ logprobs }) => logprobs.map(() => 1));
const [, firstStep] = await timed(step);
report('first LoRA step, kernels compiled', `${firstStep.toFixed(1)} s`);
const [, seconds] = await timed(step);
const gradient = await trainer.gradients();
if (!gradient.every((value) => Number.isFinite(value))) throw new Error('a gradient is not finite');
report('LoRA step', `${seconds.toFixed(2)} s, ${(batch.ids.length / seconds).toFixed(0)} tokens/s`);
report('trainer holds', `${gib(trainer.bytes)}, process ${memory()}`);
process.exit(0);
