import type { PolicyConfig } from '../checkpoint/config.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import { initGates } from '../latent/gates.ts';
import { checkSpec } from './check.ts';
import { adapterSize, loraSize, loraSlots, type LoraSpec } from './spec.ts';

/**
 * A fresh adapter, as PEFT starts one (`init_lora_weights=True`): A is Kaiming-uniform with a = √5
 * (He et al., 2015), which is uniform in ±1/√in, and B is zero, so that the policy computes at first
 * what it computes without the adapter (Hu et al., 2021, section 4.1). Gates, where the spec has them, draw from a seed
 * of their own: the factors are the same with and without.
 *
 * @param seed decides every value, the same on every platform
 * @returns values in the order of `loraSlots`, then those of the gates
 * @throws RangeError for a spec that no adapter can have
 */
export function initAdapter(config: PolicyConfig, spec: LoraSpec, seed: number): Float32Array {
  checkSpec(spec);
  const slots = loraSlots(config, spec);
  const flat = new Float32Array(adapterSize(config, spec));
  const random = new Random(seed);
  for (const { factor, shape, offset, length } of slots) {
    if (factor === 'B') continue;
    const bound = 1 / Math.sqrt(shape[1]);
    for (let i = offset; i < offset + length; i++) flat[i] = bound * (2 * random.uniform() - 1);
  }
  if (spec.gates)
    flat.set(
      initGates(config.hiddenSize, spec.gates, deriveSeed(seed, 'gates')),
      loraSize(config, spec),
    );
  return flat;
}
