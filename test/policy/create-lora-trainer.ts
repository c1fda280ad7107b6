import { sourceOf, type TensorSource } from '../../src/policy/checkpoint/tensor-source.ts';
import type { PolicyWeights } from '../../src/policy/checkpoint/weights.ts';
import type { LoraSpec } from '../../src/policy/lora/spec.ts';
import type { TrainLimits } from '../../src/policy/lora/train-batch.ts';
import type { LoraTrainer } from '../../src/policy/lora/trainer.ts';
import { DecoderLoraTrainer } from '../../src/policy/model/trainer.ts';
import { uploadDecoder } from '../../src/policy/model/upload.ts';
import type { MatrixType } from '../../src/policy/ops/values.ts';
import { heldTypesFor, startOps, type PolicyDevice } from '../../src/policy/open/device.ts';

/**
 * A trainer on a device of its own, for those who do not sample beside it; who does takes
 * `LoadedPolicy.trainer`, which needs no second copy of the weights.
 *
 * @param weights in memory, or a source, which is read layer by layer
 * @param type what matrices are held in; as `matrixTypeFor` says by default
 * @throws RangeError for a spec that no adapter can have; MemoryError
 */
export async function createLoraTrainer(
  weights: PolicyWeights | TensorSource,
  spec: LoraSpec,
  limits: TrainLimits,
  device: PolicyDevice,
  type?: MatrixType,
): Promise<LoraTrainer> {
  const source = 'flat' in weights ? sourceOf(weights) : weights;
  const ops = await startOps(device);
  const held = type ?? heldTypesFor(source, device);
  const decoder = await uploadDecoder(ops, source, { type: held });
  return new DecoderLoraTrainer(decoder, spec, limits);
}
