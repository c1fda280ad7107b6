import { asNumber } from '../../formats/rollouts/shape/json.ts';
import type { HeldOutScore, TrainStep } from '../../records/training.ts';

/** Metrics of a step from the trainer's log, those that Forage has fields for. */
export interface StepMetrics extends Partial<
  Pick<
    TrainStep,
    | 'em'
    | 'f1'
    | 'recall'
    | 'searches'
    | 'formatValid'
    | 'responseTokens'
    | 'entropy'
    | 'loss'
    | 'kl'
    | 'clipShare'
    | 'gradientNorm'
    | 'learningRate'
  >
> {
  rewardMean?: number;
  rewardStd?: number;
  gapMax?: number;
  gapMean?: number;
  /** Seconds. */
  rollout?: number;
  update?: number;
  heldOutSeconds?: number;
  checkpoint?: number;
  total?: number;
  heldOut?: HeldOutScore;
}

/** By Forage's step. */
export type Metrics = Map<number, StepMetrics>;

export type Measure = Exclude<keyof StepMetrics, 'heldOut'>;

/** Numbers of one logged entry, by the names of a table. */
export function measuresOf(
  entry: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, Measure>>,
): StepMetrics {
  const found: StepMetrics = {};
  for (const [name, measure] of Object.entries(names)) {
    const value = asNumber(entry[name]);
    if (value !== null) found[measure] = value;
  }
  return found;
}

/** Held-out means as they are logged under a prefix; undefined where one of them is not. */
export function heldOutOf(
  entry: Readonly<Record<string, unknown>>,
  prefix: string,
  n: number,
): HeldOutScore | undefined {
  const value = (name: string): number | null => asNumber(entry[`${prefix}${name}`]);
  const em = value('em') ?? value('acc');
  const [f1, recall, searches] = [value('f1'), value('recall'), value('searches')];
  const formatValid = value('format');
  if (em === null || f1 === null || recall === null || searches === null || formatValid === null)
    return undefined;
  return { n, em, f1, recall, searches, formatValid };
}

/** Means over the entries of a step; sums of seconds. */
export function joinedMetrics(entries: readonly StepMetrics[]): StepMetrics {
  const joined: StepMetrics = {};
  const names = new Set(entries.flatMap((entry) => Object.keys(entry) as (keyof StepMetrics)[]));
  for (const name of names) {
    if (name === 'heldOut') {
      const last = entries.findLast((entry) => entry.heldOut)?.heldOut;
      if (last) joined.heldOut = last;
      continue;
    }
    const values = entries.flatMap((entry) => entry[name] ?? []);
    const sum = values.reduce((all, value) => all + value, 0);
    if (SECONDS.has(name)) joined[name] = sum;
    else if (name === 'gapMax') joined[name] = Math.max(...values);
    else if (values.length > 0) joined[name] = sum / values.length;
  }
  return joined;
}

const SECONDS: ReadonlySet<string> = new Set<Measure>([
  'rollout',
  'update',
  'heldOutSeconds',
  'checkpoint',
  'total',
]);
