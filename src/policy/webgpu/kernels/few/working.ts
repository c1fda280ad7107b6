import { variantOf, type PolicyConfig } from '../../../checkpoint/config.ts';
import type { LoraSpec } from '../../../lora/spec.ts';
import { adapterShapes } from '../../../model/adapter.ts';
import { layerMatrices, rowsOf } from '../../../model/shapes.ts';
import { rankStride, storedDim, strideOf } from '../../device/sizes.ts';
import { UNIFORM_BYTES } from '../../device/encoder.ts';
import { samplingMemory } from '../sample/sample.ts';
import { cutsOf } from './attend.ts';
import { bucketOf, tileOf } from './product.ts';
import { freshBytes } from './state.ts';

/** What decodes: contexts that take a step together, at most 64, and the positions of the longest. */
export interface FewWorking {
  readonly config: PolicyConfig;
  readonly slots: number;
  readonly context: number;
  /** Adapter that is added to the products. */
  readonly adapter: LoraSpec | null;
}

/** Bytes of the working memory of decode steps, draws by top-k and top-p with them (`Gpu.scratch`). */
export function fewWorking({ config: c, slots, context, adapter }: FewWorking): number {
  const rows = bucketOf(slots);
  const stride = strideOf(c.hiddenSize);
  // x by the weight of its norm, and a partial sum of squares for 8 columns.
  let bytes = UNIFORM_BYTES + rows * stride * 4 + rows * (stride / 8) * 4;
  if (variantOf(c).qkNorm) bytes += rows * rowsOf(layerMatrices(c).qkv) * 4;
  if (variantOf(c).outputNorms) bytes += rows * stride * 4;
  if (adapter) {
    const { shapes } = adapterShapes({ ...c, layers: 1 }, adapter);
    bytes += rows * 4 * Math.max(0, ...shapes.map((s) => s.parts.length * rankStride(s.rank)));
  }
  bytes += freshBytes(rows, c.kvHeads, storedDim(c.headDim));
  bytes += rows * c.heads * cutsOf(context, rows).room * (storedDim(c.headDim) + 4) * 4;
  bytes += rows * strideOf(c.vocabSize) * 4;
  const { outs } = tileOf(c.vocabSize, Math.ceil(c.hiddenSize / 32));
  const blocks = { outs, count: Math.ceil(c.vocabSize / outs) };
  const memory = samplingMemory(rows, c.vocabSize, blocks);
  return bytes + Object.values(memory).reduce((sum, one) => sum + one, 0);
}
