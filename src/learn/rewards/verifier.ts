import { deriveSeed, uniform } from '../../base/random.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { SystemSettings } from '../../recipes/parts/system.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { readFacts, type RewardFacts } from './parts/facts.ts';

/** Facts as a system's verifier judges them. @param draw random number, 0 to 1 */
type Judge = (system: SystemSettings, facts: RewardFacts, draw: number) => RewardFacts;

const judges = new Map<string, Judge>();

/** Says how the verifier of the system `id` judges. */
export const provideVerifier = (id: string, judge: Judge): void => void judges.set(id, judge);

/** Reward inputs, after a system's verifier where the run has one; deterministic per rollout. Metrics keep the exact check. */
export const factsThroughVerifier =
  ({ verifier, seed }: Pick<TrainSettings, 'verifier' | 'seed'>) =>
  (rollout: Rollout): RewardFacts => {
    const facts = readFacts(rollout);
    const judge = verifier && judges.get(verifier.id);
    if (!judge || facts.answerText === null) return facts;
    return judge(verifier, facts, uniform(deriveSeed(seed, 'verifier', rollout.id)));
  };
