import { joinedFloats } from '../../base/bytes.ts';
import type { HiddenStates } from '../../policy/lora/trainer.ts';
import type { ItemResult, ItemScores, ScoredItem, TrainItem } from './replica.ts';
import { trainedCount } from '../mask.ts';

/**
 * Rollouts whose context restarted (`starts`) as the trainer needs them: each context is an item of its own, with its part
 * of the trained tokens, and what comes back is the rollout's again. The loss is a sum over tokens, so that it is
 * that of the rollout. An item of one context is left as it is.
 */

/** Contexts of an item, without those that hold nothing trained. */
function contextsOf<S extends ScoredItem>(
  item: S,
  part: (ofTrained: (values: Float32Array) => Float32Array) => Partial<S>,
): S[] {
  const { starts, ...whole } = item;
  if (!starts || starts.length === 0) return [item];
  const bounds = [0, ...starts, item.ids.length];
  let trained = 0;
  return bounds.slice(0, -1).flatMap((from, i) => {
    const to = bounds[i + 1] ?? item.ids.length;
    const mask = item.mask.slice(from, to);
    // Nothing precedes a context's first token, so it cannot be predicted.
    const count = trainedCount(mask);
    const first = trained;
    trained += count;
    if (count === 0) return [];
    const own = { ...whole, ids: item.ids.slice(from, to), mask } as unknown as S;
    return [{ ...own, ...part((values) => values.slice(first, first + count)) }];
  });
}

/** Items with each context by itself, and how many each item gave. */
interface Split<S> {
  items: S[];
  counts: number[];
}

const splitBy = <S extends ScoredItem>(
  items: readonly S[],
  part: (item: S, ofTrained: (values: Float32Array) => Float32Array) => Partial<S>,
): Split<S> => {
  const parts = items.map((item) => contextsOf(item, (ofTrained) => part(item, ofTrained)));
  return { items: parts.flat(), counts: parts.map(({ length }) => length) };
};

export const splitScored = (items: readonly ScoredItem[]): Split<ScoredItem> =>
  splitBy(items, () => ({}));

export const splitTrained = (items: readonly TrainItem[]): Split<TrainItem> =>
  splitBy(items, ({ oldLogprobs, refLogprobs, behaviour, advantage }, ofTrained) => ({
    oldLogprobs: ofTrained(oldLogprobs),
    refLogprobs: refLogprobs && ofTrained(refLogprobs),
    ...(behaviour && { behaviour: ofTrained(behaviour) }),
    advantage: typeof advantage === 'number' ? advantage : ofTrained(advantage),
  }));

/** What contexts gave, item by item again. */
function joinBy<R>(counts: readonly number[], parts: readonly R[], join: (own: R[]) => R): R[] {
  let at = 0;
  return counts.map((count) => join(parts.slice(at, (at += count))));
}

const scoresOf = (own: readonly ItemScores[]): ItemScores => ({
  logprobs: joinedFloats(own.map(({ logprobs }) => logprobs)),
  entropies: joinedFloats(own.map(({ entropies }) => entropies)),
});

export const joinScores = (counts: readonly number[], parts: readonly ItemScores[]): ItemScores[] =>
  joinBy(counts, parts, scoresOf);

export const joinResults = (
  counts: readonly number[],
  parts: readonly ItemResult[],
): ItemResult[] =>
  joinBy(counts, parts, (own) => {
    const sumOf = (name: 'loss' | 'clipped' | 'kl'): number =>
      own.reduce((sum, one) => sum + one[name], 0);
    return { ...scoresOf(own), loss: sumOf('loss'), clipped: sumOf('clipped'), kl: sumOf('kl') };
  });

export const joinHidden = (
  counts: readonly number[],
  parts: readonly HiddenStates[],
): HiddenStates[] =>
  joinBy(counts, parts, (own) => ({
    values: joinedFloats(own.map(({ values }) => values)),
    width: own[0]?.width ?? 0,
  }));
