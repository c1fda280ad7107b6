import { mean } from '../../../base/statistics.ts';
import { disagreement, type Chain, type ChainScorer } from '../../../recipes/methods/chain.ts';
import { actionReward } from '../../../recipes/methods/reward-model.ts';
import type { Hit } from '../../../records/hits.ts';
import { normalise } from '../../answers/normalisers.ts';
import type { Branch, ProposedAction, Steps } from '../parts/steps.ts';
import { actionFeatures } from './action-features.ts';

/** What chains are distinguished by; the lowest is kept (`src/recipes/methods/chain.ts`). */

/** Steps that were written in a branch, in order. */
export interface Walk {
  branch: Branch;
  steps: ProposedAction[];
  /** What its searches brought, in order. */
  hits: Hit[];
  /** Of its steps, where a reward model tells chains apart. */
  rewards: number[];
  /** It answered, or wrote no action. */
  ended: boolean;
}

/** What CoRAG's code takes the likelihood of (corag_agent.py). */
const NO_INFORMATION = 'No relevant information found';

export const scorerOf = ({ scorer = 'confidence' }: Pick<Chain, 'scorer'>): ChainScorer => scorer;

/** Whether a scorer needs a chain without an answer, because it scores text at the place of the answer. */
export const needsOpenAnswer = (chain: Pick<Chain, 'scorer'>): boolean =>
  ['no-information', 'gold', 'vote'].includes(scorerOf(chain));

/** What the reward model says of the next step of a walk. */
export function rewardOf(
  s: Steps,
  walk: Walk,
  step: ProposedAction,
  { weights = {} }: Chain,
): number {
  const own = walk.steps.flatMap(({ kind, text }) => (kind === 'search' ? [text] : []));
  const read = [...s.foundAll(), ...walk.hits].map(
    ({ passage }) => `${passage.title} . ${passage.text}`,
  );
  const state = { question: s.question, queries: [...s.queries(), ...own], passages: read };
  const { kind, text, ids } = step;
  return actionReward(weights, actionFeatures({ kind, text, tokens: ids.length }, state));
}

/** What is measured of one walk: its score, or the answer that is voted for. */
export type Measured = number | string;

/** How unsure the policy is of the answer that it would give after a chain: −ln p a token, the less the better. */
const unsureOf = async ({ branch }: Walk): Promise<number> =>
  -((await branch.wouldAnswer()).meanLogprob ?? 0);

/** @throws Error where the policy cannot say what the scorer asks for */
export async function measure(s: Steps, walk: Walk, chain: Chain): Promise<Measured> {
  switch (scorerOf(chain)) {
    case 'confidence':
      return unsureOf(walk);
    case 'no-information':
      return walk.branch.likelihood(NO_INFORMATION);
    case 'gold': {
      const gold = s.gold();
      return gold === null ? 0 : -(await walk.branch.likelihood(gold));
    }
    case 'vote':
      return (await walk.branch.wouldAnswer()).text;
    case 'reward-model':
      return walk.rewards.length === 0 ? 0 : -mean(walk.rewards);
    case 'random':
      return s.chance();
  }
}

/** Scores of walks that are distinguished together. */
export function scoresOf(measured: readonly Measured[]): number[] {
  const answers = measured.filter((one) => typeof one === 'string');
  const votes = disagreement(answers, (text) => normalise(text, 'squad'));
  let at = 0;
  return measured.map((one) => (typeof one === 'string' ? (votes[at++] ?? 0) : one));
}
