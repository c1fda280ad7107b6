import { createLoraTrainer } from '../../policy/open/create.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { TensorSource } from '../../policy/checkpoint/tensor-source.ts';
import type { PolicyWeights } from '../../policy/checkpoint/weights.ts';
import { TrainReplica } from './replica.ts';

/** Tokens of one micro-batch unless given; a whole context always fits. */
export const MICRO_TOKENS = 2048;

export interface ReplicaOptions {
  /** In memory, or a source, of which a GPU reads one layer at a time. */
  weights: PolicyWeights | TensorSource;
  adapter: LoraSpec;
  device: 'wasm' | 'webgpu';
  microTokens?: number;
}

/**
 * A replica of the learner: on the CPU over hand-written kernels, on a GPU over jax-js, whose device
 * must have been started (loading a policy does so). `createLoraTrainer` says where it is another.
 */
export async function createReplica(options: ReplicaOptions): Promise<TrainReplica> {
  const { weights, adapter, device, microTokens = MICRO_TOKENS } = options;
  const maxLength = weights.config.maxPositions;
  const limits = { maxTokens: Math.max(microTokens, maxLength), maxLength };
  const { trainer, fallback } = await createLoraTrainer(weights, adapter, limits, device);
  return new TrainReplica(trainer, fallback);
}
