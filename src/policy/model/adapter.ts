import type { PolicyConfig } from '../checkpoint/config.ts';
import { LORA_TARGETS, targetShape, type LoraSpec, type LoraTarget } from '../lora/spec.ts';
import type { AdapterShape } from '../ops/values.ts';
import { ADAPTED, type Adapted, type AdapterPlaces } from './decoder.ts';
import { turnedRows } from './shapes.ts';

/** The stacked matrix that a target is part of. */
const MATRIX_OF = {
  q_proj: 'qkv',
  k_proj: 'qkv',
  v_proj: 'qkv',
  o_proj: 'o',
  gate_proj: 'gateUp',
  up_proj: 'gateUp',
  down_proj: 'down',
} as const satisfies Record<LoraTarget, Adapted>;

/** Where the row parts of the stacked matrices begin. */
function rowOf(config: PolicyConfig, target: LoraTarget): number {
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
      const adapted = LORA_TARGETS.filter((t) => MATRIX_OF[t] === name && targets.includes(t));
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
