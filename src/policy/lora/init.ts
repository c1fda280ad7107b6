import type { PolicyConfig } from '../checkpoint/config.ts';
import { Random } from '../../base/random.ts';
import { checkSpec } from './check.ts';
import { loraSlots, type LoraSpec } from './spec.ts';

/**
 * A fresh adapter, as PEFT starts one (`init_lora_weights=True`): A is Kaiming-uniform with a = √5
 * (He et al., 2015), which is uniform in ±1/√in, and B is zero, so that the policy computes at first
 * what it computes without the adapter (Hu et al., 2021, section 4.1).
 *
 * @param seed decides every value of A, the same on every platform
 * @returns values in the order of `loraSlots`
 * @throws RangeError for a spec that no adapter can have
 */
export function initAdapter(config: PolicyConfig, spec: LoraSpec, seed: number): Float32Array {
  checkSpec(spec);
  const slots = loraSlots(config, spec);
  const flat = new Float32Array(slots.reduce((sum, slot) => sum + slot.length, 0));
  const random = new Random(seed);
  for (const { factor, shape, offset, length } of slots) {
    if (factor === 'B') continue;
    const bound = 1 / Math.sqrt(shape[1]);
    for (let i = offset; i < offset + length; i++) flat[i] = bound * (2 * random.uniform() - 1);
  }
  return flat;
}
