import { itemAt, present } from '../../../src/base/items.ts';
import type { CheckpointFiles } from '../../../src/policy/checkpoint/checkpoint-files.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { parsePolicyConfig } from '../../../src/policy/checkpoint/config.ts';
import { sourceOf, type TensorSource } from '../../../src/policy/checkpoint/tensor-source.ts';
import { readWeights } from '../../../src/policy/checkpoint/weights.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { packBatch } from '../../../src/policy/lora/train-batch.ts';
import type { LoraTrainer } from '../../../src/policy/lora/trainer.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import { startOps } from '../../../src/policy/open/device.ts';
import { engineOptions } from '../../../src/policy/open/loaded-policy.ts';
import type { MatrixType } from '../../../src/policy/ops/values.ts';

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
  /** Of a Gemma 3, whose window is shorter than its texts. */
  gemma: FamilyReport;
  /** The same of a checkpoint whose matrices are held in halves. */
  halves: FamilyReport & { held: MatrixType[] };
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
    return present(whole.get(name), name);
  };
  return {
    size: async (name) => (await read(name))?.length ?? null,
    readRange: async (name, start, end) => present(await read(name), name).subarray(start, end),
  };
}

/** One device for all checkpoints: it compiles once what they have in common. */
const device = startOps('webgpu');

const limits = { maxTokens: 128, maxLength: 64 };

async function adapterAt(at: string, config: TensorSource['config']) {
  const names = ['adapter_config.json', 'adapter_model.safetensors'];
  return readPeft(
    config,
    await Promise.all(names.map(async (name) => ({ name, bytes: await bytes(`${at}/${name}`) }))),
  );
}

/** One step with the adapter that the trainer has. */
async function train(trainer: LoraTrainer, sequences: Batch['sequences']): Promise<Trained> {
  const batch = packBatch(sequences.map((s) => ({ ...s, weights: s.ids.map(() => 1) })));
  const given = Float32Array.from(sequences.flatMap((s) => s.coefficients.slice(1)));
  trainer.zeroGradients();
  const { logprobs } = await trainer.accumulate(batch, () => given);
  return { logprobs: [...logprobs], gradients: [...(await trainer.gradients())] };
}

/** Samples and trains over one copy of a checkpoint that is read by range. */
async function family(
  at: string,
  type: MatrixType,
  most: { tokens: number; sequences: number },
): Promise<FamilyReport & { held: MatrixType[] }> {
  const { greedy, sequences } = (await json(`${at}/expected.json`)) as Batch & {
    greedy: { prompt: number[]; ids: number[] };
  };
  const source = await openCheckpoint(folder(at));
  const decoder = await uploadDecoder(await device, source, { type });
  const { qkv, o, gateUp, down } = decoder.layer(0);
  const held = [qkv, o, gateUp, down].map(({ matrix }) => matrix.type);
  const engine = new GenerationEngine(decoder, engineOptions('webgpu', 4, 'f32'));
  const session = engine.open(1);
  session.append(greedy.prompt);
  // A few tokens show it: a step takes long without a GPU.
  const { ids, logprobs } = await session.generate({
    maxTokens: most.tokens,
    stopIds: [],
    sampling: { temperature: 0, topK: 0, topP: 1 },
  });
  session.close();
  const { spec, flat } = await adapterAt(at, source.config);
  const trainer = new DecoderLoraTrainer(decoder.view(), spec, limits);
  await trainer.setAdapter(flat);
  const trained = await train(trainer, sequences.slice(0, most.sequences));
  return { ...trained, ids, sampledLogprobs: logprobs, held };
}

async function report(): Promise<LoraReport> {
  const gpu = await navigator.gpu?.requestAdapter();
  if (!gpu) throw new Error('there is no WebGPU adapter');
  const config = parsePolicyConfig(await json('qwen3-lora/config.json'));
  const { sequences } = (await json('qwen3-lora/batch.json')) as Batch;
  const { sequences: own } = (await json('qwen3-lora/temperature.json')) as {
    sequences: { temperature: number }[];
  };
  const tempered = sequences.map((s, i) => ({ ...s, temperature: itemAt(own, i).temperature }));
  const source = sourceOf(readWeights(config, await bytes('qwen3-lora/model.safetensors')));
  const decoder = await uploadDecoder(await device, source, { type: 'f32' });
  const { spec, flat } = await adapterAt('qwen3-lora', config);
  const trainer = new DecoderLoraTrainer(decoder, spec, limits);
  await trainer.setAdapter(flat);
  const trained = {
    ...(await train(trainer, sequences)),
    tempered: await train(trainer, tempered),
  };
  return {
    adapter: `${gpu.info.vendor} ${gpu.info.architecture}`,
    ...trained,
    family: await family('families/smollm3', 'f32', { tokens: 6, sequences: 9 }),
    gemma: await family('families/gemma3', 'f32', { tokens: 3, sequences: 9 }),
    halves: await family('families/qwen2', 'f16', { tokens: 2, sequences: 1 }),
  };
}

report().then(
  (result) => postMessage(result),
  (error: unknown) => postMessage({ error: String(error) }),
);
