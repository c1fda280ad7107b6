import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import type { SupervisedStage, StoredStage } from '../../recipes/parts/stage-loss.ts';
import type { Rollout } from '../../records/rollout.ts';
import { chosenAnswerIds } from '../../agent/transcript/blocks.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount } from '../mask.ts';
import type { ItemScores, ScoredItem, TrainItem } from '../replicas/replica.ts';
import { actionPairs } from './actions.ts';
import { pairsOf, pairTerm, type Pair } from './dpo.ts';
import { efficientPairs } from './efficient.ts';
import { pairedItems, type StoredItems } from './resolve.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import { membersOf } from '../advantages.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { stageAt } from '../schedule.ts';
import { Cycle } from '../cycle.ts';

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

/** What each trajectory of a question weighs where they are learned from by likelihood. */

type By = Extract<SupervisedStage, { kind: 'sft' }>['weight'];

/** Values that add up to 1, of any that are not negative; nothing where they are all 0. */
function shares(values: readonly number[]): number[] {
  const all = sum(values);
  return values.map((value) => (all > 0 ? value / all : 0));
}

/** softmax(log p); less its largest first, so that none overflows. */
function softmax(logs: readonly number[]): number[] {
  const most = Math.max(...logs);
  return shares(logs.map((log) => Math.exp(log - most)));
}

/**
 * - `right`: rejection sampling, the right ones of a question alike.
 * - `first`: the first right one of a question alone, as where sampling ends with it (RARE, 2503.23513).
 * - `likelihood`: ExSearch's w(z) = p(y*|x, z) / Σ p(y*|x, z') (arXiv 2505.20128).
 * - `best`: CoRAG's argmax of it (2501.14342); the earlier one of a tie.
 * - `uniform`: all of a question alike.
 * - `released`: ExSearch's code, −log p over its sum: it prefers worse ones.
 * @param logs ln p(y*|x, z) of each, at most 0
 * @returns weights that add up to 1 in every group that has any
 */
export function trajectoryWeights(
  by: By,
  {
    groups,
    right,
    logs,
  }: { groups: ArrayLike<number>; right: readonly boolean[]; logs: readonly number[] },
): Float64Array {
  const out = new Float64Array(right.length);
  for (const members of membersOf(groups)) {
    const own = members.map((i) => itemAt(logs, i, 'log-likelihoods'));
    const best = own.indexOf(Math.max(...own));
    const weights = {
      right: () => shares(members.map((i) => Number(right[i]))),
      first: () => members.map((i, at) => Number(at === members.findIndex((one) => right[one]))),
      likelihood: () => softmax(own),
      best: () => own.map((_, at) => Number(at === best)),
      uniform: () => shares(own.map(() => 1)),
      released: () => shares(own.map((log) => -log)),
    }[by]();
    members.forEach((i, at) => (out[i] = itemAt(weights, at)));
  }
  return out;
}

/** Items of a supervised update: each token's weight is −∂loss/∂ln π of it. */

/** One rollout's tokens. */
interface Sequence extends ScoredItem {
  rollout: Rollout;
  group: number;
}

/** A sequence of which each trained token weighs `weight` in a supervised update. */
const itemOf = ({ ids, mask, temperature }: ScoredItem, weight: number): TrainItem => ({
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
async function pairItems(
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

type PreferenceStage = Exclude<SupervisedStage, { kind: 'sft' }>;

/** Pairs of rollouts of one question, or of actions in them, as the stage says; by their places among the sequences. */
function preferencesOf(
  sequences: readonly Sequence[],
  loss: PreferenceStage,
): { sequences: readonly ScoredItem[]; pairs: Pair[] } {
  if (loss.kind === 'action-dpo') {
    const { actions, pairs } = actionPairs(sequences);
    return { sequences: actions, pairs };
  }
  const groups = sequences.map(({ group }) => group);
  const rollouts = sequences.map(({ rollout }) => rollout);
  const pairs =
    loss.kind === 'efficient-dpo'
      ? efficientPairs(rollouts, groups, loss.gamma)
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
  const { passes = 1, pairsAnUpdate: most } = loss.kind === 'efficient-dpo' ? loss : {};
  const each = Array.from({ length: passes }, (_, pass) =>
    miniBatches(all.pairs, most, { ...at, pass }),
  );
  return each.flat().map((pairs) => {
    const own = most === undefined ? all : pairedItems({ items: all.sequences }, pairs);
    return (learner, adapters) => pairItems(learner, own.sequences, own.pairs, loss, adapters);
  });
}

/**
 * Iterated preference optimisation (WebThinker, arXiv 2504.21776, section 3.4; 2404.19733, section 2): round i samples with
 * π_i, makes its pairs, and learns by
 *
 *     −ln σ(β · [ln π(y⁺)/π_i(y⁺) − ln π(y⁻)/π_i(y⁻)])
 *
 * from π_i on to π_{i+1}. With one round the reference is the policy as the stage begins, after a stage of reinforcement
 * learning that one's; with none the checkpoint.
 */

type Staged = Pick<TrainSettings, 'stages' | 'steps'>;

/** How many steps a stage has: the last one takes what is left. */
function stepsOf({ stages, steps }: Staged, stage: number): number {
  const before = sum(stages.slice(0, stage).map((one) => one.steps));
  const own = itemAt(stages, stage, 'stages').steps;
  return stage === stages.length - 1 ? steps - before : Math.min(own, steps - before);
}

/** Whether a round begins with step `at`, from 0, of `count` steps: round i with the first step from i · count / rounds on; of more rounds than steps with every step. */
export const beginsRound = (at: number, count: number, rounds: number): boolean =>
  at === 0 || Math.floor((at * rounds) / count) !== Math.floor(((at - 1) * rounds) / count);

/** What a step begins with. */
interface Before {
  /** Steps that are done. */
  step: number;
  adapter: Float32Array;
  /** Adapter of the reference of the round, from the step before. */
  reference?: Float32Array;
}

/**
 * Adapter of the reference of the step that follows; null where that is the checkpoint.
 * @throws Error where a round is under way and its reference is not there
 */
export function roundReference(settings: Staged, before: Before): Float32Array | null {
  const { stages } = settings;
  const stage = stageAt(stages, before.step + 1);
  const { loss } = itemAt(stages, stage, 'stages');
  if (!loss || !('rounds' in loss) || loss.rounds === undefined) return null;
  const at = before.step - sum(stages.slice(0, stage).map((one) => one.steps));
  if (beginsRound(at, stepsOf(settings, stage), loss.rounds)) return before.adapter;
  if (!before.reference)
    throw new Error('training: the reference of the current round of preferences is missing');
  return before.reference;
}

/** The two adapters that a preference is between. */
interface Adapters {
  policy: Float32Array;
  /** Null: the checkpoint without one. */
  reference: Float32Array | null;
}

/** Scores of the reference; the learner holds the policy's adapter before and after. */
async function referenceScores(
  learner: PolicyLearner,
  items: readonly ScoredItem[],
  { policy, reference }: Adapters,
): Promise<ItemScores[]> {
  if (reference === null) return learner.score(items, true);
  learner.setAdapter(reference);
  try {
    return await learner.score(items, false);
  } finally {
    learner.setAdapter(policy);
  }
}

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
