import { defaultDevice, init } from '@jax-js/jax';
import { parsePolicyConfig } from '../../../src/policy/config.ts';
import { createJaxLoraTrainer } from '../../../src/policy/lora/jax/trainer.ts';
import { readPeft } from '../../../src/policy/lora/peft.ts';
import { packBatch } from '../../../src/policy/train-batch.ts';
import { readWeights } from '../../../src/policy/weights.ts';

/** Scores and gradients of an adapter that PEFT wrote, on WebGPU. */

export interface LoraReport {
  adapter: string;
  logprobs: number[];
  /** In the order of `loraSlots`. */
  gradients: number[];
}

interface Batch {
  sequences: { ids: number[]; coefficients: number[] }[];
}

const bytes = async (name: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(`/${name}`)).arrayBuffer());
const json = async (name: string): Promise<unknown> => (await fetch(`/${name}`)).json();

async function report(): Promise<LoraReport> {
  const gpu = await navigator.gpu?.requestAdapter();
  if (!gpu) throw new Error('there is no WebGPU adapter');
  await init('webgpu');
  defaultDevice('webgpu');
  const config = parsePolicyConfig(await json('config.json'));
  const names = ['adapter_config.json', 'adapter_model.safetensors'];
  const files = await Promise.all(names.map(async (name) => ({ name, bytes: await bytes(name) })));
  const { spec, flat } = readPeft(config, files);
  const { sequences } = (await json('batch.json')) as Batch;
  const batch = packBatch(sequences.map(({ ids }) => ({ ids, weights: ids.map(() => 1) })));
  const weights = readWeights(config, await bytes('model.safetensors'));
  const trainer = await createJaxLoraTrainer(weights, spec, { maxTokens: 128, maxLength: 64 });
  await trainer.setAdapter(flat);
  const given = Float32Array.from(sequences.flatMap((s) => s.coefficients.slice(1)));
  const { logprobs } = await trainer.accumulate(batch, () => given);
  const gradients = await trainer.gradients();
  trainer.dispose();
  return {
    adapter: `${gpu.info.vendor} ${gpu.info.architecture}`,
    logprobs: [...logprobs],
    gradients: [...gradients],
  };
}

report().then(
  (result) => postMessage(result),
  (error: unknown) => postMessage({ error: String(error) }),
);
