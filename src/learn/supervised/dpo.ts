import { groupBy, itemAt } from '../../base/items.ts';

/**
 * Direct preference optimisation (Rafailov et al., 2305.18290, equation 7) with the likelihood of the chosen one
 * beside it: loss = −ln σ(β · (Δ_chosen − Δ_rejected)) − nll · Σ ln π(chosen), Δ = ln π − ln π_ref over a sequence.
 */

interface Preference {
  beta: number;
  /** Factor of the chosen sequence's negative log-likelihood, a sum over its tokens; 0: none. */
  nll: number;
}

interface PairTerm {
  /** Of the preference only, nats. */
  loss: number;
  /** −∂loss/∂ln π of each token of the chosen and of the rejected sequence, the likelihood included. */
  chosen: number;
  rejected: number;
}

const softplus = (x: number): number => Math.max(x, 0) + Math.log1p(Math.exp(-Math.abs(x)));

/** @param chosen, rejected ln π − ln π_ref summed over the trained tokens of each */
export function pairTerm(chosen: number, rejected: number, { beta, nll }: Preference): PairTerm {
  const margin = beta * (chosen - rejected);
  const pull = beta / (1 + Math.exp(margin));
  return { loss: softplus(-margin), chosen: pull + nll, rejected: -pull };
}

/** Places of two rollouts of one question of which the first is preferred. */
export interface Pair {
  chosen: number;
  rejected: number;
}

/**
 * Every rollout that earned at least `high` beside every one of its group that earned at most `low`, in their order.
 */
export function pairsOf(
  rewards: ArrayLike<number>,
  groups: ArrayLike<number>,
  { high, low }: { high: number; low: number },
): Pair[] {
  const places = Array.from(groups, (group, i) => ({
    group,
    i,
    reward: itemAt(rewards, i, 'rewards'),
  }));
  return [...groupBy(places, ({ group }) => group).values()].flatMap((members) => {
    const worse = members.filter(({ reward }) => reward <= low);
    return members
      .filter(({ reward }) => reward >= high)
      .flatMap((chosen) => worse.map((rejected) => ({ chosen: chosen.i, rejected: rejected.i })));
  });
}
