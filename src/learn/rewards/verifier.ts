import { deriveSeed, uniform } from '../../base/random.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { subExactMatch } from '../../agent/answers/scores.ts';
import { readFacts, type RewardFacts } from './parts/facts.ts';

/**
 * A verifier with faults between answers and their reward (Pitfalls of verifiers, arXiv 2505.22203: rules miss right
 * answers, models can be fooled). The record's metrics keep the exact check, so that both can be compared. Difference:
 * what is missed and what passes is drawn at random, or by a check that a long answer fools, in place of a model.
 */

type Verifier = NonNullable<TrainSettings['verifier']>;

/** Whether the verifier calls an answer right, before chance has its say. */
function matchesByRule(
  { kind, threshold }: Pick<Verifier, 'kind' | 'threshold'>,
  { em, f1, answerText, golds }: Pick<RewardFacts, 'em' | 'f1' | 'answerText' | 'golds'>,
): boolean {
  switch (kind) {
    case 'rule':
      return em === 1;
    case 'substring':
      return subExactMatch(answerText, golds) === 1;
    case 'hybrid':
      return em === 1 || f1 >= threshold;
  }
}

/**
 * Facts as judged by the verifier: all scores of an accepted answer are 1, all scores of a rejected one are 0.
 * @param draw random number, 0 to 1
 */
export function judgedByVerifier(
  facts: RewardFacts,
  verifier: Verifier,
  draw: number,
): RewardFacts {
  const called = matchesByRule(verifier, facts);
  const flipped = draw < (called ? verifier.falseNegative : verifier.falsePositive);
  const right = called !== flipped;
  if (right === (facts.em === 1)) return facts;
  const all = Number(right);
  return {
    ...facts,
    verified: true,
    em: all,
    f1: all,
    coverEm: all,
    plainF1: all,
  };
}

/** Reward inputs after the simulated noisy verifier; deterministic per rollout. */
export const factsThroughVerifier =
  ({ verifier, seed }: Pick<TrainSettings, 'verifier' | 'seed'>) =>
  (rollout: Rollout): RewardFacts => {
    const facts = readFacts(rollout);
    if (!verifier || facts.answerText === null) return facts;
    return judgedByVerifier(facts, verifier, uniform(deriveSeed(seed, 'verifier', rollout.id)));
  };
