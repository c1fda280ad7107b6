import { viewWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { checkedSlots } from '../../../src/policy/lora/check.ts';
import { mergeLayer } from '../../../src/policy/lora/merge.ts';
import type { LoraSpec } from '../../../src/policy/lora/spec.ts';

/**
 * The policy with its adapter folded in, `W + (alpha / rank) B A` (Hu et al., 2021, section 4.1):
 * a new copy in float32; the given weights stay as they are.
 *
 * @param flat values in the order of `loraSlots`
 * @throws RangeError where `flat` is not as long as the spec asks
 */
export function mergeAdapter(
  weights: PolicyWeights,
  spec: LoraSpec,
  flat: Float32Array,
): PolicyWeights {
  const { config } = weights;
  checkedSlots(config, spec, flat);
  const merged = viewWeights(config, new Float32Array(weights.flat));
  for (const [index, layer] of merged.layers.entries())
    mergeLayer(config, layer, index, spec, flat);
  return merged;
}
