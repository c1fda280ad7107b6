import { sum, mean } from '../../base/statistics.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { groupEstimatorOf, type TrainSettings } from '../../recipes/parts/training.ts';
import type { TrainStep } from '../../records/training.ts';
import { findAdapter, type AdoptedAdapter } from './adapter.ts';
import { itemAt } from '../../base/items.ts';
import { estimateAdvantages, membersOf } from '../../learn/advantages.ts';
import { asNumber } from '../../formats/rollouts/shape/json.ts';
import { declaredCurriculum, scoringOf } from '../../recipes/parts/curriculum.ts';
import type { Json } from '../../learn/rl/contracts.ts';
import { isObject } from '../../base/objects.ts';
import { readExperiment, type AdoptedExperiment } from './experiment.ts';
import { AdoptError, AdoptFolder, type AdoptFile } from './folder.ts';
import type { Metrics } from './metrics.ts';
import { isTrl, trlMetrics } from './trl-metrics.ts';
import { verlMetrics } from './verl-metrics.ts';
import { dumpedRollouts } from './rollouts/dumps.ts';
import { ownRollouts } from './rollouts/own.ts';
import type { RolloutSource } from './rollouts/source.ts';
import { adoptedSteps, gapsIn } from './steps.ts';

/** A folder that came back from a cluster, as a run: pure, for the command line and for the page. */

/** The policy that an adapter belongs to, or in a sentence why it is not available. */
export type Base = { config: PolicyConfig } | { missing: string };

export interface AdoptContext {
  base(experiment: AdoptedExperiment): Promise<Base>;
  /** ISO 8601. */
  now: string;
  /** Stops the reading, also of the rollouts of a step. */
  signal?: AbortSignal;
}

export interface Adopted {
  experiment: AdoptedExperiment;
  /** `trl`, `verl`; null where the file does not say. */
  trainer: string | null;
  /** With the adapter's own rank, alpha and targets. */
  settings: TrainSettings;
  /** Where training can continue; null without an adapter. */
  state: TrainState | null;
  steps: TrainStep[];
  /** The rollouts of a step, those of the environment with advantages. */
  rollouts(step: number): Promise<ImportedRollout[]>;
  /** What is missing, or could not be used, a sentence each. */
  notes: string[];
}

async function metricsOf(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  notes: string[],
): Promise<Metrics> {
  const trl = experiment.trainer ? experiment.trainer.name === 'trl' : isTrl(folder);
  const metrics = await (trl ? trlMetrics : verlMetrics)(folder, experiment, notes);
  if (metrics.size === 0)
    notes.push(
      `No metrics: ${trl ? 'TRL’s trainer_state.json' : 'verl’s metrics.jsonl'} has losses, rates and times, and is missing.`,
    );
  return metrics;
}

async function rolloutsOf(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  notes: string[],
): Promise<RolloutSource | null> {
  const source =
    (await ownRollouts(folder, notes)) ?? (await dumpedRollouts(folder, experiment, notes));
  if (!source)
    notes.push(
      'No rollouts: the environment’s server writes them to rollouts.jsonl next to experiment.json.',
    );
  return source;
}

/** What is unknown because rollouts carry no reward; null where all do. */
function withoutRewards(source: RolloutSource | null): string | null {
  const facts = [...(source?.facts.values() ?? [])].flat();
  const count = facts.filter(({ reward }) => reward === null).length;
  if (count === 0) return null;
  const which = count === facts.length ? 'No rollout' : `${count} of ${facts.length} rollouts`;
  const have = count === facts.length ? 'has a reward' : 'have no reward';
  return `${which} ${have}: the rewards and advantages of their steps are unknown, unless the trainer’s log has them.`;
}

async function adapterOf(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  context: AdoptContext,
  notes: string[],
): Promise<AdoptedAdapter | null> {
  const base = await context.base(experiment);
  if ('config' in base) return findAdapter(folder, experiment, base.config, notes);
  notes.push(`The adapter was not imported: ${base.missing}`);
  return null;
}

const sameSpec = (a: LoraSpec, b: LoraSpec): boolean =>
  a.rank === b.rank &&
  a.alpha === b.alpha &&
  a.targets.toSorted().join() === b.targets.toSorted().join();

/** The settings with the adapter's own shape, which is what is continued. */
function settingsWith(
  { settings }: AdoptedExperiment,
  adapter: AdoptedAdapter | null,
  notes: string[],
): TrainSettings {
  if (!adapter || sameSpec(settings.adapter, adapter.spec)) return settings;
  const { rank, alpha, targets } = adapter.spec;
  notes.push(
    `The imported adapter has rank ${rank}, alpha ${alpha} on ${targets.join(', ')}, other than exported; the run uses its shape.`,
  );
  return { ...settings, adapter: { rank, alpha, targets: [...targets] } };
}

/** Batches that were drawn for a step: dynamic sampling draws more than one. */
function batchesOf(rollouts: RolloutSource | null, runId: string, step: number): number {
  const batches = (rollouts?.facts.get(step) ?? []).flatMap(({ groupId }) => {
    const own = groupId.startsWith(`${runId}-${step}-`)
      ? /^(\d+)-\d+$/.exec(groupId.slice(`${runId}-${step}-`.length))
      : null;
    return own ? [Number(own[1]) + 1] : [];
  });
  return Math.max(1, ...batches);
}

/**
 * The curriculum after a step, so that the next one draws what it would have drawn: its draws are counted,
 * for they follow from the seed. What a server alone knew is said in `notes`.
 */
function curriculumAfter(
  experiment: AdoptedExperiment,
  rollouts: RolloutSource | null,
  step: number,
  notes: string[],
): Json {
  const { settings, startStep, runId } = experiment;
  const before = isObject(experiment.curriculum) ? experiment.curriculum : {};
  const steps = Array.from({ length: step - startStep }, (_, i) => startStep + 1 + i);
  const draws = sum(steps.map((one) => batchesOf(rollouts, runId, one) * settings.questions));
  const drawn = (asNumber(before['drawn']) ?? 0) + draws;
  const declared = declaredCurriculum(settings.curriculum);
  if (declared?.countsSearches) {
    const facts = steps.flatMap((one) => rollouts?.facts.get(one) ?? []);
    const searches = sum(facts.map((fact) => fact.searches ?? 0));
    return { drawn, retrievals: (asNumber(before['retrievals']) ?? 0) + searches };
  }
  if (scoringOf(settings.curriculum)) {
    notes.push(
      experiment.curriculum
        ? 'The curriculum continues from the exported state: the draws of the cluster stayed on its server.'
        : 'The scores of the questions stayed on the environment’s server: a continued run scores them again.',
    );
    return experiment.curriculum ?? null;
  }
  if (!declared?.learns) return { drawn };
  notes.push(
    'What the curriculum learned about its questions stayed on the environment’s server: a continued run starts from the exported curriculum.',
  );
  return experiment.curriculum ?? null;
}

/** The last adapter of a trainer that says no step is of its last one. */
function stateOf(
  experiment: AdoptedExperiment,
  adapter: AdoptedAdapter,
  steps: readonly TrainStep[],
  source: RolloutSource | null,
  notes: string[],
): TrainState {
  const last = steps.at(-1)?.step ?? experiment.startStep;
  const step = adapter.step ?? last;
  if (adapter.step === null)
    notes.push(
      `The step of the adapter in ${adapter.folder} is unknown; it is imported as that of the last step, ${last}.`,
    );
  const { flat } = adapter;
  return {
    step,
    // Moments restart, and AdamW’s corrections of them with them.
    updates: 0,
    first: new Float32Array(flat.length),
    second: new Float32Array(flat.length),
    warmedUp: 0,
    adapter: flat,
    learningRate: null,
    curriculum: curriculumAfter(experiment, source, step, notes),
    router: null,
    elapsed: sum(steps.map(({ seconds }) => seconds.total ?? 0)),
  };
}

/**
 * An adapter that is published without its run: training continues from it before step 1.
 * @throws AdoptError where it cannot be used with the model
 */
async function adoptPublished(
  folder: AdoptFolder,
  experiment: AdoptedExperiment,
  context: AdoptContext,
): Promise<Adopted> {
  const notes: string[] = [];
  const adapter = await adapterOf(folder, experiment, context, notes);
  if (!adapter) throw new AdoptError(notes.join(' '));
  const settings = settingsWith(experiment, adapter, notes);
  context.signal?.throwIfAborted();
  return {
    experiment,
    trainer: null,
    settings,
    state: stateOf(experiment, { ...adapter, step: 0 }, [], null, notes),
    steps: [],
    rollouts: () => Promise.resolve([]),
    notes,
  };
}

const trained = ({ segments }: ImportedRollout): number =>
  sum(segments.map(({ ids, mask }) => (mask === 1 ? (ids?.length ?? 0) : 0)));

/**
 * Baseline and advantage of each rollout by the run's own estimator, as Forage writes them after a step: the
 * environment gives rewards, and the trainer keeps its advantages to itself. Left as they are where a reward
 * is not known, or where the record has an advantage.
 */
function withAdvantages(
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
    groupEstimatorOf(objective),
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

/**
 * Reads the result. Whatever is missing or damaged is said in `notes`, and the rest is there.
 * @throws AdoptError where there is no experiment, or nothing that came back; the signal's reason
 */
export async function adopt(files: readonly AdoptFile[], context: AdoptContext): Promise<Adopted> {
  const notes: string[] = [];
  const folder = AdoptFolder.of(files, context.signal);
  const experiment = await readExperiment(folder);
  if (experiment.published) return adoptPublished(folder, experiment, context);
  const metrics = await metricsOf(folder, experiment, notes);
  const source = await rolloutsOf(folder, experiment, notes);
  const unknown = withoutRewards(source);
  if (unknown !== null) notes.push(unknown);
  const adapter = await adapterOf(folder, experiment, context, notes);
  const steps = adoptedSteps(experiment, metrics, source, context.now);
  if (steps.length === 0 && !adapter)
    throw new AdoptError(`Nothing in this folder can be imported. ${notes.join(' ')}`);
  const gaps = gapsIn(steps, experiment.startStep);
  if (gaps !== null) notes.push(gaps);
  const settings = settingsWith(experiment, adapter, notes);
  context.signal?.throwIfAborted();
  const state = adapter && stateOf(experiment, adapter, steps, source, notes);
  if (state)
    notes.push(
      'The optimizer’s moments are not in the folder: they start at 0 if you continue the run.',
    );
  return {
    experiment,
    trainer: experiment.trainer?.name ?? null,
    settings,
    state,
    steps,
    rollouts: async (step) => withAdvantages((await source?.read(step)) ?? [], settings),
    notes,
  };
}
