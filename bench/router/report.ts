import type { Rollout } from '../../src/records/rollout.ts';
import { Random } from '../../src/base/random.ts';

export interface ArmRollouts {
  name: string;
  rollouts: readonly Rollout[];
}

interface Totals {
  reward: number;
  calls: number;
  web: number;
  latency: number;
  recall: number;
}

export interface Betas {
  beta1: number;
  beta2: number;
}

/** Equation (20) with these β over the parts that each call was found to have. */
function totalsOf({ events, metrics }: Rollout, { beta1, beta2 }: Betas): Totals {
  const totals = { reward: 0, calls: 0, web: 0, latency: 0, recall: metrics?.recall ?? 0 };
  for (const event of events) {
    if (event.kind === 'route' && event.reward) {
      totals.reward += beta1 * event.reward.efficiency + beta2 * event.reward.information;
      totals.calls += 1;
      totals.web += Number(event.choice === 'web');
    }
    if (event.kind === 'retrieve') totals.latency += event.latencyMs;
  }
  return totals;
}

const sum = (totals: readonly Totals[], of: keyof Totals): number =>
  totals.reduce((total, one) => total + one[of], 0);
const perCall = (totals: readonly Totals[]): number => sum(totals, 'reward') / sum(totals, 'calls');

/** Mean reward per call and what goes with it, an arm per line. */
export function armTable(arms: readonly ArmRollouts[], betas: Betas): string {
  const rows = arms.map(({ name, rollouts }) => {
    const t = rollouts.map((rollout) => totalsOf(rollout, betas));
    const calls = sum(t, 'calls');
    return [
      name,
      perCall(t).toFixed(4),
      (sum(t, 'reward') / t.length).toFixed(4),
      (calls / t.length).toFixed(2),
      (100 * (sum(t, 'web') / calls)).toFixed(0),
      (100 * (sum(t, 'recall') / t.length)).toFixed(1),
      (sum(t, 'latency') / calls).toFixed(2),
    ];
  });
  return [
    '| arm | reward a call | reward a question | calls a question | web % | recall % | ms a call |',
    '| --- | --: | --: | --: | --: | --: | --: |',
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

/** The first arm against each other, reward per call: 95 % bootstrap interval over questions, paired. */
export function differenceTable(arms: readonly ArmRollouts[], betas: Betas, seed: number): string {
  const [first, ...others] = arms.map(({ name, rollouts }) => ({
    name,
    totals: rollouts.map((rollout) => totalsOf(rollout, betas)),
  }));
  if (!first) return '';
  const n = first.totals.length;
  const rows = others.map(({ name, totals }) => {
    const random = new Random(seed);
    const draws = Array.from({ length: 2000 }, () => {
      const picked = Array.from({ length: n }, () => Math.floor(random.uniform() * n));
      return perCall(picked.map((i) => first.totals[i]!)) - perCall(picked.map((i) => totals[i]!));
    }).sort((a, b) => a - b);
    const difference = perCall(first.totals) - perCall(totals);
    const [low, high] = [draws[50]!, draws[1949]!];
    return `| ${first.name} − ${name} | ${difference.toFixed(4)} | ${low.toFixed(4)} … ${high.toFixed(4)} |`;
  });
  return [
    '| difference, reward a call | mean | 95 % interval |',
    '| --- | --: | --: |',
    ...rows,
  ].join('\n');
}
