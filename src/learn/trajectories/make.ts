import { groupBy, itemAt } from '../../base/items.ts';
import { KeyedRandom } from '../../base/random.ts';
import { sum } from '../../base/statistics.ts';
import type { Rollout } from '../../records/rollout.ts';
import {
  isTrained,
  type StoredPair,
  type StoredTrajectory,
  type TrajectorySet,
  type StoredSegment,
} from '../../formats/trajectories/shape.ts';
import { actionPairs } from '../supervised/actions.ts';
import { efficientPairs } from '../supervised/efficient.ts';
import { pairsOf } from '../supervised/dpo.ts';
import { finished, grounded, hardAndLong, isRight, repeats, unanswered } from './choose.ts';
import { renderBoxed } from '../../records/protocol.ts';
import { exactMatch } from '../../agent/answers/scores.ts';

/**
 * The segments of a recorded rollout, ids and text. What the policy sampled is learned. Words that a loop wrote for
 * it, such as a hint that opens a thought, are learned where `words` says so.
 * @throws Error where the rollout has no tokens of a model, or several contexts
 */
export const segmentsOf = (
  { id, segments, contexts }: Pick<Rollout, 'id' | 'segments' | 'contexts'>,
  words = false,
): StoredSegment[] => {
  if (contexts)
    throw new Error(
      `rollout ${id}: its context was reset after a search, and a stored trajectory is one context`,
    );
  return segments.map(({ source, ids, tokens, text, mask }) => {
    if (tokens) throw new Error(`rollout ${id}: its ids are pieces of text, not tokens of a model`);
    const own = source === 'policy';
    const trained = own && (mask === 1 || words);
    return { by: source, ids, text, ...(own && !trained && { trained }) };
  });
};

/**
 * DTO, "don't think longer, think wisely" (arXiv 2505.21765): what a policy would answer is estimated at every boundary
 * of its reasoning; the trajectory is cut at the first where it would be right with a share of at least α, and the cut
 * one is preferred to the whole one. Here a boundary is the end of a search's result, and the estimate is over the
 * answers that STIE sampled there. The paper's pruning by a judge is left out.
 */

/** Place of the first share that is at least α; null without one. */
export function firstBoundary(shares: readonly number[], alpha: number): number | null {
  const at = shares.findIndex((share) => share >= alpha);
  return at < 0 ? null : at;
}

interface Boundary {
  /** Segments before it. */
  segments: number;
  /** Share of the answers sampled there that are right. */
  share: number;
  /** The likeliest right one. */
  answer: string | null;
}

/** The boundaries at which answers were sampled, in order. */
function boundariesOf({ events, question }: Rollout): Boundary[] {
  let result = -1;
  return events.flatMap((event) => {
    if (event.kind === 'retrieve') result = event.segment ?? result;
    if (event.kind !== 'candidate' || result < 0) return [];
    const right = event.candidates.filter(({ text }) => exactMatch(text, question.answers) === 1);
    const of = (list: typeof right): number => sum(list.map(({ samples = 1 }) => samples));
    const share = of(right) / Math.max(1, of(event.candidates));
    return [{ segments: result + 1, share, answer: right[0]?.text ?? null }];
  });
}

/**
 * The rollout as far as the first boundary at which its answer would be right, with that answer; null where there is
 * none, or nothing is left out by it.
 */
function truncated(rollout: Rollout, alpha: number): StoredSegment[] | null {
  const boundaries = boundariesOf(rollout);
  const at = firstBoundary(
    boundaries.map(({ share }) => share),
    alpha,
  );
  const boundary = at === null ? undefined : boundaries[at];
  const whole = segmentsOf(rollout);
  if (!boundary || boundary.answer === null || at === null) return null;
  // After the last boundary it answers anyhow.
  if (at === boundaries.length - 1) return null;
  return [
    ...whole.slice(0, boundary.segments),
    // As the policy spells it: a space before the tag is a token that it never writes there.
    { by: 'policy', text: `<short_answer>${renderBoxed(boundary.answer)}</short_answer>` },
  ];
}

/** A set of trajectories from recorded rollouts. */

export const WEIGHTS = ['right', 'first', 'uniform', 'reward', 'none'] as const;
export const PAIRS = ['none', 'reward', 'efficient', 'actions', 'truncated'] as const;

export interface MakeOptions {
  /**
   * `right`: 1 for right answers, others are left out; `first`: the first right one of a question alone; `uniform`: 1 for
   * all; `reward`: what a rollout earned, where that is above 0; `none`: rollouts are only in pairs.
   */
  weight: (typeof WEIGHTS)[number];
  /** Rules of pairs: those of a stage's `pairs`, and `truncated`, DTO's. */
  pairs: (typeof PAIRS)[number];
  /** `reward`: chosen ones earned at least `high`, others at most `low`. */
  high: number;
  low: number;
  /** `efficient`. */
  gamma: number;
  /** `truncated`. */
  alpha: number;
  /** A control: which of a pair is the chosen one is drawn, by this seed. */
  shuffle: number | null;
  /** Only questions that none of these rollouts answered right, as START takes them. */
  failed: readonly Rollout[] | null;
  /** Only this share of the questions, hard and long ones first, as Select2Reason takes them. */
  top: { share: number; weight: number } | null;
  /**
   * A control beside `top`: in its place as many trajectories of all questions, or as many learned tokens, drawn by this
   * seed. Without pairs.
   */
  drawn: { seed: number; equal: 'trajectories' | 'tokens' } | null;
  /** Whether rollouts that ask a query twice are left out. */
  noRepeats: boolean;
  /** Whether rollouts that a limit ended, or that broke a rule of the protocol, are left out. */
  finished: boolean;
  /**
   * Whether rollouts that were shown no supporting passage are left out: InstructRAG's rationales have the gold answer
   * also where no passage holds it, which teaches recall.
   */
  grounded: boolean;
  /** Whether words that a loop put into the policy's mouth are learned. */
  words: boolean;
}

export const MAKE_DEFAULTS: MakeOptions = {
  weight: 'right',
  pairs: 'none',
  high: 0.75,
  low: 0.5,
  gamma: 1.5,
  alpha: 0.9,
  shuffle: null,
  failed: null,
  top: null,
  drawn: null,
  noRepeats: false,
  finished: false,
  grounded: false,
  words: false,
};

function kept(
  rollouts: readonly Rollout[],
  { failed, top, noRepeats, finished: only, grounded: held }: MakeOptions,
): Rollout[] {
  const unsolved = failed && unanswered(failed);
  const some = rollouts.filter(
    (one) =>
      (!unsolved || unsolved.has(one.question.id)) &&
      !(noRepeats && repeats(one)) &&
      !(only && !finished(one)) &&
      !(held && !grounded(one)),
  );
  if (!top || some.length === 0) return some;
  const chosen = hardAndLong(some, top);
  return some.filter(({ question }) => chosen.has(question.id));
}

/** What each rollout weighs, in their order. */
function weightsOf(rollouts: readonly Rollout[], by: MakeOptions['weight']): number[] {
  const seen = new Set<string>();
  return rollouts.map((rollout) => {
    if (by === 'uniform') return 1;
    if (by === 'none') return 0;
    if (by === 'reward') return Math.max(0, rollout.reward ?? 0);
    const right = isRight(rollout);
    if (by === 'right' || !right) return Number(right);
    const first = !seen.has(rollout.question.id);
    seen.add(rollout.question.id);
    return Number(first);
  });
}

/** Pairs of whole rollouts by their places. */
function wholePairs(rollouts: readonly Rollout[], options: MakeOptions): StoredPair[] {
  const questions = [...groupBy(rollouts, ({ question }) => question.id).keys()];
  const groups = rollouts.map(({ question }) => questions.indexOf(question.id));
  const rewards = rollouts.map(({ reward, metrics }) => reward ?? metrics?.em ?? 0);
  const pairs =
    options.pairs === 'efficient'
      ? efficientPairs(rollouts, groups, options.gamma)
      : pairsOf(rewards, groups, options);
  return pairs.map(({ chosen, rejected }) => ({
    chosen: itemAt(rollouts, chosen).id,
    rejected: itemAt(rollouts, rejected).id,
  }));
}

/** Trajectories of weight 0 for pairs that are no whole rollouts, with these pairs. */
function partPairs(rollout: Rollout, options: MakeOptions): TrajectorySet {
  const { id, question } = rollout;
  const common = { group: question.id, weight: 0 };
  if (options.pairs === 'truncated') {
    const segments = truncated(rollout, options.alpha);
    if (!segments) return { trajectories: [], pairs: [] };
    return {
      trajectories: [{ id: `${id}-cut`, ...common, segments }],
      pairs: [{ chosen: `${id}-cut`, rejected: id }],
    };
  }
  const ids = Int32Array.from(rollout.segments.flatMap((segment) => segment.ids));
  const { actions, pairs } = actionPairs([
    { rollout, ids, mask: new Uint8Array(ids.length), temperature: 1 },
  ]);
  const name = (place: number): string => `${id}-action-${place}`;
  const trajectories = actions.map(({ ids: own, mask }, place): StoredTrajectory => {
    const at = mask.indexOf(1);
    return {
      id: name(place),
      ...common,
      segments: [
        { by: 'prompt', ids: Array.from(own.subarray(0, at)) },
        { by: 'policy', ids: Array.from(own.subarray(at)) },
      ],
    };
  });
  return {
    trajectories,
    pairs: pairs.map(({ chosen, rejected }) => ({
      chosen: name(chosen),
      rejected: name(rejected),
    })),
  };
}

/** The pairs of a rule, with what they need beside whole rollouts. */
function pairsBy(rollouts: readonly Rollout[], options: MakeOptions): TrajectorySet {
  switch (options.pairs) {
    case 'none':
      return { trajectories: [], pairs: [] };
    case 'reward':
    case 'efficient':
      return { trajectories: [], pairs: wholePairs(rollouts, options) };
    case 'actions':
    case 'truncated': {
      const sets = rollouts.map((rollout) => partPairs(rollout, options));
      return {
        trajectories: sets.flatMap(({ trajectories }) => trajectories),
        pairs: sets.flatMap(({ pairs }) => pairs),
      };
    }
  }
}

/** Pairs, each turned around or not by chance. */
function shuffled(pairs: readonly StoredPair[], seed: number): StoredPair[] {
  const random = new KeyedRandom(seed);
  return pairs.map(({ chosen, rejected }) =>
    random.chance(0.5) ? { chosen: rejected, rejected: chosen } : { chosen, rejected },
  );
}

const learnedTokens = ({ segments }: StoredTrajectory): number =>
  sum(segments.map((one) => (isTrained(one) ? (one.ids?.length ?? 0) : 0)));

/** Trajectories by chance, in their order: as many as were chosen, or as many of them as have no more tokens than those. */
function drawnFrom(
  all: readonly StoredTrajectory[],
  chosen: readonly StoredTrajectory[],
  { seed, equal }: NonNullable<MakeOptions['drawn']>,
): StoredTrajectory[] {
  let left = equal === 'tokens' ? sum(chosen.map(learnedTokens)) : chosen.length;
  const taken = new Set<StoredTrajectory>();
  for (const one of new KeyedRandom(seed).shuffle(all)) {
    const cost = equal === 'tokens' ? learnedTokens(one) : 1;
    if (cost > left) break;
    left -= cost;
    taken.add(one);
  }
  return all.filter((one) => taken.has(one));
}

/**
 * The set: rollouts that weigh something or are in a pair, and the pairs.
 * @throws Error where two rollouts have one id, one has no tokens of a model, or nothing is left
 */
export function makeTrajectories(given: readonly Rollout[], options: MakeOptions): TrajectorySet {
  const { drawn } = options;
  if (drawn) {
    const [all, chosen] = [{ top: null }, {}].map(
      (change) => makeTrajectories(given, { ...options, ...change, drawn: null }).trajectories,
    );
    return { trajectories: drawnFrom(all ?? [], chosen ?? [], drawn), pairs: [] };
  }
  const rollouts = kept(given, options);
  const twice = rollouts.find(({ id }, i) => rollouts.findIndex((one) => one.id === id) < i);
  if (twice) throw new Error(`two rollouts have the id ${twice.id}; join files of different runs`);
  const weights = weightsOf(rollouts, options.weight);
  const { trajectories, pairs: ordered } = pairsBy(rollouts, options);
  const pairs = options.shuffle === null ? ordered : shuffled(ordered, options.shuffle);
  const paired = new Set(pairs.flatMap(({ chosen, rejected }) => [chosen, rejected]));
  const whole = rollouts.flatMap((rollout, i): StoredTrajectory[] => {
    const weight = itemAt(weights, i, 'weights');
    if (weight === 0 && !paired.has(rollout.id)) return [];
    const { id, question } = rollout;
    return [{ id, group: question.id, weight, segments: segmentsOf(rollout, options.words) }];
  });
  const all = [...whole, ...trajectories];
  if (all.length === 0)
    throw new Error(
      `none of ${given.length} rollouts can be used: the options left out ${given.length - rollouts.length}, and none of the others is correct or in a pair`,
    );
  return { trajectories: all, pairs };
}
