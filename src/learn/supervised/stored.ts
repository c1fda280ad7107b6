import { deriveSeed } from '../../base/random.ts';
import { sum } from '../../base/statistics.ts';
import type { StoredStage } from '../../recipes/parts/stage-loss.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount } from '../replicas/replica.ts';
import { Cycle } from '../sampling/cycle.ts';
import { pairedItems, type StoredItems } from './resolve.ts';
import { itemOf, pairItems, type SupervisedItems } from './items.ts';

/** Items of an update on stored trajectories. */

/** A step's share of the set: all of it once in an order of the seed, then again in another. */
function drawn<T>(things: readonly T[], batch: number, { step, seed }: At): T[] {
  const order = new Cycle(things, deriveSeed(seed, 'stored'));
  return Array.from({ length: Math.min(batch, things.length) }, (_, i) =>
    order.at((step - 1) * batch + i),
  );
}

interface At {
  /** From 1. */
  step: number;
  seed: number;
}

/** What is at fault in a set for a loss; null where nothing is. */
export function storedFault({ items, pairs }: StoredItems, loss: StoredStage): string | null {
  if (loss.kind === 'stored-dpo' && pairs.length === 0)
    return 'the stored trajectories have no pair in which both fit, and the stage learns from pairs; make some with lab trajectories --pairs';
  if (loss.kind === 'stored-sft' && items.every(({ weight }) => weight === 0))
    return 'all stored trajectories that fit have weight 0, so there is nothing to learn';
  return null;
}

/**
 * Of `stored-sft` the mean of −ln π over weighted tokens, of `stored-dpo` the mean over pairs; the learner holds the
 * adapter as it is.
 */
export async function storedItems(
  learner: PolicyLearner,
  stored: StoredItems,
  loss: StoredStage,
  at: At & { policy: Float32Array },
): Promise<SupervisedItems> {
  if (loss.kind === 'stored-dpo') {
    const { sequences, pairs } = pairedItems(stored, drawn(stored.pairs, loss.batch, at));
    return pairItems(learner, sequences, pairs, loss, { policy: at.policy, reference: null });
  }
  const weighing = stored.items.filter(({ weight }) => weight > 0);
  const batch = drawn(weighing, loss.batch, at);
  const tokens = sum(batch.map(({ weight, mask }) => weight * trainedCount(mask)));
  return { items: batch.map((item) => itemOf(item, item.weight / tokens)) };
}
