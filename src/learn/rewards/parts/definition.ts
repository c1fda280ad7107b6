import type { Passage } from '../../../records/records.ts';
import type { FrozenAnswer, RewardClause, Rollout } from '../../../records/rollout.ts';
import type { SystemSettings } from '../../../recipes/parts/system.ts';
import type { RewardFacts } from './facts.ts';

/** What the frozen policy answers from, about a rollout. */
export interface FrozenReading {
  from: Exclude<FrozenAnswer['from'], 'question'>;
  passages: (rollout: Rollout) => Passage[];
  /** It also answers from one retrieval with the question, to compare. */
  naive?: true;
}

type Weights = Readonly<Record<string, number>>;

/** What clauses read that a file of another system may not hold, as text. */
export const NEEDS = {
  tokens: 'the file has no tokens to count',
  logprobs: 'the file has no log-probabilities of the queries',
  supporting: 'the file does not name the supporting passages',
  keys: 'the file has no gold sub-questions',
  'gold-texts': 'the file has no gold paragraphs',
  frozen: 'a frozen model would have to answer from the evidence',
  passages: 'the file does not contain the candidate passages',
  group: 'it depends on the whole group',
} as const;
export type Need = keyof typeof NEEDS;

/** What a reward says about itself; menus, settings and the scoring of foreign rollouts read it here. */
interface Description<Id extends string> {
  /** As settings and stored runs name it. */
  id: Id;
  /** As menus and tables show it. */
  name: string;
  /** Paper and equation, or paper and code. */
  source: string;
  /** What it computes, for those who choose one; R_fmt is 1 for an output that follows the protocol throughout, else 0. */
  formula?: string;
  /** Its worst and its best total; violations can fall below the worst. */
  range: readonly [worst: number, best: number];
  /** By clause, what it reads that a file may not hold: without that the reward is not computed. */
  needs?: Readonly<Record<string, Need>>;
  /** Clauses that value single searches: `objective.credit` may give them to the tokens that earned them. */
  steps?: readonly string[];
  /** From what the frozen policy answers before the reward is known (`src/learn/frozen`). */
  frozen?: FrozenReading;
  /** It reads the gold paragraphs, which are looked up before the reward is known (`src/learn/rl/collect.ts`). */
  goldTexts?: true;
  /** It gives verdicts on thoughts, which FSPO reads. */
  verdicts?: true;
  /** Clauses that a stage may leave out by a weight of 0, for an ablation, though the values are fixed. */
  optional?: readonly string[];
  /** A stage with this reward is UR²'s cold start: its curriculum draws the questions it dropped. */
  coldStart?: true;
}

/** A reward as `registry.ts` holds it. */
export interface Reward<Id extends string = string> extends Description<Id> {
  /** λ by clause where a stage may set others, summing to 1; null where the values are fixed. */
  weights: Weights | null;
  /**
   * The clauses of one rollout. Reads the facts and changes nothing in them.
   * @param given λ in place of the defaults, by clause
   * @throws Error for weights that the reward does not have, or that do not sum to 1
   */
  clauses: (facts: RewardFacts, given: Weights) => RewardClause[];
  /** A further clause of each rollout that looks at the whole group; one per rollout, in its order. */
  ofGroup?: (group: readonly RewardFacts[]) => RewardClause[];
  /**
   * A further clause of each rollout that looks at all of the step; one per rollout, in its order.
   * @param before share of right answers in the step before; null at the first
   */
  ofBatch?: (batch: readonly RewardFacts[], before: number | null) => RewardClause[];
}

/** Names of the clauses that are left out. @throws Error for all that a reward of fixed values does not take */
function leftOut(id: string, optional: readonly string[], given: Weights): Set<string> {
  const names = Object.keys(given);
  if (names.length > 0 && optional.length === 0)
    throw new Error(`reward: ${id} has fixed values and no weights`);
  for (const name of names)
    if (!optional.includes(name) || given[name] !== 0)
      throw new Error(
        `reward: ${id} has fixed values; only a weight of 0 is allowed, for ${optional.join(' or ')}, which leaves the clause out`,
      );
  return new Set(names);
}

/** A reward whose values are fixed: it takes no weights, but 0 for a clause that is optional. */
export const fixedReward = <const Id extends string>({
  clauses,
  ...about
}: Description<Id> &
  Pick<Reward, 'ofGroup' | 'ofBatch'> & {
    clauses: (facts: RewardFacts) => RewardClause[];
  }): Reward<Id> => ({
  ...about,
  weights: null,
  clauses: (facts, given) => {
    const without = leftOut(about.id, about.optional ?? [], given);
    return clauses(facts).filter(({ clause }) => !without.has(clause));
  },
});

/** λ by clause: the defaults with what is given in their place. @throws Error unless they sum to 1 */
function lambdas<W extends Weights>(defaults: W, given: Weights): W {
  const unknown = Object.keys(given).find((name) => !(name in defaults));
  if (unknown !== undefined)
    throw new Error(
      `reward: there is no clause "${unknown}" to weight; it has ${Object.keys(defaults).join(', ')}`,
    );
  const weights = { ...defaults, ...given };
  const sum = Object.values(weights).reduce((total, weight) => total + weight, 0);
  if (Math.abs(sum - 1) > 1e-6)
    throw new Error(`reward: its weights must sum to 1, they sum to ${sum.toFixed(4)}`);
  return weights;
}

/** A reward whose clauses are weighed by λ that a stage may set. */
export const weightedReward = <const Id extends string, W extends Weights>({
  clauses,
  ...about
}: Description<Id> & {
  weights: W;
  clauses: (facts: RewardFacts, weights: W) => RewardClause[];
}): Reward<Id> => ({
  ...about,
  clauses: (facts, given) => clauses(facts, lambdas(about.weights, given)),
});

/** Facts as a system's verifier judges them. @param draw random number, 0 to 1 */
type Judge = (system: SystemSettings, facts: RewardFacts, draw: number) => RewardFacts;

/** Verifiers by their system; here, so that what declares one need not load what reads facts. */
export const judges = new Map<string, Judge>();
