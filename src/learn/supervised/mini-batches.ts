import { deriveSeed, Random } from '../../base/random.ts';
import type { Pair } from './dpo.ts';

/**
 * Mini-batches of preference optimisation (2305.18290, section 4: the loss is a mean over pairs, minimised by stochastic
 * gradients): a pass over P pairs is ⌈P / B⌉ updates on at most B of them, as equal as can be, in an order that each pass draws again. An update's
 * loss is the mean over its own pairs, at the adapter that the update before it left.
 *
 * @param pairs of a step, in any order
 * @param most B; absent: all of them are one update
 * @param at what the order is drawn from
 */
export function miniBatches(
  pairs: readonly Pair[],
  most: number | undefined,
  at: { seed: number; step: number; pass: number },
): Pair[][] {
  if (pairs.length === 0) return [];
  if (most === undefined || pairs.length <= most) return [[...pairs]];
  const order = new Random(deriveSeed(at.seed, 'pairs', at.step, 'pass', at.pass)).shuffle(pairs);
  const count = Math.ceil(order.length / most);
  return Array.from({ length: count }, (_, i) =>
    order.slice(
      Math.floor((i * order.length) / count),
      Math.floor(((i + 1) * order.length) / count),
    ),
  );
}
