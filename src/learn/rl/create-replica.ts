import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { PolicyWeights } from '../../policy/weights.ts';
import { TrainReplica } from './replica.ts';

/** Tokens of one micro-batch unless given; a whole context always fits. */
export const MICRO_TOKENS = 2048;

export interface ReplicaOptions {
  weights: PolicyWeights;
  adapter: LoraSpec;
  device: 'wasm' | 'webgpu';
  microTokens?: number;
}

/**
 * A replica of the learner: on the CPU over hand-written kernels, on a GPU over jax-js, whose device
 * must have been started (loading a policy does so).
 */
export async function createReplica(options: ReplicaOptions): Promise<TrainReplica> {
  const { weights, adapter, device, microTokens = MICRO_TOKENS } = options;
  const maxLength = weights.config.maxPositions;
  const limits = { maxTokens: Math.max(microTokens, maxLength), maxLength };
  if (device === 'wasm') {
    const { createWasmLoraTrainer } = await import('../../policy/lora/wasm/trainer.ts');
    return new TrainReplica(await createWasmLoraTrainer(weights, adapter, limits));
  }
  const { createJaxLoraTrainer } = await import('../../policy/lora/jax/trainer.ts');
  return new TrainReplica(await createJaxLoraTrainer(weights, adapter, limits));
}
