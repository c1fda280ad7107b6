import type { LoraTarget } from '../lora/spec.ts';

/** Which array of a layer on the device the matrix of a target lies in. */
export const DEVICE_MATRIX = {
  q_proj: 'qkv',
  k_proj: 'qkv',
  v_proj: 'qkv',
  o_proj: 'o',
  gate_proj: 'gateUp',
  up_proj: 'gateUp',
  down_proj: 'down',
} as const satisfies Record<LoraTarget, string>;
