/**
 * A decoder of half a billion random parameters (the shape of Qwen2.5-0.5B): what it needs by plan, and
 * loading, generating in batch and one LoRA step as they are measured.
 *
 *   npx tsx bench/engine/half-billion.ts --device webgpu [--layers 24] [--slots 16] [--tokens 64]
 *     [--prompt 256] [--train 2048] [--plan] [--weights int4] [--kv f16]
 *
 * Its weights are stored in bf16: a GPU holds them in f16, the CPU in f32, by default otherwise.
 * WebGPU in Node is Dawn; VK_ICD_FILENAMES chooses its driver. `--plan` prints the plan alone.
 */
import { parseArgs } from 'node:util';
import { parsePolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { openCheckpoint } from '../../src/policy/checkpoint/checkpoint.ts';
import { uploadDecoder } from '../../src/policy/model/upload.ts';
import { MATRIX_TYPES, STORE_TYPES } from '../../src/policy/ops/values.ts';
import { keyTypeFor, matrixTypeFor, startOps } from '../../src/policy/open/device.ts';
import { planFit } from '../../src/policy/open/fit.ts';
import { LoadedPolicy } from '../../src/policy/open/loaded-policy.ts';
import { prepareNode, prepareNodeWebGpu } from '../../src/policy/node/prepare.ts';
import { initAdapter } from '../../src/policy/lora/init.ts';
import { LORA_TARGETS } from '../../src/policy/lora/spec.ts';
import { packBatch } from '../../src/policy/lora/train-batch.ts';
import { noTokenizer } from '../rollout/no-tokenizer.ts';
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
    kv: { type: 'string' },
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
const type = MATRIX_TYPES.find((name) => name === values.weights) ?? matrixTypeFor('bf16', device);
const keys =
  STORE_TYPES.find((name) => name === values.kv) ?? keyTypeFor(config, count('slots'), device);
const limits = { maxTokens: count('train'), maxLength: context };
const plan = planFit({
  config,
  type,
  keys,
  slots: count('slots'),
  context,
  train: { adapter, limits },
  limits: { device, maxBinding: 2 ** 31, maxBuffer: 2 ** 32, memory: Infinity },
});
const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(2)} GiB`;
const report = (name: string, value: string): void => console.log(`${name.padEnd(38)}${value}`);

report('parameters', plan.parameters.toLocaleString('en'));
report('weights held in', type);
report('keys and values held in', keys);
report('plan: weights', gib(plan.weightBytes));
report(`plan: contexts, ${values.slots} × ${context}`, gib(plan.contextBytes));
report('plan: sampling, beside them', gib(plan.sampleBytes));
report('plan: one LoRA step, beside them', gib(plan.trainBytes));
report('plan: all of it', gib(plan.totalBytes));
report('plan: largest array', `${gib(plan.largestBuffer.bytes)} (${plan.largestBuffer.label})`);
report('plan: operations a token', `${(plan.flopsPerToken / 1e9).toFixed(2)} GFLOP`);
report(
  `plan: a LoRA step, ${values.train} tokens`,
  `${(plan.flopsPerStep / 1e12).toFixed(2)} TFLOP`,
);
if (values.plan) process.exit(0);

if (device === 'webgpu') {
  const found = await navigator.gpu.requestAdapter();
  if (!found) throw new Error('WebGPU: no adapter was found');
  const { vendor, architecture, description } = found.info;
  report('adapter', `${vendor} ${architecture} ${description}`);
  report('its largest binding', gib(found.limits.maxStorageBufferBindingSize));
}

const timed = async <T>(run: () => Promise<T>): Promise<[T, seconds: number]> => {
  const start = performance.now();
  return [await run(), (performance.now() - start) / 1000];
};
const memory = (): string => gib(process.memoryUsage().rss);

const source = await openCheckpoint(randomCheckpoint(json), context);
const ops = await startOps(device);
const [decoder, loading] = await timed(() => uploadDecoder(ops, source, { type }));
const held = (): string => `${gib(ops.bytes)} on the device, process ${memory()}`;
report('loaded', `${loading.toFixed(1)} s, ${held()}`);
const policy = new LoadedPolicy(
  decoder,
  noTokenizer,
  { id: 'random', revision: 'random', dtype: 'f16' },
  { device, type, keys, maxSlots: count('slots') },
);

async function generate(maxTokens: number): Promise<number> {
  const sessions = await Promise.all(
    Array.from({ length: count('slots') }, (_, seed) => policy.open(seed)),
  );
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
report('sampler holds', held());

const trainer = policy.trainer(adapter, limits);
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
report('sampler and trainer hold', held());
process.exit(0);
