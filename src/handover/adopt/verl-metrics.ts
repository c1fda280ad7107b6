import { asNumber, parseJson } from '../../formats/rollouts/shape/json.ts';
import type { AdoptFolder } from './folder.ts';
import { stepOf, type AdoptedExperiment } from './experiment.ts';
import { heldOutOf, measuresOf, type Measure, type Metrics, type StepMetrics } from './metrics.ts';
import { isObject } from '../../base/objects.ts';

/**
 * verl's metrics: its file logger's lines `{"step", "data": {name: number}}`, or where there is none what its
 * console logger prints, `step:3 - actor/pg_loss:0.1 - …`.
 */

const NAMES: Readonly<Record<string, Measure>> = {
  'actor/loss': 'loss',
  'actor/pg_loss': 'loss',
  'actor/grad_norm': 'gradientNorm',
  'actor/lr': 'learningRate',
  'actor/entropy': 'entropy',
  'actor/kl_loss': 'kl',
  'actor/reward_kl_penalty': 'kl',
  'actor/pg_clipfrac': 'clipShare',
  'critic/score/mean': 'rewardMean',
  'timing_s/gen': 'rollout',
  'timing_s/update_actor': 'update',
  'timing_s/testing': 'heldOutSeconds',
  'timing_s/save_checkpoint': 'checkpoint',
  'timing_s/step': 'total',
};

interface Logged {
  step: number;
  data: Record<string, unknown>;
}

function fileLine(line: string): Logged | null {
  let value: unknown;
  try {
    value = parseJson(line);
  } catch {
    return null;
  }
  const step = isObject(value) ? asNumber(value['step']) : null;
  const data = isObject(value) ? value['data'] : null;
  return step !== null && isObject(data) ? { step, data } : null;
}

/** `name:number`, where NumPy's numbers are printed as `np.float64(0.5)`. */
const PRINTED = /^(.+?):(?:np\.\w+\()?(-?[\d.]+(?:e[+-]?\d+)?)\)?$/i;

function consoleLine(line: string): Logged | null {
  // Ray puts the name of the process in front.
  const start = /(?:^|\s)step:(\d+) - /.exec(line);
  if (!start) return null;
  const rest = line.slice(start.index + start[0].length);
  const data = rest.split(' - ').flatMap((part) => {
    const match = PRINTED.exec(part.trim());
    return match ? [[match[1] ?? '', Number(match[2])] as const] : [];
  });
  return { step: Number(start[1]), data: Object.fromEntries(data) };
}

/** Lines of the logs that are metrics, those of the file logger if there are any. */
async function logged(folder: AdoptFolder, notes: string[]): Promise<Logged[]> {
  const read = async (pattern: RegExp, of: (line: string) => Logged | null) => {
    const found: Logged[] = [];
    for (const { path } of folder.matching(pattern)) {
      const lines = ((await folder.text(path)) ?? '')
        .split('\n')
        .filter((one) => one.trim() !== '');
      const own = lines.map(of);
      found.push(...own.flatMap((one) => one ?? []));
      const broken = own.filter((one) => one === null).length;
      if (of === fileLine && broken > 0 && broken < own.length)
        notes.push(`${path}: ${broken} of ${own.length} lines are not metrics and are left out.`);
    }
    return found;
  };
  const byFile = await read(/(?:^|\/)(?:metrics|forage[^/]*)\.jsonl$/, fileLine);
  return byFile.length > 0 ? byFile : read(/\.(?:log|out|txt)$/, consoleLine);
}

/** Names under which verl logs what the environment measured of the held-out questions. */
function heldOutIn(data: Record<string, unknown>, n: number): StepMetrics['heldOut'] {
  const plain = Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      const match = /^val-(?:core|aux)\/[^/]+\/([a-z0-9_]+)\/mean@1$/.exec(name);
      return match ? [[match[1] ?? '', value] as const] : [];
    }),
  );
  return heldOutOf(plain, '', n);
}

export async function verlMetrics(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  notes: string[],
): Promise<Metrics> {
  const metrics: Metrics = new Map();
  for (const { step: counted, data } of await logged(folder, notes)) {
    if (counted < 1) continue;
    const step = stepOf(experiment, counted, 'steps');
    const heldOut = heldOutIn(data, experiment.settings.heldOut.questions);
    const before = metrics.get(step);
    // The held-out score of a step may come on a line of its own.
    metrics.set(step, { ...before, ...measuresOf(data, NAMES), ...(heldOut && { heldOut }) });
  }
  return metrics;
}
