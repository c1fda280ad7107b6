import type { RouteEvent } from '../../records/events.ts';
import type { SearchTarget } from '../../records/hits.ts';

/** The router's reward: equations (20)–(22) of arXiv 2506.19466 as printed, and measured. */

/** (21): R_eff of local; of web it is 0. */
const EFFICIENCY_LOCAL = 0.42;
/** (22): R_info of web; of local it is 0. */
const INFORMATION_WEB = 0.35;
/**
 * The printed reward does not depend on the state: above this β1/β2 the best policy is always
 * local, below it always web.
 */
export const COLLAPSE_RATIO = INFORMATION_WEB / EFFICIENCY_LOCAL;

export interface RewardSettings {
  reward: 'paper' | 'measured';
  beta1: number;
  beta2: number;
}

export type RouteReward = NonNullable<RouteEvent['reward']>;

/** The action that the printed reward prefers whatever the state; `tie` on the 5/6 line. */
export function paperOptimum(beta1: number, beta2: number): 'local' | 'web' | 'tie' {
  const gain = beta1 * EFFICIENCY_LOCAL - beta2 * INFORMATION_WEB;
  if (Math.abs(gain) < 1e-12) return 'tie';
  return gain > 0 ? 'local' : 'web';
}

/** What the printed reward prefers with these factors, as text. */
export const collapseText = ({ beta1, beta2 }: Pick<RewardSettings, 'beta1' | 'beta2'>): string => {
  const ratio = beta2 === 0 ? '∞' : String(Number((beta1 / beta2).toPrecision(3)));
  const best = paperOptimum(beta1, beta2);
  const sign = best === 'tie' ? '=' : best === 'local' ? '>' : '<';
  const end = best === 'tie' ? 'neither is preferred' : `always ${best} is best`;
  return `β1/β2 = ${ratio} ${sign} 5/6: ${end}`;
};

const combine = (
  settings: RewardSettings,
  efficiency: number,
  information: number,
): RouteReward => ({
  mode: settings.reward,
  beta1: settings.beta1,
  beta2: settings.beta2,
  efficiency,
  information,
  total: settings.beta1 * efficiency + settings.beta2 * information,
});

/** What a call turned out to be, for the measured reward. */
export interface CallOutcome {
  latencyMs: number;
  /** Running mean of the web's latency before this call; null before the first web call. */
  meanWebLatencyMs: number | null;
  /** Share of the question's supporting titles first seen with this call; null where unknown. */
  newEvidenceShare: number | null;
}

/**
 * R(a) of (20); null for `both`, which is not an action of the paper's. Measured: R_eff is the share of
 * the web's mean latency that the call saved, in [−1, 1], 0 while no web call is known; R_info is
 * the share of gold evidence that it brought, 0 where the question has none.
 */
export function routeReward(
  choice: SearchTarget,
  settings: RewardSettings,
  outcome: CallOutcome,
): RouteReward | null {
  if (choice === 'both') return null;
  if (settings.reward === 'paper') {
    return choice === 'local'
      ? combine(settings, EFFICIENCY_LOCAL, 0)
      : combine(settings, 0, INFORMATION_WEB);
  }
  const mean = outcome.meanWebLatencyMs;
  const saved = mean === null || mean <= 0 ? 0 : 1 - outcome.latencyMs / mean;
  return combine(settings, Math.max(-1, Math.min(1, saved)), outcome.newEvidenceShare ?? 0);
}

/** Mean of the web's latencies so far, in milliseconds; shared by the rollouts of a group. */
export class RunningMean {
  #sum = 0;
  #count = 0;

  add(value: number): void {
    this.#sum += value;
    this.#count += 1;
  }

  get state(): { sum: number; count: number } {
    return { sum: this.#sum, count: this.#count };
  }

  restore({ sum, count }: { sum: number; count: number }): void {
    this.#sum = sum;
    this.#count = count;
  }

  get value(): number | null {
    return this.#count === 0 ? null : this.#sum / this.#count;
  }
}
