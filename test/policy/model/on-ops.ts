import type { HeldTypes } from '../../../src/policy/checkpoint/weight-type.ts';
import type { TensorSource } from '../../../src/policy/checkpoint/tensor-source.ts';
import { GenerationEngine } from '../../../src/policy/generation/engine.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';
import type { TrainLimits } from '../../../src/policy/lora/train-batch.ts';
import { DecoderLoraTrainer } from '../../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../../src/policy/model/upload.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import type { MatrixType } from '../../../src/policy/ops/values.ts';

/** A trainer over given operations. */
export const trainerOn = async (
  ops: Ops,
  source: TensorSource,
  spec: LoraSpec,
  limits: TrainLimits,
  type: MatrixType = 'f32',
): Promise<DecoderLoraTrainer> =>
  new DecoderLoraTrainer(await uploadDecoder(ops, source, { type }), spec, limits);

/** An engine over given operations, which reads few tokens per turn, so that texts are cut. */
export const engineOn = async (
  ops: Ops,
  source: TensorSource,
  type: HeldTypes = 'f32',
): Promise<GenerationEngine> =>
  new GenerationEngine(await uploadDecoder(ops, source, { type }), {
    maxSlots: 4,
    prefillChunk: 24,
    keys: 'f32',
  });
