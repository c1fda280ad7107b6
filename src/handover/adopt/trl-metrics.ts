import { asNumber, parseJson } from '../../formats/rollouts/shape/json.ts';
import { nameOf, type AdoptFolder } from './folder.ts';
import { stepOf, type AdoptedExperiment } from './experiment.ts';
import {
  heldOutOf,
  joinedMetrics,
  measuresOf,
  type Measure,
  type Metrics,
  type StepMetrics,
} from './metrics.ts';
import { isObject } from '../../base/objects.ts';

/** `log_history` of transformers' `trainer_state.json`, as TRL's GRPOTrainer fills it. */

const NAMES: Readonly<Record<string, Measure>> = {
  loss: 'loss',
  grad_norm: 'gradientNorm',
  learning_rate: 'learningRate',
  reward: 'rewardMean',
  reward_std: 'rewardStd',
  kl: 'kl',
  entropy: 'entropy',
  'clip_ratio/region_mean': 'clipShare',
  'sampling/sampling_logp_difference/max': 'gapMax',
  'sampling/sampling_logp_difference/mean': 'gapMean',
  step_time: 'total',
  // Of the reward function that an export writes.
  'forage/em': 'em',
  'forage/f1': 'f1',
  'forage/recall': 'recall',
  'forage/searches': 'searches',
  'forage/format': 'formatValid',
  'forage/tokens': 'responseTokens',
};

/** The longest history: checkpoints hold what was logged until then. */
async function historyOf(folder: AdoptFolder, notes: string[]): Promise<unknown[]> {
  let longest: unknown[] = [];
  for (const { path } of folder.matching(/(?:^|\/)trainer_state\.json$/)) {
    const text = (await folder.text(path)) ?? '';
    try {
      const state = parseJson(text);
      const history = isObject(state) ? state['log_history'] : undefined;
      if (!Array.isArray(history)) notes.push(`${path} has no log_history and is left out.`);
      else if (history.length > longest.length) longest = history;
    } catch {
      notes.push(`${path} is not valid JSON (damaged or truncated) and is left out.`);
    }
  }
  return longest;
}

/** How many questions a held-out score is over: the file beside the history says it. */
async function heldOutCounts(folder: AdoptFolder): Promise<Map<number, number>> {
  const counts = new Map<number, number>();
  for (const { path } of folder.matching(/(?:^|\/)held-out\.jsonl$/))
    for (const line of ((await folder.text(path)) ?? '').split('\n')) {
      const entry = line.trim() === '' ? null : lineOf(line);
      const [step, n] = [asNumber(entry?.['step']), asNumber(entry?.['n'])];
      if (step !== null && n !== null) counts.set(step, n);
    }
  return counts;
}

function lineOf(line: string): Record<string, unknown> | null {
  try {
    const value = parseJson(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

export async function trlMetrics(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  notes: string[],
): Promise<Metrics> {
  const entries = (await historyOf(folder, notes)).filter(isObject);
  const counts = await heldOutCounts(folder);
  const bySteps = new Map<number, Map<number, StepMetrics>>();
  for (const entry of entries) {
    const counted = asNumber(entry['step']);
    // The summary at a trainer's end is of no step of its own.
    if (counted === null || counted < 1 || entry['train_runtime'] !== undefined) continue;
    const step = stepOf(experiment, counted, 'updates');
    const heldOut = heldOutOf(
      entry,
      'held_out/',
      counts.get(step) ?? experiment.settings.heldOut.questions,
    );
    const measures = { ...measuresOf(entry, NAMES), ...(heldOut && { heldOut }) };
    const own = bySteps.get(step) ?? new Map<number, StepMetrics>();
    // A run that was continued logs some of its updates again, and the later entry counts; a held-out
    // score is an entry of its own, before or after that of the update.
    const known = own.get(counted);
    const before =
      entry['loss'] === undefined ? known : known?.heldOut && { heldOut: known.heldOut };
    own.set(counted, { ...before, ...measures });
    bySteps.set(step, own);
  }
  return new Map(
    [...bySteps].map(([step, own]) => [step, joinedMetrics([...own.values()])] as const),
  );
}

/** Whether the folder is what TRL writes. */
export const isTrl = (folder: AdoptFolder): boolean =>
  folder.paths.some((path) => nameOf(path) === 'trainer_state.json');
