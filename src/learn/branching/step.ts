import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Branching } from '../../recipes/parts/branching.ts';
import { creditOf } from './credit.ts';
import {
  isClone,
  keptClones,
  mixtureLogprobs,
  nextRate,
  probeDensity,
  probeIds,
  probeSegment,
} from './revive.ts';
import type { PolicyLearner } from '../replicas/learner.ts';
import { trainedCount, type ScoredItem } from '../replicas/replica.ts';
import { trainedTokens } from '../mask.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';

/** What groups whose rollouts come from each other change between rollouts and loss. */

/** One rollout's tokens; all but the mask are of the trained ones. */
interface Sequence {
  rollout: Rollout;
  group: number;
  mask: Uint8Array;
  oldLogprobs: Float32Array;
  behaviour?: Float32Array;
  entropies: Float32Array;
}

/** One value a sequence: of the whole, or one a trained token. */
interface Weighed<S extends Sequence> {
  sequences: readonly S[];
  advantages: readonly (number | Float32Array)[];
  references: readonly Float32Array[] | null;
}

/** What is trained, where rollouts share tokens: those that the credit leaves out are masked. */
export function creditShared<S extends Sequence>(
  weighed: Weighed<S>,
  branching: Branching | undefined,
): Weighed<S> {
  const { sequences, advantages, references } = weighed;
  const credits = creditOf(sequences, advantages, branching);
  if (!credits) return weighed;
  const kept = credits.map((own) => own.flatMap((value, i) => (value === null ? [] : [i])));
  const only = (values: Float32Array, s: number): Float32Array =>
    Float32Array.from(itemAt(kept, s), (i) => itemAt(values, i));
  const own = credits.map((credit) => Float32Array.from(credit.filter((value) => value !== null)));
  // A record shows one number: the mean of its own tokens.
  if (branching?.kind === 'tree')
    sequences.forEach(({ rollout }, s) => {
      const values = [...itemAt(own, s, 'advantages')];
      rollout.advantage = values.length === 0 ? 0 : mean(values);
    });
  return {
    sequences: sequences.map((sequence, s) => {
      const mask = sequence.mask.slice();
      let trained = 0;
      for (let i = 1; i < mask.length; i++)
        if (mask[i] === 1 && itemAt(credits, s)[trained++] === null) mask[i] = 0;
      return {
        ...sequence,
        mask,
        oldLogprobs: only(sequence.oldLogprobs, s),
        entropies: only(sequence.entropies, s),
        ...(sequence.behaviour && { behaviour: only(sequence.behaviour, s) }),
      };
    }),
    advantages: own,
    references: references && references.map((values, s) => only(values, s)),
  };
}

/** The clones of a step that are trained, with what their probes are worth to the policy. */
interface Revived {
  groups: Rollout[][];
  /** ρ for the next step. */
  rate: number;
  /** α: kept clones over all rollouts that are trained. */
  alpha: number;
  /** Share of the originals that were wrong. */
  wrong: number;
}

const accuracyOf = ({ metrics }: Rollout): number => metrics?.em ?? 0;

/**
 * Keeps the clones whose probes the policy finds likeliest, as many as ρ allows, and makes those probes trained
 * tokens; the others leave their groups. The learner holds the adapter that sampled.
 */
async function keepClones(
  learner: PolicyLearner,
  groups: readonly (readonly Rollout[])[],
  { smoothing }: { smoothing: number },
  rate: number,
): Promise<Revived> {
  const originals = groups.flat().filter((rollout) => !isClone(rollout));
  const clones = groups.flat().filter(isClone);
  const places = clones.map(probeSegment);
  const scores = await learner.score(
    clones.map((clone, c) => {
      const { ids, temperature } = trainedTokens(clone);
      const mask = Uint8Array.from(
        clone.segments.flatMap((segment, i) => segment.ids.map(() => (i === places[c] ? 1 : 0))),
      );
      return { ids, mask, temperature };
    }),
    false,
  );
  const ranked = scores
    .map(({ logprobs }, c) => ({ c, worth: mean([...logprobs]) }))
    .toSorted((a, b) => b.worth - a.worth || a.c - b.c)
    .slice(0, keptClones(originals.length, rate));
  const kept = new Set<Rollout>();
  for (const { c } of ranked) {
    const clone = itemAt(clones, c, 'clones');
    const { logprobs, entropies } = itemAt(scores, c, 'scores');
    clone.segments = clone.segments.map((segment, i) =>
      i === places[c]
        ? {
            ...segment,
            mask: 1 as const,
            logprobs: Array.from(logprobs, (value) => Math.min(0, value)),
            entropies: [...entropies],
          }
        : segment,
    );
    kept.add(clone);
  }
  return {
    groups: groups.map((group) => group.filter((one) => !isClone(one) || kept.has(one))),
    rate: nextRate(rate, smoothing, clones.map(accuracyOf)),
    alpha: kept.size === 0 ? 0 : kept.size / (originals.length + kept.size),
    wrong: 1 - (originals.length === 0 ? 0 : mean(originals.map(accuracyOf))),
  };
}

/**
 * Mean ratio π / π_behaviour of the trained tokens of probes, with π as an update left it: what the next update of the same
 * batch would weigh them by. Null without a clone.
 */
export async function probeRatio(
  learner: PolicyLearner,
  sequences: readonly (Sequence & ScoredItem)[],
  adapter: Float32Array,
): Promise<number | null> {
  const probes = sequences.flatMap((sequence) => {
    const { rollout, mask, oldLogprobs, behaviour = oldLogprobs } = sequence;
    if (!isClone(rollout)) return [];
    const segment = probeSegment(rollout);
    const start = rollout.segments.slice(0, segment).reduce((sum, { ids }) => sum + ids.length, 0);
    const end = start + (rollout.segments[segment]?.ids.length ?? 0);
    const from = trainedCount(mask.slice(0, start));
    const own = mask.map((bit, i) => (i >= start && i < end ? bit : 0));
    const old = behaviour.slice(from, from + trainedCount(own));
    return old.length === 0 ? [] : [{ item: { ...sequence, mask: own }, old }];
  });
  if (probes.length === 0) return null;
  learner.setAdapter(adapter);
  const scores = await learner.score(
    probes.map(({ item }) => item),
    false,
  );
  return mean(
    scores.flatMap(({ logprobs }, p) => {
      const { old } = itemAt(probes, p, 'probes');
      return Array.from(logprobs, (value, i) => Math.exp(value - itemAt(old, i)));
    }),
  );
}

/** Sequences with ln π_mix in the ratio's denominator. @param probes token ids of every probe */
function withMixture<S extends Sequence>(
  sequences: readonly S[],
  { alpha, wrong }: Pick<Revived, 'alpha' | 'wrong'>,
  probes: readonly (readonly number[])[],
): S[] {
  if (alpha === 0) return [...sequences];
  return sequences.map((sequence) => {
    const { rollout, oldLogprobs, mask } = sequence;
    if (!isClone(rollout))
      return {
        ...sequence,
        behaviour: mixtureLogprobs({ oldLogprobs, probe: null }, { alpha, wrong }),
      };
    const segment = probeSegment(rollout);
    const start = rollout.segments.slice(0, segment).reduce((sum, { ids }) => sum + ids.length, 0);
    const ids = rollout.segments[segment]?.ids ?? [];
    const probe = { at: trainedCount(mask.slice(0, start)), density: probeDensity(ids, probes) };
    return { ...sequence, behaviour: mixtureLogprobs({ oldLogprobs, probe }, { alpha, wrong }) };
  });
}

/**
 * The sequences of a step. With `revive`, some clones of failed rollouts are among them, and ρ for the next step.
 * @param rate ρ after the steps so far; absent: as the settings begin
 */
export async function branchedSequences<S extends Sequence>(
  learner: PolicyLearner,
  trained: readonly (readonly Rollout[])[],
  sequencesOf: (groups: readonly (readonly Rollout[])[]) => S[],
  {
    branching,
    tokenizer,
    rate,
  }: { branching: Branching | undefined; tokenizer: PolicyTokenizer; rate: number | undefined },
): Promise<{ sequences: S[]; reviveRate?: number }> {
  if (branching?.kind !== 'revive') return { sequences: sequencesOf(trained) };
  const revived = await keepClones(learner, trained, branching, rate ?? branching.rate);
  const sequences = sequencesOf(revived.groups);
  const mixed = branching.correction === 'mixture';
  return {
    sequences: mixed ? withMixture(sequences, revived, probeIds(tokenizer)) : sequences,
    reviveRate: revived.rate,
  };
}
