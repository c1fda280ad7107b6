import type { PolicyConfig } from '../checkpoint/config.ts';
import { weightsOf, type TensorSource } from '../checkpoint/tensor-source.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import { parameterCount, type PolicyWeights } from '../checkpoint/weights.ts';
import { hasShaderF16, weightTypeFor } from '../checkpoint/weight-type.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { LoraTrainer } from '../lora/trainer.ts';

/** Bytes that a WebAssembly memory can have. */
const MOST_WASM_BYTES = 2 ** 32;
/** Weights as they are, and in the two layouts of the matrix kernel. */
const COPIES = 3;

export interface CreatedTrainer {
  readonly trainer: LoraTrainer;
  readonly kernels: 'wasm' | 'jax';
  /** Why it is not the hand-written kernels that train on the CPU; null where nothing was given up. */
  readonly fallback: string | null;
}

/** Why the hand-written kernels cannot train this shape; null where they can. */
export function wasmKernelFault(config: PolicyConfig): string | null {
  const sizes = {
    hidden_size: config.hiddenSize,
    head_dim: config.headDim,
    intermediate_size: config.intermediateSize,
    vocab_size: config.vocabSize,
  };
  for (const [name, size] of Object.entries(sizes))
    if (size % 8 !== 0) return `${name} is ${size}, no multiple of 8`;
  const bytes = 4 * COPIES * parameterCount(config);
  return bytes < MOST_WASM_BYTES
    ? null
    : `weights and their layouts take ${(bytes / 2 ** 30).toFixed(1)} GiB; WebAssembly has 4`;
}

/**
 * A trainer on the device: on a GPU, jax-js; on the CPU the hand-written kernels, or jax-js where they
 * cannot train the shape, with the reason. A GPU holds a base in halves where `weightTypeFor` says so.
 * jax-js's device must have been started.
 *
 * @param weights in memory, or a source, of which a GPU reads one layer at a time
 * @throws RangeError for a spec that no adapter can have, or without memory
 */
export async function createLoraTrainer(
  weights: PolicyWeights | TensorSource,
  spec: LoraSpec,
  limits: TrainLimits,
  device: 'wasm' | 'webgpu',
): Promise<CreatedTrainer> {
  const fallback = device === 'wasm' ? wasmKernelFault(weights.config) : null;
  if (device === 'wasm' && fallback === null) {
    const { createWasmLoraTrainer } = await import('../lora/wasm/trainer.ts');
    const inMemory = 'flat' in weights ? weights : await weightsOf(weights);
    const trainer = await createWasmLoraTrainer(inMemory, spec, limits);
    return { trainer, kernels: 'wasm', fallback };
  }
  const { createJaxLoraTrainer } = await import('../lora/jax/trainer.ts');
  const shaderF16 = device === 'webgpu' && (await hasShaderF16());
  const type = 'flat' in weights ? 'f32' : weightTypeFor(weights.dtype, shaderF16);
  const trainer = await createJaxLoraTrainer(weights, spec, limits, type);
  return { trainer, kernels: 'jax', fallback };
}
