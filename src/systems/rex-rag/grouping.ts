import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import { fromQuestion } from '../../learn/branching/grow.ts';
import type { Grouping } from '../../learn/branching/grouping.ts';
import { trainedCount, trainedTokens, type Sequence } from '../../learn/mask.ts';
import type { PolicyLearner } from '../../learn/replicas/learner.ts';
import type { Rollout } from '../../records/rollout.ts';
import {
  clonesOf,
  isClone,
  keptClones,
  mixtureLogprobs,
  nextRate,
  probeDensity,
  probeIds,
  probeSegment,
} from './probes.ts';
import type { Revival } from './system.ts';

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
  sequences: readonly Sequence[],
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
function withMixture(
  sequences: readonly Sequence[],
  { alpha, wrong }: Pick<Revived, 'alpha' | 'wrong'>,
  probes: readonly (readonly number[])[],
): Sequence[] {
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

/** The name under which ρ is kept from step to step. */
const RATE = 'rex-rag rate';

export const grouping = (rule: Revival): Grouping => ({
  async grow(deps, request, { begun }) {
    const originals = await fromQuestion(deps, request, begun, request.size);
    const clones = await clonesOf(deps, request, rule, originals);
    return [...originals.slice(begun.length), ...clones];
  },
  async sequences({ groups, learner, tokenizer, kept, sequencesOf }) {
    const revived = await keepClones(learner, groups, rule, kept[RATE] ?? rule.rate);
    kept[RATE] = revived.rate;
    const sequences = sequencesOf(revived.groups);
    return rule.correction === 'mixture'
      ? withMixture(sequences, revived, probeIds(tokenizer))
      : sequences;
  },
  probeRatio,
});
