import { present } from '../../base/items.ts';
import { deriveSeed, uniform } from '../../base/random.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import { judges } from './parts/definition.ts';
import { readFacts, type RewardFacts } from './parts/facts.ts';

/** Reward inputs, after a system's verifier where the run has one; deterministic per rollout. Metrics keep the exact check. */
export const factsThroughVerifier =
  ({ verifier, seed }: Pick<TrainSettings, 'verifier' | 'seed'>) =>
  (rollout: Rollout): RewardFacts => {
    const facts = readFacts(rollout);
    const judge = verifier && present(judges.get(verifier.id), `verifier of ${verifier.id}`);
    if (!judge || facts.answerText === null) return facts;
    return judge(verifier, facts, uniform(deriveSeed(seed, 'verifier', rollout.id)));
  };
