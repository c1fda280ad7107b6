import type { PolicyConfig } from '../checkpoint/config.ts';
import type { LayerWeights } from '../checkpoint/weights.ts';
import { checkedSlots, checkMergeable } from './check.ts';
import type { LoraSpec, LoraTarget } from './spec.ts';

type Matrix = 'q' | 'k' | 'v' | 'o' | 'gate' | 'up' | 'down';

const MATRIX = {
  q_proj: 'q',
  k_proj: 'k',
  v_proj: 'v',
  o_proj: 'o',
  gate_proj: 'gate',
  up_proj: 'up',
  down_proj: 'down',
} as const satisfies Record<LoraTarget, Matrix>;

/** `W += scale · B A` in place; sums in double precision, each weight rounded once. */
function addProduct(
  weight: Float32Array,
  a: Float32Array,
  b: Float32Array,
  rank: number,
  scale: number,
): void {
  const columns = a.length / rank;
  const row = new Float64Array(columns);
  for (let out = 0; out * rank < b.length; out++) {
    row.fill(0);
    for (let r = 0; r < rank; r++) {
      const factor = scale * (b[out * rank + r] ?? 0);
      const from = r * columns;
      for (let j = 0; j < columns; j++) row[j] = (row[j] ?? 0) + factor * (a[from + j] ?? 0);
    }
    const first = out * columns;
    for (let j = 0; j < columns; j++) weight[first + j] = (weight[first + j] ?? 0) + (row[j] ?? 0);
  }
}

/**
 * Folds the part of an adapter that is layer `index`'s into its matrices, in place.
 * @param flat values in the order of `loraSlots`
 * @throws RangeError where `flat` is not as long as the spec asks, or the adapter has gates, which no matrix can hold
 */
export function mergeLayer(
  config: PolicyConfig,
  layer: LayerWeights,
  index: number,
  spec: LoraSpec,
  flat: Float32Array,
): void {
  checkMergeable(spec);
  const slots = checkedSlots(config, spec, flat).filter((slot) => slot.layer === index);
  // A and B of one matrix are neighbours.
  for (let i = 0; i < slots.length; i += 2) {
    const [a, b] = [slots[i]!, slots[i + 1]!];
    addProduct(
      layer[MATRIX[a.target]],
      flat.subarray(a.offset, a.offset + a.length),
      flat.subarray(b.offset, b.offset + b.length),
      spec.rank,
      spec.alpha / spec.rank,
    );
  }
}
