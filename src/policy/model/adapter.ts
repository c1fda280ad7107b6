import type { PolicyConfig } from '../checkpoint/config.ts';
import { DEVICE_MATRIX } from '../engine/layout.ts';
import { LORA_TARGETS, targetShape, type LoraSpec } from '../lora/spec.ts';
import type { AdapterShape } from '../ops/values.ts';
import { ADAPTED, type Adapted, type AdapterPlaces } from './decoder.ts';

/** Where the row parts of the stacked matrices begin. */
function rowOf(config: PolicyConfig, target: (typeof LORA_TARGETS)[number]): number {
  const [queries, keys] = [config.heads * config.headDim, config.kvHeads * config.headDim];
  switch (target) {
    case 'k_proj':
      return queries;
    case 'v_proj':
      return queries + keys;
    case 'up_proj':
      return config.intermediateSize;
    default:
      return 0;
  }
}

/**
 * An adapter as the operations take it. Its values lie in the order of `loraSlots`: by layer, by target
 * in the order of LORA_TARGETS, A before B.
 */
export function adapterShapes(
  config: PolicyConfig,
  { rank, alpha, targets }: LoraSpec,
): { shapes: AdapterShape[]; places: AdapterPlaces } {
  const shapes: AdapterShape[] = [];
  const places = new Map<`${number}.${Adapted}`, number>();
  for (let layer = 0; layer < config.layers; layer++)
    for (const name of ADAPTED) {
      const adapted = LORA_TARGETS.filter((t) => DEVICE_MATRIX[t] === name && targets.includes(t));
      const [first] = adapted;
      if (first === undefined) continue;
      places.set(`${layer}.${name}`, shapes.length);
      shapes.push({
        in: targetShape(config, first)[1],
        rank,
        scale: alpha / rank,
        parts: adapted.map((t) => ({ row: rowOf(config, t), out: targetShape(config, t)[0] })),
        ...(name === 'qkv' && { turned: turnedRows(config) }),
      });
    }
  return { shapes, places };
}

/** Rows of the stacked q, k, v that are heads whose halves are turned together. */
export const turnedRows = ({ heads, kvHeads, headDim }: PolicyConfig) => ({
  rows: (heads + kvHeads) * headDim,
  headDim,
});
