import { defaultDevice, init } from '@jax-js/jax';
import type { CheckpointFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { uploadFrom } from '../../../src/policy/engine/device-weights.ts';
import { GenerationEngine } from '../../../src/policy/engine/engine.ts';
import { createJaxLoraTrainer } from '../../../src/policy/lora/jax/trainer.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import type { TensorSource } from '../../../src/policy/checkpoint/tensor-source.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import type { WeightType } from '../../../src/policy/checkpoint/weight-type.ts';
import { readWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';

/** Scores and gradients of adapters that PEFT wrote, and tokens of a checkpoint, on WebGPU. */

export interface Trained {
  logprobs: number[];
  /** In the order of `loraSlots`. */
  gradients: number[];
}

interface FamilyReport extends Trained {
  ids: number[];
  sampledLogprobs: number[];
}

export interface LoraReport extends Trained {
  adapter: string;
  /** With the logits of each sequence divided by a temperature of its own. */
  tempered: Trained;
  /** Of a checkpoint that was read by range and uploaded layer by layer. */
  family: FamilyReport;
  /** The same of a checkpoint whose matrices are held in halves, by jax-js's interpreter. */
  halves: FamilyReport & { held: string[] };
}

interface Batch {
  sequences: { ids: number[]; coefficients: number[]; temperature?: number }[];
}

const bytes = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer());
const json = async (name: string): Promise<unknown> => (await fetch(`/${name}`)).json();

/** Files of a folder of the server. */
function folder(at: string): CheckpointFiles {
  const whole = new Map<string, Promise<Uint8Array | null>>();
  const get = async (name: string): Promise<Uint8Array | null> => {
    const response = await fetch(`/${at}/${name}`);
    // A server of pages may answer with its page where there is no file.
    const found = response.ok && !response.headers.get('content-type')?.includes('text/html');
    return found ? new Uint8Array(await response.arrayBuffer()) : null;
  };
  const read = (name: string): Promise<Uint8Array | null> => {
    if (!whole.has(name)) whole.set(name, get(name));
    return whole.get(name)!;
  };
  return {
    size: async (name) => (await read(name))?.length ?? null,
    readRange: async (name, start, end) => (await read(name))!.subarray(start, end),
  };
}

async function train(
  weights: PolicyWeights | TensorSource,
  config: PolicyConfig,
  at: string,
  sequences: Batch['sequences'],
  type: WeightType = 'f32',
): Promise<Trained> {
  const names = ['adapter_config.json', 'adapter_model.safetensors'];
  const files = await Promise.all(
    names.map(async (name) => ({ name, bytes: await bytes(`${at}/${name}`) })),
  );
  const { spec, flat } = readPeft(config, files);
  const batch = packBatch(sequences.map((s) => ({ ...s, weights: s.ids.map(() => 1) })));
  const trainer = await createJaxLoraTrainer(
    weights,
    spec,
    { maxTokens: 128, maxLength: 64 },
    type,
  );
  await trainer.setAdapter(flat);
  const given = Float32Array.from(sequences.flatMap((s) => s.coefficients.slice(1)));
  const { logprobs } = await trainer.accumulate(batch, () => given);
  const gradients = await trainer.gradients();
  trainer.dispose();
  return { logprobs: [...logprobs], gradients: [...gradients] };
}

async function family(
  at: string,
  type: WeightType,
  most: { tokens: number; sequences: number },
): Promise<FamilyReport & { held: string[] }> {
  const { greedy, sequences } = (await json(`${at}/expected.json`)) as Batch & {
    greedy: { prompt: number[]; ids: number[] };
  };
  const source = await openCheckpoint(folder(at));
  const weights = await uploadFrom(source, { type });
  const { qkv, o, gateUp, down } = weights.layers[0]!;
  const held = [qkv, o, gateUp, down, weights.head.matrix].map(({ dtype }) => dtype);
  const sync = defaultDevice() !== 'webgpu';
  const engine = new GenerationEngine(weights, { maxSlots: 4, sync });
  const session = engine.open(1);
  session.append(greedy.prompt);
  // A few tokens show it: a step takes long without a GPU.
  const { ids, logprobs } = await session.generate({
    maxTokens: most.tokens,
    stopIds: [],
    sampling: { temperature: 0, topK: 0, topP: 1 },
  });
  session.close();
  engine.dispose();
  const few = sequences.slice(0, most.sequences);
  const trained = await train(source, source.config, at, few, type);
  return { ...trained, ids, sampledLogprobs: logprobs, held };
}

async function report(): Promise<LoraReport> {
  const gpu = await navigator.gpu?.requestAdapter();
  if (!gpu) throw new Error('there is no WebGPU adapter');
  await init('webgpu');
  defaultDevice('webgpu');
  const config = parsePolicyConfig(await json('qwen3-lora/config.json'));
  const { sequences } = (await json('qwen3-lora/batch.json')) as Batch;
  const { sequences: own } = (await json('qwen3-lora/temperature.json')) as {
    sequences: { temperature: number }[];
  };
  const tempered = sequences.map((s, i) => ({ ...s, temperature: own[i]!.temperature }));
  const weights = readWeights(config, await bytes('qwen3-lora/model.safetensors'));
  const report = {
    adapter: `${gpu.info.vendor} ${gpu.info.architecture}`,
    ...(await train(weights, config, 'qwen3-lora', sequences)),
    tempered: await train(weights, config, 'qwen3-lora', tempered),
    family: await family('families/smollm3', 'f32', { tokens: 6, sequences: 9 }),
  };
  // Shaders of a software GPU read no halves; jax-js's interpreter does, slowly.
  defaultDevice('cpu');
  const halves = await family('families/qwen2', 'f16', { tokens: 2, sequences: 1 });
  return { ...report, halves };
}

report().then(
  (result) => postMessage(result),
  (error: unknown) => postMessage({ error: String(error) }),
);
