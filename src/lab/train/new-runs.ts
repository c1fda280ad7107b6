import type { PolicyRef, Setup } from '../../records/setup.ts';
import { readTrajectories } from '../../formats/trajectories/read.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import { asksForSummaries, checkTrainable } from '../../learn/rl/trainable.ts';
import { usableDemonstrations } from '../../learn/rl/warm-up-data.ts';
import { checkRouter } from '../../learn/run/assemble.ts';
import { parseTrainSettings } from '../../learn/settings/edit-settings.ts';
import { resolveTrajectories } from '../../learn/supervised/resolve.ts';
import { adapterSize } from '../../policy/lora/spec.ts';
import { loadTokenizer } from '../../policy/open/load.ts';
import { isStored } from '../../recipes/parts/stage-loss.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { RunRecord } from '../contract/records/runs.ts';
import type { StartFrom } from '../contract/training.ts';
import { splitWords, type QuestionSplit } from '../corpus/retrieval/split.ts';
import { memoryRefusal } from '../../learn/replicas/training-memory.ts';
import { chooseDevice } from '../models/serving/device.ts';
import { deviceLimits, type DeviceView } from '../models/serving/device-limits.ts';
import { keysOn, type PolicyFacts } from '../models/serving/policy-facts.ts';
import type { RunStore } from '../storage/run-store.ts';
import type { DriveParts } from './drive.ts';
import { memoryFor } from './measure.ts';
import { newId } from './records.ts';
import { withSource } from './setup-source.ts';

/** Runs that are checked and stored, and not begun. */

interface NewRunParts {
  store: Pick<
    RunStore,
    'put' | 'putDemonstrations' | 'putStartAdapter' | 'run' | 'adapterSteps' | 'adapterAt'
  >;
  world: DriveParts['world'];
  /** @throws Error where it cannot be trained */
  policy(ref: PolicyRef): Promise<PolicyFacts>;
}

/** What differs from run to run. */
interface Wanted {
  settings: TrainSettings;
  /** Empty: that of the recipe and the seed. */
  name: string;
  sweep?: RunRecord['sweep'];
}

/** What they have in common. */
interface Given {
  device: 'wasm' | 'webgpu' | 'auto';
  setup: Setup;
  demonstrations?: Blob;
  /** The adapter that they start from; absent: a new one. */
  start?: StartFrom;
}

/** Who summarizes is part of training only where its rollouts read summaries. */
const isBuiltIn = (setup: Setup, settings: TrainSettings): boolean => {
  const { policy, local, web, questions, summarizer, judge } = setup;
  return (
    [policy, local, web, questions].every(({ kind }) => kind === 'built-in') &&
    judge.kind === 'off' &&
    (summarizer.kind === 'off' || !asksForSummaries(settings))
  );
};

export const hasSummarizer = ({
  summarizer,
}: Pick<Setup, 'summarizer'>): { summarizer: boolean } => ({
  summarizer: summarizer.kind !== 'off',
});

/** @throws Error where custom questions leave none to train on */
function checkSplit(split: QuestionSplit | undefined): void {
  if (split && split.train === 0)
    throw new Error(
      `None of the imported questions is left to train on: ${splitWords(split)}. Import more, or questions whose field “split” says train.`,
    );
}

/** @throws Error for a judge that is none */
function checkJudge({ judge }: Setup): void {
  if (judge.kind === 'model' && judge.policy.kind === 'built-in')
    throw new Error(
      'The built-in model cannot judge answers: it writes only searches and answers of its own protocol. Choose a server, a chat model, or no judge.',
    );
}

/** @throws Error that says what would fit */
export function checkMemory(settings: TrainSettings, facts: PolicyFacts, view: DeviceView): void {
  const refusal = memoryRefusal(memoryFor(settings, facts, view), 'on Models');
  if (refusal !== null) throw new Error(refusal);
}

/** The demonstrations of a warm-up. @throws Error where they are not given, or of no use */
async function demonstrationsText(
  given: Blob | undefined,
  { config, onlyCorrect }: PolicyFacts & { onlyCorrect: boolean },
): Promise<string> {
  if (!given) throw new Error('The warm-up needs a file of trajectories (rollouts as JSON lines).');
  const text = await given.text();
  const rollouts = readDemonstrations(text, config.vocabSize);
  // Said now rather than when the engines are up.
  usableDemonstrations(rollouts, { onlyCorrect, maxTokens: config.maxPositions });
  return text;
}

/** What stages learn from. @throws Error where it is not readable by the policy */
async function storedText(given: Blob, policy: PolicyFacts): Promise<string> {
  const text = await given.text();
  const set = readTrajectories(text);
  const { files, release } = await policy.open();
  try {
    resolveTrajectories(set, await loadTokenizer(files), policy.config.maxPositions);
  } finally {
    release();
  }
  return text;
}

/** What a run with these settings learns from before or beside its own rollouts; null: nothing. */
async function textFor(
  { stages, warmUp }: TrainSettings,
  given: Blob | undefined,
  policy: PolicyFacts,
): Promise<string | null> {
  // Without a file the run makes its own.
  if (stages.some(({ loss }) => isStored(loss))) return given ? storedText(given, policy) : null;
  if (warmUp && !warmUp.own) return demonstrationsText(given, { ...policy, ...warmUp });
  return null;
}

/** An adapter that a new run starts from, and the shape that the run takes from it. */
interface StartAdapter {
  from: NonNullable<RunRecord['startedFrom']>;
  shape: TrainSettings['adapter'];
  flat: Float32Array;
}

/**
 * The adapter of another run of this model.
 * @returns null where nothing is chosen
 * @throws Error where it is of another model, or not stored
 */
export async function readStartAdapter(
  store: Pick<RunStore, 'run' | 'adapterSteps' | 'adapterAt'>,
  start: StartFrom | undefined,
  policy: Pick<PolicyFacts, 'id' | 'revision' | 'config'>,
): Promise<StartAdapter | null> {
  if (!start) return null;
  const run = await store.run(start.run);
  if (run.policy.id !== policy.id || run.policy.revision !== policy.revision)
    throw new Error(
      `The adapter of “${run.name}” was trained on ${run.policy.id}, and this run trains ${policy.id}. Choose that model, or start from a new adapter.`,
    );
  const step = start.step ?? (await store.adapterSteps(run.id))[0];
  if (step === undefined)
    throw new Error(`“${run.name}” has no adapter that was trained. Start from another one.`);
  const { adapter: flat } = await store.adapterAt(run.id, step);
  const shape = run.settings.adapter;
  const wanted = adapterSize(policy.config, shape);
  if (flat.length !== wanted)
    throw new Error(
      `The adapter of “${run.name}” has ${flat.length} numbers; its shape needs ${wanted}. Start from another one.`,
    );
  return { from: { run: run.id, step, name: run.name }, shape, flat };
}

/**
 * Checks all of them, and then stores them.
 * @throws Error where one of them cannot be trained; none is stored then
 */
export async function storeRuns(
  parts: NewRunParts,
  wanted: readonly Wanted[],
  { device, setup, demonstrations, start }: Given,
): Promise<RunRecord[]> {
  const trainable = <Run extends Wanted>(one: Run, settings: TrainSettings): Run => {
    checkRouter(settings);
    checkTrainable(settings, hasSummarizer(setup));
    return { ...one, settings };
  };
  // Wrong settings are said before a model is opened.
  checkJudge(setup);
  const parsed = wanted.map((one) =>
    trainable(one, withSource(parseTrainSettings(one.settings), setup)),
  );
  const policy = await parts.policy(setup.policy);
  const from = await readStartAdapter(parts.store, start, policy);
  const checked = from
    ? parsed.map((one) => trainable(one, { ...one.settings, adapter: from.shape }))
    : parsed;
  const chosen = await chooseDevice(device, navigator.gpu, navigator.hardwareConcurrency);
  const world = await parts.world(setup);
  checkSplit(world.split);
  const view = await deviceLimits(device, navigator);
  for (const { settings } of checked) checkMemory(settings, policy, view);
  const keys = keysOn(chosen.facts.device, policy);
  const texts = await Promise.all(
    checked.map(({ settings }) => textFor(settings, demonstrations, policy)),
  );
  const now = Date.now();
  const runs = checked.map(({ settings, name, sweep }, i): RunRecord => {
    // Of runs that are made together, the first is the oldest.
    const at = new Date(now + i).toISOString();
    return {
      format: 'forage.run/6',
      id: sweep ? `${newId(settings)}-${sweep.place.join('-')}` : newId(settings),
      name: name.trim() === '' ? `${settings.preset}, seed ${settings.seed}` : name.trim(),
      tags: [],
      notes: '',
      createdAt: at,
      updatedAt: at,
      // Until the run's lock is held: without it a run that trains is one whose tab died.
      status: 'paused',
      settings,
      policy: { id: policy.id, revision: policy.revision },
      ...(!isBuiltIn(setup, settings) && { setup }),
      ...(from && { startedFrom: from.from }),
      world: {
        seed: world.seed,
        questions: world.questions.length,
        split: world.split,
      },
      device: chosen.facts.device,
      ...(keys !== 'f32' && { keys }),
      step: 0,
      checkpointStep: null,
      failure: null,
      sweep,
      notice: null,
      deletedAt: null,
    };
  });
  for (const [i, run] of runs.entries()) {
    const text = texts[i] ?? null;
    if (text !== null) await parts.store.putDemonstrations(run.id, text);
    if (from) await parts.store.putStartAdapter(run.id, from.flat);
    await parts.store.put(run);
  }
  return runs;
}
