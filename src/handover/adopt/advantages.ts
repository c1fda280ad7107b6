import { itemAt } from '../../base/items.ts';
import { mean, sum } from '../../base/statistics.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { estimateAdvantages, membersOf } from '../../learn/advantages.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

const trained = ({ segments }: ImportedRollout): number =>
  sum(segments.map(({ ids, mask }) => (mask === 1 ? (ids?.length ?? 0) : 0)));

/**
 * Baseline and advantage of each rollout by the run's own estimator, as Forage writes them after a step: the
 * environment gives rewards, and the trainer keeps its advantages to itself. Left as they are where a reward
 * is not known, or where the record has an advantage.
 */
export function withAdvantages(
  rollouts: readonly ImportedRollout[],
  { objective }: Pick<TrainSettings, 'objective'>,
): ImportedRollout[] {
  const rewards = rollouts.flatMap(({ reward }) => reward ?? []);
  if (rewards.length < rollouts.length || rollouts.some(({ advantage }) => advantage !== null))
    return [...rollouts];
  const numbers = new Map<string, number>();
  const groups = rollouts.map(({ groupId }) => {
    const number = numbers.get(groupId) ?? numbers.size;
    numbers.set(groupId, number);
    return number;
  });
  const advantages = estimateAdvantages(
    objective.estimator,
    rewards,
    groups,
    rollouts.map(trained),
  );
  const baselines = new Map<number, number>();
  for (const members of membersOf(groups)) {
    const baseline = mean(members.map((i) => itemAt(rewards, i, 'rewards')));
    for (const i of members) baselines.set(i, baseline);
  }
  return rollouts.map((rollout, i) => ({
    ...rollout,
    baseline: baselines.get(i) ?? null,
    advantage: itemAt(advantages, i, 'advantages'),
  }));
}
