import { actionFeatures, type ActionState } from '../../agent/answers/action-features.ts';
import { groupBy, itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import {
  ACTION_FEATURES,
  actionReward,
  pairLoss,
  type ActionWeights,
} from '../../recipes/parts/reward-model.ts';
import type { AgentEvent } from '../../records/events.ts';
import type { Rollout } from '../../records/rollout.ts';
import { answersWell, rankedPairs } from './actions.ts';

/** Fits a process reward model to ranked candidates of recorded rollouts, as RAG-Gym's prm.py does to a language model. */

/** Features of two actions for one step, the first preferred, and whose question it was. */
export interface RewardPair {
  question: string;
  better: readonly number[];
  worse: readonly number[];
}

type Candidate = Extract<AgentEvent, { kind: 'aside' }> & {
  action: NonNullable<Extract<AgentEvent, { kind: 'aside' }>['action']>;
};

const isCandidate = (event: AgentEvent): event is Candidate =>
  event.kind === 'aside' && event.action !== undefined;

const kindOf = ({ outcome = '' }: Candidate): 'search' | 'answer' | 'none' => {
  const word = outcome.split(':')[0];
  return word === 'search' || word === 'answer' ? word : 'none';
};

/** What had been asked and read when an event happened. */
function stateBefore({ question, events }: Rollout, before: AgentEvent): ActionState {
  const past = events.slice(0, events.indexOf(before));
  return {
    question: question.text,
    queries: past.flatMap((event) => (event.kind === 'search' ? [event.query] : [])),
    passages: past.flatMap((event) =>
      event.kind === 'retrieve'
        ? event.hits.map(({ passage }) => `${passage.title} . ${passage.text}`)
        : [],
    ),
  };
}

/** Pairs of a rollout's candidates by their ranks, those of equal features left out: nothing tells them apart. */
function pairsIn(rollout: Rollout): RewardPair[] {
  if (!answersWell(rollout)) return [];
  const candidates = rollout.events.filter(isCandidate);
  return [...groupBy(candidates, ({ action }) => action.at).values()].flatMap((step) => {
    const state = stateBefore(rollout, itemAt(step, 0, 'candidates'));
    const ranked = step.toSorted((a, b) => a.action.rank - b.action.rank);
    const distinct = [...groupBy(ranked, ({ action }) => action.ids.join(' ')).values()].flatMap(
      (same) => same.slice(0, 1),
    );
    const features = distinct.map((one) =>
      actionFeatures({ kind: kindOf(one), text: one.text, tokens: one.action.ids.length }, state),
    );
    return rankedPairs(distinct.length).flatMap(({ chosen, rejected }): RewardPair[] => {
      const [better, worse] = [itemAt(features, chosen), itemAt(features, rejected)];
      const differ = better.some((value, i) => value !== worse[i]);
      return differ ? [{ question: rollout.question.id, better, worse }] : [];
    });
  });
}

export const rewardPairs = (rollouts: readonly Rollout[]): RewardPair[] =>
  rollouts.flatMap(pairsIn);

/** Share of pairs whose preferred action has the greater reward. */
export const pairAccuracy = (pairs: readonly RewardPair[], weights: ActionWeights): number =>
  pairs.filter(({ better, worse }) => actionReward(weights, better) > actionReward(weights, worse))
    .length / Math.max(1, pairs.length);

/** Weight of ½ |w|², which keeps features that always agree from growing for ever. */
const DECAY = 0.01;
const STEPS = 2000;
const RATE = 0.5;

/**
 * The weights with the least mean −ln σ(r⁺ − r⁻) plus DECAY · ½ |w|², by gradient descent: it is convex.
 * @throws Error without pairs
 */
export function fitRewardModel(pairs: readonly RewardPair[]): {
  weights: ActionWeights;
  loss: number;
} {
  if (pairs.length === 0)
    throw new Error(
      'there are no two different candidates to compare: the rollouts need candidates that were ranked by the gold chain (loop=program, system.by=gold), and correct answers',
    );
  const differences = pairs.map(({ better, worse }) =>
    better.map((value, i) => value - itemAt(worse, i, 'features')),
  );
  const w = ACTION_FEATURES.map(() => 0);
  const scoreOf = (difference: readonly number[]): number =>
    difference.reduce((sum, value, i) => sum + value * itemAt(w, i, 'weights'), 0);
  for (let step = 0; step < STEPS; step++) {
    const gradient = w.map((value) => DECAY * value);
    for (const difference of differences) {
      const { slope } = pairLoss(scoreOf(difference), 0);
      difference.forEach((value, i) => {
        gradient[i] = itemAt(gradient, i, 'gradient') + (slope * value) / differences.length;
      });
    }
    w.forEach((value, i) => {
      w[i] = value - RATE * itemAt(gradient, i, 'gradient');
    });
  }
  const weights = Object.fromEntries(
    ACTION_FEATURES.map((name, i) => [name, Number(itemAt(w, i, 'weights').toFixed(4))]),
  ) as ActionWeights;
  return { weights, loss: mean(differences.map((one) => pairLoss(scoreOf(one), 0).loss)) };
}
