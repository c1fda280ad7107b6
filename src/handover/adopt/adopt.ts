import { sum } from '../../base/statistics.ts';
import type { ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { TrainStep } from '../../records/training.ts';
import { findAdapter, type AdoptedAdapter } from './adapter.ts';
import { withAdvantages } from './advantages.ts';
import { curriculumAfter } from './curriculum.ts';
import { readExperiment, type AdoptedExperiment } from './input/experiment.ts';
import { AdoptError, AdoptFolder, type AdoptFile } from './input/folder.ts';
import type { Metrics } from './metrics/metrics.ts';
import { isTrl, trlMetrics } from './metrics/trl.ts';
import { verlMetrics } from './metrics/verl.ts';
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
