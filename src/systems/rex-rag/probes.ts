import { deriveSeed, uniform } from '../../base/random.ts';
import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { AgentDeps, GroupRequest } from '../../agent/request.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import { runFork } from '../../agent/run.ts';
import type { Revival } from './system.ts';

/**
 * REX-RAG (arXiv 2508.08149; code: MiliLab/REX-RAG): a rollout whose own answer was wrong is, with probability
 * P, continued from before that answer, after a sentence that doubts. Sentences are ours, in the words of the
 * built-in world.
 */

/** What opens a clone's thought. */
const PROBES = [
  'something is missing ; look once more .',
  'something is missing ; which name is still unknown ?',
  'that may be another one with the same name .',
  'that may be wrong ; search again .',
  'that may be wrong ; which page says so ?',
  'first find the name in the question .',
  'first find what the question asks last .',
  'the other source may know more .',
] as const;

/** Whether the policy answered by itself, and wrong. */
const failed = ({ events, metrics }: Rollout): boolean =>
  metrics?.em !== 1 && events.some((event) => event.kind === 'answer' && event.by === 'policy');

/** Clones of those of a group's rollouts that failed and were drawn. */
export function clonesOf(
  deps: AgentDeps,
  request: GroupRequest,
  { chance }: Pick<Revival, 'chance'>,
  originals: readonly Rollout[],
): Promise<Rollout[]> {
  const chosen = originals.filter(
    (one) => failed(one) && uniform(deriveSeed(one.seed, 'revive')) < chance,
  );
  const clones = chosen.map(async (of, i) => {
    const seed = deriveSeed(request.seed, 'clone', i);
    const opening = itemAt(PROBES, Math.floor(uniform(seed) * PROBES.length), 'probes');
    const clone = await runFork(
      deps,
      { of, event: of.events.findIndex(({ kind }) => kind === 'answer'), opening },
      {
        question: request.question,
        rolloutId: `${request.groupId}-${request.size + i}`,
        seed,
        signal: request.signal,
      },
    );
    request.onRollout?.(clone);
    return clone;
  });
  return Promise.all(clones);
}

/** Whether a rollout continues with a failed one. */
export const isClone = ({ forks }: Pick<Rollout, 'forks'>): boolean =>
  forks?.at(-1)?.changes.opening !== undefined;

/** The segment that holds a clone's probe: the first behind what it shares. */
export function probeSegment({ forks, segments }: Pick<Rollout, 'forks' | 'segments'>): number {
  const shared = forks?.at(-1)?.tokens ?? 0;
  let start = 0;
  return segments.findIndex(({ ids }) => {
    const found = start >= shared;
    start += ids.length;
    return found;
  });
}

/** Clones that are trained: ⌊rollouts · ρ⌋. */
export const keptClones = (rollouts: number, rate: number): number => Math.floor(rollouts * rate);

/** ρ after a step whose clones were right so often; as it was where there were none. */
export const nextRate = (rate: number, smoothing: number, accuracies: readonly number[]): number =>
  accuracies.length === 0 ? rate : (1 - smoothing) * rate + smoothing * mean(accuracies);

/**
 * μ of a probe's tokens: 1 for its first, then the share of the probes with the same beginning that continue with
 * that token.
 * @param probes token ids of every probe
 */
export function probeDensity(
  probe: readonly number[],
  probes: readonly (readonly number[])[],
): number[] {
  return probe.map((id, at) => {
    if (at === 0) return 1;
    const same = probes.filter((other) =>
      probe.slice(0, at).every((known, i) => other[i] === known),
    );
    return same.filter((other) => other[at] === id).length / Math.max(1, same.length);
  });
}

/** What μ of a rollout's tokens is made of. */
export interface Behaviour {
  /** ln π_old of each trained token. */
  oldLogprobs: Float32Array;
  /** Of a clone: trained tokens before the probe, and μ of each token of the probe; null: an original. */
  probe: { at: number; density: readonly number[] } | null;
}

/**
 * ln π_mix of each trained token, π_mix = (1 − α) π_old + α μ. μ is 0 in originals; in a clone π_old / z^(1/j)
 * before the probe (z: share of originals that are wrong, j: trained tokens before it), the probe's own density
 * in it and π_old after it.
 */
export function mixtureLogprobs(
  { oldLogprobs, probe }: Behaviour,
  { alpha, wrong }: { alpha: number; wrong: number },
): Float32Array {
  return oldLogprobs.map((logprob, i) => {
    const own = Math.exp(logprob);
    if (!probe) return Math.log((1 - alpha) * own);
    const inProbe = probe.density[i - probe.at];
    const before = i < probe.at;
    const density = before ? own / wrong ** (1 / probe.at) : (inProbe ?? own);
    return Math.log((1 - alpha) * own + alpha * density);
  });
}

/** Token ids of every probe with the tag that opens its thought. */
export const probeIds = (tokenizer: PolicyTokenizer): number[][] => {
  const tag = tokenizer.specialId('<think>');
  return PROBES.map((text) => [
    ...(tag === undefined ? tokenizer.encodeText('<think>') : [tag]),
    ...tokenizer.encodeText(` ${text}`),
  ]);
};
