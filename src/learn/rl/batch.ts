import { latentsOf } from '../../agent/transcript/latents.ts';
import type { Rollout } from '../../records/rollout.ts';
import { estimateAdvantages, membersOf } from '../advantages.ts';
import type { CriticState } from '../critic/head.ts';
import {
  maskedByTags,
  maskedFirstCalls,
  trainedCount,
  trainedTokens,
  type Sequence,
} from '../mask.ts';
import { outcomeOf, stepAdvantages } from '../span-advantages.ts';
import { klTerm, sequenceWeights } from '../objective.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import type { ItemScores, TrainItem } from '../replicas/replica.ts';
import { addToReward } from './scoring.ts';
import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import { klRuleOf } from '../../recipes/parts/kl.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { FACT } from '../rewards/parts/clause.ts';

/**
 * FSPO (arXiv 2505.24630): the verdict v on a step of reasoning (1 stated by what was read, −1 not, 0 nothing to
 * verify) turns the advantage A of its tokens: A stays where v A ≥ 0, else −A counts. Tokens outside thoughts keep A.
 * `as-released` (nusnlp/FSPO): verdicts are 1 or −1 alone and every token outside thoughts has 1, so that the answer of
 * a wrong rollout is pushed up. Its further faults (a mask that begins at the response's first token, another
 * tokenizer's lengths) are not reproduced.
 */

type Factuality = 'paper' | 'as-released';

/** The advantage of a token under a verdict. @param v null outside thoughts */
export function turned(advantage: number, v: number | null, form: Factuality): number {
  if (form === 'as-released') {
    const sign = v === null || v > 0 ? 1 : -1;
    return sign * Math.abs(advantage);
  }
  return v === null || v * advantage >= 0 ? advantage : -advantage;
}

interface Trained {
  rollout: Pick<Rollout, 'segments' | 'rewards'>;
  /** 1 where the loss may train a token; one for each of the context. */
  mask: ArrayLike<number>;
}

/** One advantage a trained token. @param advantage of the rollout, or one a trained token */
export function turnedByFacts(
  { rollout, mask }: Trained,
  advantage: number | Float32Array,
  form: Factuality,
): Float32Array {
  const verdicts = new Map<number, number>();
  for (const { clause, value, evidence } of rollout.rewards)
    if (clause === FACT) for (const { segment } of evidence) verdicts.set(segment, value);
  const out: number[] = [];
  let token = 0;
  rollout.segments.forEach(({ ids, role }, segment) => {
    const verdict = verdicts.get(segment) ?? (role === 'think' ? 0 : null);
    for (let i = 0; i < ids.length; i++, token++) {
      if (mask[token] !== 1 || token === 0) continue;
      const own = typeof advantage === 'number' ? advantage : itemAt(advantage, out.length);
      out.push(turned(own, verdict, form));
    }
  });
  return Float32Array.from(out);
}

/** From rollout records to what the learner takes. */

/** Entropies of the trained tokens as the sampler saw them. */
function sampledEntropies(rollout: Rollout, count: number): Float32Array {
  const all = rollout.segments.flatMap((s) => (s.mask === 1 ? (s.entropies ?? []) : []));
  return Float32Array.from(all.slice(all.length - count));
}

function sequenceOf(rollout: Rollout, group: number): Sequence {
  const { ids, mask, temperature, oldLogprobs, starts } = trainedTokens(rollout);
  // Nothing precedes a context's first token, so it cannot be predicted.
  const trained = Array.from(mask, (m, i) => (m === 1 && i > 0 ? i : 0)).filter(Boolean);
  const latents = latentsOf(rollout);
  return {
    rollout,
    group,
    ids,
    mask,
    temperature,
    oldLogprobs: Float32Array.from(trained, (i) => itemAt(oldLogprobs, i, 'log-probabilities')),
    entropies: sampledEntropies(rollout, trained.length),
    ...(latents && { latents }),
    ...(starts.length > 0 && { starts }),
  };
}

/** The sequence with fewer trained tokens. @param mask 1 where a token stays one */
function narrowed(sequence: Sequence, mask: Uint8Array): Sequence {
  let at = 0;
  const stays: boolean[] = [];
  sequence.mask.forEach((trained, i) => {
    if (trained === 1 && i > 0) stays[at++] = mask[i] === 1;
  });
  const kept = (values: Float32Array): Float32Array => values.filter((_, i) => stays[i]);
  const { oldLogprobs, entropies, behaviour } = sequence;
  return {
    ...sequence,
    mask,
    oldLogprobs: kept(oldLogprobs),
    entropies: kept(entropies),
    ...(behaviour && { behaviour: kept(behaviour) }),
  };
}

/** The sequence with further trained tokens. @param mask 1 where they are @param scores of these, in order */
function widened(sequence: Sequence, mask: Uint8Array, scores: ItemScores): Sequence {
  const both = sequence.mask.map((bit, i) => (bit === 1 || mask[i] === 1 ? 1 : 0));
  const places = Array.from(both, (bit, i) => (bit === 1 && i > 0 ? i : 0)).filter(Boolean);
  const merged = (own: Float32Array, further: Float32Array): Float32Array => {
    let [a, b] = [0, 0];
    return Float32Array.from(places, (at) =>
      mask[at] === 1 ? itemAt(further, b++, 'scores') : itemAt(own, a++, 'trained tokens'),
    );
  };
  const { oldLogprobs, entropies, behaviour } = sequence;
  return {
    ...sequence,
    mask: both,
    oldLogprobs: merged(oldLogprobs, scores.logprobs),
    entropies: merged(entropies, scores.entropies),
    ...(behaviour && { behaviour: merged(behaviour, scores.logprobs) }),
  };
}

/** Where the environment wrote a result. */
const outputsOf = ({ segments }: Rollout): Uint8Array =>
  Uint8Array.from(
    segments.flatMap(({ ids, source, role }) =>
      ids.map(() => Number(source === 'environment' && role === 'result')),
    ),
  );

/** Tokens that stand around results. */
interface Results {
  open: number;
  close: number;
}

/** Searches that a rollout could make. */
const searchesAllowed = ({ recipe }: Rollout): number =>
  (recipe.settings as unknown as RecipeSettings).retrieval.maxSearches;

/**
 * Sequences as released code masks them: R1-Searcher's by the tags of results, CIR's by those of as many as searches are
 * allowed; `none` masks no result. What CIR's then trains of later results has the old log-probabilities that the learner gives
 * it, whose adapter is the sampler's, as in its code.
 */
export async function sequencesMasked(
  learner: PolicyLearner,
  sequences: readonly Sequence[],
  by: NonNullable<TrainSettings['objective']['mask']>,
  tags: Results,
): Promise<Sequence[]> {
  if (by === 'by-tags')
    return sequences.map((one) => narrowed(one, maskedByTags(one.ids, one.mask, tags)));
  const masks = sequences.map(({ ids, mask, rollout }) =>
    maskedFirstCalls(
      ids,
      { mask, outputs: outputsOf(rollout) },
      tags,
      by === 'none' ? 0 : searchesAllowed(rollout),
    ),
  );
  const narrow = sequences.map((one, s) =>
    narrowed(
      one,
      one.mask.map((bit, i) => (masks[s]?.[i] === 1 ? bit : 0)),
    ),
  );
  const further = narrow.map(({ mask }, s) =>
    mask.map((bit, i) => (bit === 0 && masks[s]?.[i] === 1 ? 1 : 0)),
  );
  const places = further.flatMap((mask, s) => (trainedCount(mask) > 0 ? [s] : []));
  if (places.length === 0) return narrow;
  const scores = await learner.score(
    places.map((s) => {
      return { ...itemAt(narrow, s, 'sequences'), mask: itemAt(further, s, 'masks') };
    }),
    false,
  );
  return narrow.map((one, s) => {
    const at = places.indexOf(s);
    return at < 0 ? one : widened(one, itemAt(further, s, 'masks'), itemAt(scores, at, 'scores'));
  });
}

/** An advantage that pulls no token up: what lies above 0 is 0. */
export const worseAlone = (advantage: number | Float32Array): number | Float32Array =>
  typeof advantage === 'number'
    ? Math.min(0, advantage)
    : advantage.map((value) => Math.min(0, value));

/** What ends a rollout before the policy does. */
const LIMITS = new Set<string>(['max-searches', 'token-budget', 'context-full']);

/** VerlTool's `mask_overlong_loss` (2509.01055): nothing of a rollout that a limit ended is trained. */
export function finishedAlone(sequence: Sequence): Sequence {
  const { events } = sequence.rollout;
  const cut = events.some((event) => event.kind === 'stop' && LIMITS.has(event.reason));
  return cut ? narrowed(sequence, new Uint8Array(sequence.mask.length)) : sequence;
}

/** Sequences of groups, in order. */
export const sequencesOf = (groups: readonly (readonly Rollout[])[]): Sequence[] =>
  groups.flatMap((group, g) => group.map((rollout) => sequenceOf(rollout, g)));

/**
 * The KL to the reference as a part of the reward, `−coefficient · Σ KL` over the rollout's tokens,
 * at the log-probabilities that the sampler gave them.
 */
export function addKlToRewards(
  sequences: readonly Sequence[],
  references: readonly Float32Array[],
  kl: TrainSettings['objective']['kl'],
): void {
  sequences.forEach(({ rollout, oldLogprobs }, s) => {
    let sum = 0;
    const reference = itemAt(references, s, 'references');
    oldLogprobs.forEach((p, i) => (sum += klTerm(kl.form, p, itemAt(reference, i)).value));
    addToReward(rollout, 'kl', -kl.coefficient * sum);
  });
}

/**
 * Writes baseline (the group's mean) and advantage into the records; returns the advantages: one per rollout, or,
 * with `credit: span`, one a trained token.
 * @param steps clauses of the reward that value single searches
 */
export function fillAdvantages(
  sequences: readonly Sequence[],
  objective: TrainSettings['objective'],
  steps: readonly string[] = [],
): (number | Float32Array)[] {
  const apart = objective.credit === 'span' ? steps : [];
  const rewards = sequences.map(({ rollout }) => outcomeOf(rollout, apart));
  const groups = sequences.map(({ group }) => group);
  const lengths = sequences.map(({ mask }) => trainedCount(mask));
  const { estimator, epsilon } = objective;
  const advantages = estimateAdvantages(estimator, rewards, groups, lengths, epsilon);
  for (const members of membersOf(groups)) {
    const baseline = mean(members.map((i) => itemAt(rewards, i, 'rewards')));
    for (const i of members) {
      const { rollout } = itemAt(sequences, i, 'sequences');
      rollout.baseline = baseline;
      rollout.advantage = itemAt(advantages, i, 'advantages');
    }
  }
  const whole: (number | Float32Array)[] =
    apart.length === 0
      ? [...advantages]
      : stepAdvantages(sequences, apart).map((own, i) =>
          own.map((value) => value + itemAt(advantages, i, 'advantages')),
        );
  const { factuality } = objective;
  if (factuality === undefined) return whole;
  return sequences.map((sequence, i) =>
    turnedByFacts(sequence, itemAt(whole, i, 'advantages'), factuality),
  );
}

interface AdvantageParts {
  sequences: readonly Sequence[];
  /** Null where the reference was not scored. */
  references: readonly Float32Array[] | null;
  /** Clauses of the reward that value single searches. */
  steps: readonly string[];
  /** As the step before left it. */
  critic: CriticState | undefined;
}

/**
 * A step's advantages, by its critic where there is one, else by groups; the KL goes into the rewards where it stands
 * there, token by token for a critic. Baselines, advantages and what the KL cost are written into the records.
 */
export async function stepAdvantagesOf(
  learner: PolicyLearner,
  { objective, critic: settings }: Pick<TrainSettings, 'objective' | 'critic'>,
  { sequences, references, steps, critic }: AdvantageParts,
): Promise<{ advantages: (number | Float32Array)[]; critic?: CriticState }> {
  const inReward = objective.kl.place === 'reward' ? references : null;
  const valued = settings
    ? await (
        await import('../critic/step.ts')
      ).criticStep(learner, critic, {
        sequences,
        references: inReward,
        objective,
        critic: settings,
        steps,
      })
    : null;
  if (inReward) addKlToRewards(sequences, inReward, objective.kl);
  return valued ?? { advantages: fillAdvantages(sequences, objective, steps) };
}

const isRight = ({ rollout }: Sequence): boolean => rollout.metrics?.em === 1;

/**
 * Items of the optimizer updates: sequence i belongs to update `i mod updates`, so that every update
 * sees some of each group. Weights are those of the update's own batch.
 * @param stale ids of rollouts that an earlier adapter sampled
 */
export function updateBatches(
  sequences: readonly Sequence[],
  advantages: ArrayLike<number | Float32Array>,
  references: readonly Float32Array[] | null,
  { objective, updates }: Pick<TrainSettings, 'objective' | 'updates'>,
  stale?: ReadonlySet<string>,
): TrainItem[][] {
  const inLoss = objective.kl.place === 'loss' && references !== null;
  const rule = klRuleOf(objective.kl);
  const solved = new Set(sequences.flatMap((one) => (isRight(one) ? [one.group] : [])));
  const isPulled = (one: Sequence): boolean =>
    rule?.pulls({ right: isRight(one), solved: solved.has(one.group) }) ?? true;
  return Array.from({ length: updates }, (_, u) => {
    const own = sequences
      .map((sequence, i) => ({ sequence, i }))
      .filter(({ i }) => i % updates === u);
    const lengths = own.map(({ sequence }) => trainedCount(sequence.mask));
    const { aggregation, constantLength, microBatch } = objective;
    const weights = sequenceWeights(aggregation, constantLength, lengths, microBatch);
    return own
      .map(({ sequence, i }, at) => ({
        ids: sequence.ids,
        mask: sequence.mask,
        temperature: sequence.temperature,
        oldLogprobs: sequence.oldLogprobs,
        behaviour: sequence.behaviour,
        latents: sequence.latents,
        starts: sequence.starts,
        refLogprobs: inLoss && isPulled(sequence) ? itemAt(references, i, 'references') : null,
        advantage: itemAt(advantages, i, 'advantages'),
        weight: itemAt(weights, at, 'weights'),
        right: isRight(sequence),
        ...((sequence.otherContext ?? stale?.has(sequence.rollout.id)) && { stale: true }),
      }))
      .filter(({ oldLogprobs }) => oldLogprobs.length > 0);
  }).filter((batch) => batch.length > 0);
}

/** Log-probabilities under the adapter switched off, in the order of the sequences. */
export async function referenceLogprobs(
  learner: Pick<PolicyLearner, 'score'>,
  sequences: readonly Sequence[],
): Promise<Float32Array[]> {
  return (await learner.score(sequences, true)).map(({ logprobs }) => logprobs);
}
