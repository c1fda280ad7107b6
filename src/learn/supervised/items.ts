import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import type { SupervisedStage } from '../../recipes/parts/stage-loss.ts';
import type { Rollout } from '../../records/rollout.ts';
import { chosenAnswerIds } from '../../agent/transcript/blocks.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount, type ScoredItem, type TrainItem } from '../replicas/replica.ts';
import { actionPairs } from './actions.ts';
import { pairsOf, pairTerm, type Pair } from './dpo.ts';
import { DEFAULT_GAMMA, efficientPairs } from './efficient.ts';
import { miniBatches } from './mini-batches.ts';
import { pairedItems } from './resolve.ts';
import { referenceScores, type Adapters } from './rounds.ts';
import { trajectoryWeights } from './weights.ts';

/** Items of a supervised update: each token's weight is −∂loss/∂ln π of it. */

/** One rollout's tokens. */
interface Sequence extends ScoredItem {
  rollout: Rollout;
  group: number;
}

/** A sequence of which each trained token weighs `weight` in a supervised update. */
export const itemOf = ({ ids, mask, temperature }: ScoredItem, weight: number): TrainItem => ({
  ids,
  mask,
  temperature,
  oldLogprobs: new Float32Array(trainedCount(mask)),
  refLogprobs: null,
  advantage: 1,
  weight,
});

/** The trajectory up to its answer, then the first gold answer as the policy would write it; null without one. */
function withGold(
  { rollout, temperature, mask, ids }: Sequence,
  tokenizer: PolicyTokenizer,
): { item: ScoredItem; answer: ScoredItem } | null {
  const [gold] = rollout.question.answers;
  if (gold === undefined) return null;
  const at = rollout.segments.findIndex(({ role }) => role === 'answer');
  const before = at < 0 ? rollout.segments : rollout.segments.slice(0, at);
  const start = sum(before.map((segment) => segment.ids.length));
  const answer = chosenAnswerIds(tokenizer, readTags(tokenizer), gold);
  const joined = Int32Array.from([...ids.slice(0, start), ...answer]);
  const bits = (first: ArrayLike<number>): Uint8Array =>
    Uint8Array.from([...Array.from(first), ...answer.map(() => 1)]);
  return {
    item: { ids: joined, mask: bits(mask.slice(0, start)), temperature },
    answer: { ids: joined, mask: bits(new Uint8Array(start)), temperature },
  };
}

/** Trajectories by likelihood, each with its weight; the loss is a mean over weighted tokens. */
async function likelihoodItems(
  learner: PolicyLearner,
  sequences: readonly Sequence[],
  { weight: by, gold }: Extract<SupervisedStage, { kind: 'sft' }>,
  tokenizer: PolicyTokenizer,
): Promise<TrainItem[]> {
  const usable = sequences.flatMap((sequence) => {
    const forced = withGold(sequence, tokenizer);
    const item = gold ? forced?.item : sequence;
    const fits = forced && item && forced.item.ids.length <= learner.maxTokens;
    return fits ? [{ sequence, item, answer: forced.answer }] : [];
  });
  const scores = await learner.score(
    usable.map(({ answer }) => answer),
    false,
  );
  const weights = trajectoryWeights(by, {
    groups: usable.map(({ sequence }) => sequence.group),
    right: usable.map(({ sequence }) => sequence.rollout.metrics?.em === 1),
    logs: scores.map(({ logprobs }) => sum([...logprobs])),
  });
  const tokens = sum(usable.map(({ item }, i) => itemAt(weights, i) * trainedCount(item.mask)));
  return usable
    .map(({ item }, i) => itemOf(item, tokens > 0 ? itemAt(weights, i) / tokens : 0))
    .filter(({ weight, mask }) => weight > 0 && trainedCount(mask) > 0);
}

/** What a supervised update takes. */
export interface SupervisedItems {
  items: TrainItem[];
  /** The loss before the update, where it is not the items' own: theirs only has its gradient. */
  loss?: number;
}

/** Pairs of sequences by their places; the loss is a mean over pairs. */
export async function pairItems(
  learner: PolicyLearner,
  sequences: readonly ScoredItem[],
  pairs: readonly Pair[],
  { beta, nll }: { beta: number; nll: number },
  adapters: Adapters,
): Promise<SupervisedItems> {
  if (pairs.length === 0) return { items: [] };
  const now = await learner.score(sequences, false);
  const reference = await referenceScores(learner, sequences, adapters);
  const moved = now.map(({ logprobs }, i) =>
    sum([...logprobs].map((value, at) => value - itemAt(itemAt(reference, i).logprobs, at))),
  );
  const weights = new Float64Array(sequences.length);
  let loss = 0;
  for (const { chosen, rejected } of pairs) {
    const tokens = Math.max(1, trainedCount(itemAt(sequences, chosen).mask));
    const term = pairTerm(itemAt(moved, chosen), itemAt(moved, rejected), {
      beta,
      nll: nll / tokens,
    });
    const likelihood = sum([...itemAt(now, chosen).logprobs]);
    loss += (term.loss - (nll / tokens) * likelihood) / pairs.length;
    weights[chosen] = itemAt(weights, chosen) + term.chosen / pairs.length;
    weights[rejected] = itemAt(weights, rejected) + term.rejected / pairs.length;
  }
  const items = sequences
    .map((sequence, i) => itemOf(sequence, itemAt(weights, i)))
    .filter(({ weight, mask }) => weight !== 0 && trainedCount(mask) > 0);
  return { items, loss };
}

type PreferenceStage = Extract<SupervisedStage, { kind: 'dpo' }>;

/** Pairs of rollouts of one question, or of actions in them, as the stage says; by their places among the sequences. */
function preferencesOf(
  sequences: readonly Sequence[],
  loss: PreferenceStage,
): { sequences: readonly ScoredItem[]; pairs: Pair[] } {
  if (loss.pairs === 'actions') {
    const { actions, pairs } = actionPairs(sequences);
    return { sequences: actions, pairs };
  }
  const groups = sequences.map(({ group }) => group);
  const rollouts = sequences.map(({ rollout }) => rollout);
  const pairs =
    loss.pairs === 'efficient'
      ? efficientPairs(rollouts, groups, loss.gamma ?? DEFAULT_GAMMA)
      : pairsOf(
          rollouts.map(({ reward }) => reward ?? 0),
          groups,
          loss,
        );
  return { sequences, pairs };
}

/** Makes the items of one update at the adapters of that moment; the learner holds the policy's. */
type Update = (learner: PolicyLearner, adapters: Adapters) => Promise<SupervisedItems>;

/**
 * What a supervised stage learns from a step's rollouts, update by update; an update has no items where nothing can be learned
 * from. Its weights are those at the adapter that it begins with.
 * @param at the step from 1, and the run's seed, from which mini-batches are drawn
 */
export function supervisedUpdates(
  sequences: readonly Sequence[],
  loss: SupervisedStage,
  { tokenizer, ...at }: { tokenizer: PolicyTokenizer; seed: number; step: number },
): Update[] {
  if (loss.kind === 'sft')
    return [
      async (learner) => ({ items: await likelihoodItems(learner, sequences, loss, tokenizer) }),
    ];
  const all = preferencesOf(sequences, loss);
  const most = loss.pairsAnUpdate;
  const passes = Array.from({ length: loss.passes ?? 1 }, (_, pass) =>
    miniBatches(all.pairs, most, { ...at, pass }),
  );
  return passes.flat().map((pairs) => {
    const own = most === undefined ? all : pairedItems({ items: all.sequences }, pairs);
    return (learner, adapters) => pairItems(learner, own.sequences, own.pairs, loss, adapters);
  });
}
