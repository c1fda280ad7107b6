import type { PolicyConfig } from '../checkpoint/config.ts';
import type { GateRange } from '../latent/gates.ts';

/** The matrices of a decoder layer that an adapter may change. */
export const LORA_TARGETS = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;
export type LoraTarget = (typeof LORA_TARGETS)[number];

/** Shape of an adapter: `W x + (alpha / rank) B (A x)` (Hu et al., 2021, section 4.1). */
export interface LoraSpec {
  rank: number;
  alpha: number;
  targets: readonly LoraTarget[];
  /**
   * Gates of latent reasoning beside the factors, and where they start (`latent/gates.ts`); their values follow those
   * of the factors in the flat buffer. Absent: none.
   */
  gates?: GateRange | null;
}

/** One factor inside the flat adapter buffer. `A` is [rank, in], `B` is [out, rank], row-major. */
export interface LoraSlot {
  /** As PEFT names it: `base_model.model.model.layers.0.self_attn.q_proj.lora_A.weight`. */
  readonly name: string;
  readonly layer: number;
  readonly target: LoraTarget;
  readonly factor: 'A' | 'B';
  readonly shape: readonly [rows: number, columns: number];
  /** First value and number of values in the flat buffer. */
  readonly offset: number;
  readonly length: number;
}

/** [out, in] of a target in a shape. */
export function targetShape(
  c: PolicyConfig,
  target: LoraTarget,
): [outputs: number, inputs: number] {
  const queries = c.heads * c.headDim;
  const keys = c.kvHeads * c.headDim;
  switch (target) {
    case 'q_proj':
      return [queries, c.hiddenSize];
    case 'k_proj':
    case 'v_proj':
      return [keys, c.hiddenSize];
    case 'o_proj':
      return [c.hiddenSize, queries];
    case 'gate_proj':
    case 'up_proj':
      return [c.intermediateSize, c.hiddenSize];
    case 'down_proj':
      return [c.hiddenSize, c.intermediateSize];
  }
}

/** Name of a matrix of a layer: `model.layers.0.self_attn.q_proj`. */
export const moduleName = (layer: number, target: LoraTarget): string =>
  `model.layers.${layer}.${/gate|up|down/.test(target) ? 'mlp' : 'self_attn'}.${target}`;

/** Names, shapes and places of all factors: by layer, by target in the order of LORA_TARGETS, A before B. */
export function loraSlots(config: PolicyConfig, spec: LoraSpec): LoraSlot[] {
  const slots: LoraSlot[] = [];
  let offset = 0;
  for (let layer = 0; layer < config.layers; layer++)
    for (const target of LORA_TARGETS.filter((t) => spec.targets.includes(t))) {
      const [out, columns] = targetShape(config, target);
      for (const factor of ['A', 'B'] as const) {
        const shape =
          factor === 'A' ? ([spec.rank, columns] as const) : ([out, spec.rank] as const);
        const name = `base_model.model.${moduleName(layer, target)}.lora_${factor}.weight`;
        const length = shape[0] * shape[1];
        slots.push({ name, layer, target, factor, shape, offset, length });
        offset += length;
      }
    }
  return slots;
}

/** Number of values of an adapter's factors, gates not among them. */
export const loraSize = (config: PolicyConfig, spec: LoraSpec): number =>
  loraSlots(config, spec).reduce((sum, slot) => sum + slot.length, 0);

/** Number of values of gates of width d. */
export const gateSize = (width: number): number => 2 * (width * width + width) + width;

/** Number of values of a whole adapter: its factors, then its gates, where it has some. */
export const adapterSize = (config: PolicyConfig, spec: LoraSpec): number =>
  loraSize(config, spec) + (spec.gates ? gateSize(config.hiddenSize) : 0);
