import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { loraSlots, type LoraSpec } from '../../src/policy/lora/spec.ts';
import type { PackedBatch } from '../../src/policy/lora/train-batch.ts';

export interface StepFlops {
  forward: number;
  /** Without gradients of base weights, and without that of the frozen embedding. */
  backward: number;
  /** What the forward pass had computed, computed again to save memory. */
  recomputed: number;
}

/**
 * Floating-point operations of one training step; matrix products only, 2 a multiply-add, everything
 * element by element (norms, softmax, SwiGLU, rotation) left out. N tokens, M trained rows,
 * S = Σ over sequences of length (length + 1) / 2 scores a head, P = Σ in · out of the layers'
 * matrices, V vocabulary, d hidden size, a = heads · headDim, F = Σ values of the adapter.
 *
 *   forward     2 N P        layers
 *             + 2 N F        adapters: A x, then B (A x)
 *             + 4 a S L      attention: scores, and their mean of the values
 *             + 2 M d V      head
 *   backward    2 N P        gradient of each matrix's input; none of its weights
 *             + 4 N F        of each factor, and of each factor's input
 *             + 8 a S L      attention: of probabilities, queries, keys, values
 *             + 2 M d V      head
 *             − 2 N d (a + 2 k)  and − 2 N r d of each of q, k and v adapted:
 *                            nothing below the first layer learns
 *   recomputed  all of a layer's forward but W and B of its down projection,
 *             + 2 a S L      scores once more inside the attention's backward pass
 *             + 2 M d V      logits: the first pass's chunks are not kept
 */
export function stepFlops(c: PolicyConfig, spec: LoraSpec, batch: PackedBatch): StepFlops {
  const N = batch.ids.length;
  const [d, a, k] = [c.hiddenSize, c.heads * c.headDim, c.kvHeads * c.headDim];
  const down = d * c.intermediateSize;
  const P = c.layers * (d * (a + 2 * k) + a * d + 3 * down);
  const slots = loraSlots(c, spec);
  const values = (of: typeof slots): number => of.reduce((sum, slot) => sum + slot.length, 0);
  const F = values(slots);
  const downB = values(slots.filter((s) => s.target === 'down_proj' && s.factor === 'B'));
  const firstA = values(
    slots.filter((s) => s.layer === 0 && s.factor === 'A' && /^[qkv]_/.test(s.target)),
  );
  const S = batch.lengths.reduce((sum, length) => sum + (length * (length + 1)) / 2, 0);
  const attention = 2 * a * S * c.layers;
  const head = 2 * batch.rows.length * d * c.vocabSize;
  return {
    forward: 2 * N * (P + F) + 2 * attention + head,
    backward: 2 * N * (P + 2 * F) + 4 * attention + head - 2 * N * (d * (a + 2 * k) + firstA),
    recomputed: 2 * N * (P + F - c.layers * down - downB) + 3 * attention + head,
  };
}

export const totalFlops = (f: StepFlops): number => f.forward + f.backward + f.recomputed;
