import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { TrainLimits } from '../../policy/lora/train-batch.ts';
import type { LoadedPolicy } from '../../policy/open/loaded-policy.ts';
import { TrainReplica } from './replica.ts';

/** Tokens that a micro-batch is packed to by default; a longer context is one by itself. */
export const MICRO_TOKENS = 2048;

export interface ReplicaOptions {
  /** What samples beside it: both work on one copy of its weights. */
  policy: Pick<LoadedPolicy, 'info' | 'trainer'>;
  adapter: LoraSpec;
  microTokens?: number;
}

/** What a replica's trainer is made for: micro-batches that hold at least one whole context. */
export const trainLimits = (maxLength: number, microTokens = MICRO_TOKENS): TrainLimits => ({
  maxTokens: Math.max(microTokens, maxLength),
  maxLength,
});

/** A replica of the learner on the device of a policy. @throws MemoryError, RangeError for a spec */
export function createReplica(options: ReplicaOptions): TrainReplica {
  const { policy, adapter, microTokens = MICRO_TOKENS } = options;
  return new TrainReplica(
    policy.trainer(adapter, trainLimits(policy.info.maxContext, microTokens)),
    microTokens,
  );
}
