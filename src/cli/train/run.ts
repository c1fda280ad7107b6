import { resolve, join } from 'node:path';
import { Activity } from '../../learn/run/activity.ts';
import { assembleRun, checkRouter } from '../../learn/run/assemble.ts';
import { heldOutJudge } from '../../evaluate/judge/held-out.ts';
import { readDemonstrations, sizeOf } from '../../learn/rl/demonstrations.ts';
import type { GivenDemonstrations } from '../../lab/contract/training.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import { asWord } from '../../systems/index.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { openCheckpoint } from '../../policy/checkpoint/checkpoint.ts';
import { heldRevision, keyTypeFor, type PolicyDevice } from '../../policy/open/device.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import { prepareNode } from '../../policy/node/prepare.ts';
import { openReader } from '../../policy/open/reader.ts';
import {
  isWorthMeasuring,
  paceByProbe,
  rolloutsAtOnce,
  timeByProbe,
} from '../../lab/train/pace/estimate.ts';
import { withSource } from '../../lab/train/setup-source.ts';
import { sourcesOptions } from '../shared/shared-options.ts';
import {
  askingOf,
  countingJudge,
  JUDGE_PURPOSE,
  openJudgeModel,
} from '../evaluate/judge-options.ts';
import { abortOnSignals } from '../parts/abort.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say, sayProgress } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { recordedWorld } from '../shared/generated-world.ts';
import {
  openFolder,
  openSources,
  type OpenSources,
  type PartsOptions,
  readAdapterFolder,
} from '../shared/parts.ts';
import { openSummarizerNamed, openSummarizerOf, type OpenSummarizer } from '../parts/summarizer.ts';
import { openTextModelOf, type OpenTextModel } from '../parts/text-model.ts';
import { asUsage } from '../shared/train-settings.ts';
import {
  type AdapterFile,
  ADAPTER_CONFIG,
  writePeft,
  type Adapter,
} from '../../policy/lora/peft.ts';
import { BeforeLines } from './before.ts';
import {
  adapterFolderOf,
  appendStep,
  loadDemonstrations,
  readRun,
  readSteps,
  saveSnapshot,
  writeDemonstrations,
  type RunFile,
  adapterAt,
  readRunAt,
  startFolder,
} from './folder.ts';
import { BY_OPTION, withRemedy } from './no-demonstrations.ts';
import { TrainMeter } from './progress.ts';
import { checkSplit, defaultSource, foundSources, partsOf, recordSources } from './run-sources.ts';
import { startThreads, type TrainThreads } from './threads.ts';
import { memoryRefusal, trainingMemory } from '../../learn/replicas/training-memory.ts';
import { probe } from '../../learn/run/probe.ts';
import { probeSummary } from '../../learn/run/predict.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import { duration } from '../../evaluate/study/estimate.ts';
import { cpuLimits } from '../shared/memory.ts';
import { existsSync } from 'node:fs';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';

/** The adapter that a new run starts from: a PEFT folder, or a run (`DIR@STEP`: one of its steps). */
export function readStartAdapter(config: PolicyConfig, given: string): Promise<Adapter> {
  const at = readRunAt(given);
  if (!existsSync(at.run))
    throw new UsageError(`${at.run} is missing; --adapter takes a PEFT folder or a run.`);
  const isPeft = existsSync(join(given, ADAPTER_CONFIG));
  return readAdapterFolder(config, isPeft ? given : adapterAt(at, say).folder);
}

/** Settings with the shape of that adapter. */
export function withShapeOf(settings: TrainSettings, { spec }: Adapter): TrainSettings {
  const { rank, alpha, targets, gates } = spec;
  const { adapter } = settings;
  if (adapter.rank !== rank || adapter.alpha !== alpha)
    say(
      `The run takes the shape of its adapter: rank ${rank}, alpha ${alpha}, on ${targets.join(', ')}.`,
    );
  const own = adapter.gates && gates ? { gates: adapter.gates } : {};
  return { ...settings, adapter: { rank, alpha, targets: [...targets], ...own } };
}

export const startFiles = (
  config: PolicyConfig,
  { spec, flat, baseName }: Adapter,
): AdapterFile[] => writePeft(config, spec, flat, baseName);

/** The adapter that the run of a folder started from; null where it has none. */
export const loadStartAdapter = async (
  run: string,
  { startAdapter }: RunFile,
  config: PolicyConfig,
): Promise<Float32Array | null> =>
  startAdapter === undefined ? null : (await readAdapterFolder(config, startFolder(run))).flat;

/** What this machine needs for a run, and how long it takes, before the run is begun. */

/** The settings that decide how much memory a run takes. */
interface RunShape {
  settings: TrainSettings;
  device: PolicyDevice;
  weights: MatrixType | undefined;
  keys: StoreType;
  threads: number;
  microTokens: number;
}

/** @throws UsageError where it does not fit; the message says what would */
function checkMemory({ config, limits, held }: CheckpointFolder, run: RunShape): void {
  const { settings, device, weights, keys, threads, microTokens } = run;
  // Of a GPU nothing is known; WebAssembly computes with float32 by default otherwise.
  if (device === 'webgpu') return;
  const memory = trainingMemory({
    config,
    type: weights ?? held,
    keys,
    contexts: limits,
    adapter: settings.adapter,
    engines: threads,
    rollouts: rolloutsAtOnce(settings),
    microTokens,
    limits: cpuLimits(threads),
  });
  const refusal = memoryRefusal(memory, 'by --weights');
  if (refusal !== null) throw new UsageError(refusal);
}

interface MeasureParts {
  settings: TrainSettings;
  checkpoint: CheckpointFolder;
  threads: TrainThreads;
  /** Number of threads. */
  count: number;
  sources: Pick<OpenSources, 'world' | 'retriever' | 'router'>;
  summarizer: OpenSummarizer | null;
  signal: AbortSignal;
  /** Demonstrations of its cold start; null: none are given. */
  given: GivenDemonstrations | null;
  /** Weights of the adapter that it starts from; null: a new one. */
  startAdapter: Float32Array | null;
}

/** Measures this machine with a few rollouts and one small update, and prints how long the run will take. */
async function measureRun(parts: MeasureParts): Promise<Probe> {
  const { settings, checkpoint, threads, count, sources, summarizer, signal } = parts;
  const { world, retriever, router } = sources;
  const trained = world.questions.filter(({ split }) => split === 'train');
  const start = performance.now();
  let doing = '';
  const draw = (): void =>
    sayProgress(
      `measuring this machine: ${doing}, ${((performance.now() - start) / 1000).toFixed(0)} s`,
    );
  const ticking = setInterval(draw, 1000);
  try {
    const measured = await probe({
      settings,
      agent: {
        policy: threads.policy,
        retriever,
        router,
        summarizer: summarizer && summarizer.summarizer,
        now: Date.now,
      },
      learner: threads.learner,
      config: checkpoint.config,
      startAdapter: parts.startAdapter,
      questions: trained.length > 0 ? trained : world.questions,
      engines: count,
      slots: checkpoint.limits.maxSlots,
      signal,
      onProgress: (what) => {
        doing = what;
        draw();
      },
    });
    endProgress();
    sayProbe(settings, measured, parts.given);
    return measured;
  } finally {
    clearInterval(ticking);
  }
}

const inGB = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

/** Prints what was measured, and how long the run will take. */
function sayProbe(
  settings: TrainSettings,
  measured: Probe,
  given: GivenDemonstrations | null,
): void {
  const { steps } = settings;
  const seen = probeSummary(measured);
  const { secondsPerStep, secondsBefore, range } = timeByProbe(settings, measured, given);
  say(
    `measured with ${seen.rollouts} rollouts: ${seen.tokensPerSecond.toFixed(0)} tokens/s, ` +
      `${seen.decoded.toFixed(0)} tokens and ${seen.searches.toFixed(1)} searches per rollout, ` +
      `${seen.right} right, ${seen.formatValid} in the format; ${inGB(seen.bytes)} in use`,
  );
  if (seen.trainedPerSecond !== null)
    say(`${seen.trainedPerSecond.toFixed(0)} tokens/s in updates`);
  if (steps === 0) say(`at most ≈ ${duration(secondsBefore)} for the cold start`);
  else
    say(
      `≈ ${duration(secondsPerStep)} per step, ${duration(steps * secondsPerStep)} for ${steps} ${steps === 1 ? 'step' : 'steps'}, ` +
        `+ ${duration(secondsBefore)} before step 1`,
    );
  if (range)
    say(
      `between ${duration(range[0])} and ${duration(range[1])} per step: steps whose groups all have equal rewards skip their update`,
    );
  // A cold start changes what the model earns.
  if (seen.allEqual && seen.rollouts > 1 && !settings.warmUp)
    say(
      'All rewards were equal: rollouts like these teach nothing. Add a cold start on demonstrations (--demonstrations), or choose easier questions.',
    );
}

/** What a run works with beside its policy; opened once. */
export interface OpenRun {
  sources: Pick<OpenSources, 'world' | 'retriever' | 'router'>;
  summarizer: OpenSummarizer | null;
  judge: OpenTextModel | null;
}

/** A run that is not begun, and what it works with. */
export interface NewRun {
  file: RunFile;
  /** Of the adapter that it starts from; empty without one. */
  startFiles: readonly AdapterFile[];
  /** Its weights; null without one. */
  startAdapter: Float32Array | null;
  opened: OpenRun;
}

const worldRecord = (given: PartsOptions['world'], seed: number): RunFile['world'] => ({
  folder: typeof given === 'string' ? resolve(given) : null,
  seed,
});

const keysFor = (
  { config, limits: { maxContext, maxSlots } }: CheckpointFolder,
  device: PolicyDevice,
): StoreType => keyTypeFor({ ...config, maxPositions: maxContext }, maxSlots, device);

const PROBE = 'Who directed "Amélie"? <search>été 1998</search> 你好';

/** The teacher that a run names. @throws UsageError where it cannot say how likely the run's tokens are */
async function teacherOf(
  named: string | undefined,
  { objective }: TrainSettings,
  policy: CheckpointFolder,
): Promise<RunFile['teacher']> {
  if (named === undefined) return undefined;
  if (objective.kl.place === 'off')
    throw new UsageError('--teacher needs a KL: add --switch kdrl, or set objective.kl.place.');
  const folder = await openFolder(named);
  const [ids, other] = (
    await Promise.all([policy, folder].map(({ files }) => openReader(files)))
  ).map(({ tokenizer }) => `${tokenizer.vocabSize} ${tokenizer.encodeText(PROBE).join(' ')}`);
  if (ids !== other)
    throw new UsageError(
      `${named} has another vocabulary than ${policy.id}, so it cannot score its tokens. Name a model of the same family.`,
    );
  return { folder: folder.path, revision: await folderRevision(folder) };
}

/** What `settings.json` of a new run says. @throws UsageError for what is not there or does not fit */
export async function describeRun(
  chosen: TrainSettings,
  values: OptionValues,
  lists: OptionLists = {},
): Promise<NewRun> {
  const named = sourcesOptions(values, lists);
  const recipe = asUsage(() => {
    checkRouter(chosen);
    return withSource(chosen, { source: defaultSource(named) });
  });
  const checkpoint = await openFolder(values.policy as string | undefined);
  const startFrom = values.adapter as string | undefined;
  const start =
    startFrom === undefined ? null : await readStartAdapter(checkpoint.config, startFrom);
  const settings = start ? withShapeOf(recipe, start) : recipe;
  const judge = await openJudgeModel(values);
  const summarizer = await openSummarizerOf(values);
  const opened = await openSources(named);
  const { world, split } = opened;
  if (named.questions !== undefined && split)
    checkSplit(named.questions, split, settings.heldOut.questions);
  const weights = values.weights as MatrixType | undefined;
  const device = values.device === 'webgpu' ? 'webgpu' : 'wasm';
  const keys = (values.kv as StoreType | undefined) ?? keysFor(checkpoint, device);
  const sources = await recordSources(named, split);
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: `${asWord(settings.preset)}-${settings.seed}`,
    settings,
    device,
    policy: {
      folder: checkpoint.path,
      id: checkpoint.id,
      revision: heldRevision(await folderRevision(checkpoint), weights),
      weights,
      ...(keys !== 'f32' && { keys }),
    },
    world: worldRecord(named.world, world.manifest.seed),
    sources,
    ...(summarizer && { summarizer: summarizer.name }),
    ...(startFrom !== undefined && { startAdapter: resolve(startFrom) }),
    ...(judge && { judge: { model: judge.spec, ...askingOf(values) } }),
    teacher: await teacherOf(values.teacher as string | undefined, settings, checkpoint),
  };
  const [threads, microTokens] = [Number(values.threads), Number(values['micro-tokens'])];
  checkMemory(checkpoint, shapeOf(file, { threads, microTokens }));
  return {
    file,
    startFiles: start ? startFiles(checkpoint.config, start) : [],
    startAdapter: start && start.flat,
    opened: { sources: opened, summarizer, judge },
  };
}

/**
 * Opens what the record of a run names.
 * @throws UsageError that says what is missing, or is another than the run began with
 */
async function openRun({ world, sources, summarizer, judge }: RunFile): Promise<OpenRun> {
  const found = await foundSources(sources, {});
  const opened = await openSources({
    world: recordedWorld(world),
    ...(found && partsOf(found)),
    onNotice: say,
  });
  if (opened.world.manifest.seed !== world.seed)
    throw new UsageError(
      `The run trains on the world of seed ${world.seed}; ${world.folder ?? 'the built-in one'} has seed ${opened.world.manifest.seed}.`,
    );
  return {
    sources: opened,
    summarizer: summarizer === undefined ? null : await openSummarizerNamed(summarizer),
    judge: judge ? await openTextModelOf(judge.model, JUDGE_PURPOSE) : null,
  };
}

export interface TrainOptions {
  threads: number;
  microTokens: number;
  json: boolean;
}

const shapeOf = (
  { settings, device, policy: { weights, keys = 'f32' } }: RunFile,
  { threads, microTokens }: Pick<TrainOptions, 'threads' | 'microTokens'>,
): RunShape => ({ settings, device, weights, keys, threads, microTokens });

/** Threads that sample and train, for a run of that record. */
async function openThreads(
  file: RunFile,
  { path, files }: CheckpointFolder,
  options: Pick<TrainOptions, 'threads' | 'microTokens'>,
): Promise<TrainThreads> {
  prepareNode();
  const { settings, ...shape } = shapeOf(file, options);
  return startThreads({
    ...shape,
    folder: path,
    id: file.policy.id,
    adapter: settings.adapter,
    reader: await openReader(files),
  });
}

/** Threads that score what a run's policy wrote by its teacher; null without one. */
async function openTeacher(
  file: RunFile,
  options: Pick<TrainOptions, 'threads' | 'microTokens'>,
): Promise<TrainThreads | null> {
  const { teacher, device } = file;
  if (!teacher) return null;
  const folder = await openFolder(teacher.folder);
  if ((await folderRevision(folder)) !== teacher.revision)
    throw new UsageError(`${teacher.folder} holds other weights than the run began with.`);
  const policy = { ...teacher, id: folder.id, keys: keysFor(folder, device) };
  return openThreads({ ...file, policy }, folder, options);
}

/** The size of the demonstrations of a cold start; null where it is given none. */
const givenBy = ({ warmUp }: TrainSettings, text: string | null): GivenDemonstrations | null =>
  text === null || !warmUp || warmUp.own ? null : sizeOf(readDemonstrations(text, Infinity));

/** Measures this machine for a run that is not begun, and says what it would take. */
export async function checkRun(
  { file, opened, startAdapter }: NewRun,
  options: Pick<TrainOptions, 'threads' | 'microTokens'>,
  demonstrations: string | null = null,
): Promise<void> {
  using stop = abortOnSignals('stopping …');
  const { settings, policy } = file;
  const checkpoint = await openFolder(policy.folder);
  const threads = await openThreads(file, checkpoint, options);
  const { sources, summarizer } = opened;
  const { signal } = stop;
  try {
    const count = options.threads;
    const given = givenBy(settings, demonstrations);
    const measuring = { settings, checkpoint, threads, sources, summarizer, signal, given };
    await measureRun({ ...measuring, count, startAdapter });
  } finally {
    summarizer?.close();
    opened.judge?.close();
    await threads.close();
  }
}

/** Trains the run of a folder from a state, null for the start; `given` is what it works with, where that is open. */
export async function train(
  run: string,
  state: TrainState | null,
  options: TrainOptions,
  given?: OpenRun,
): Promise<void> {
  using stop = abortOnSignals('stopping; the last whole step is saved …');
  const file = readRun(run);
  const { settings, policy } = file;
  const folder = policy.folder;
  const checkpoint = await openFolder(folder);
  checkMemory(checkpoint, shapeOf(file, options));
  if (heldRevision(await folderRevision(checkpoint), policy.weights) !== policy.revision)
    throw new UsageError(`${policy.folder} holds other weights than the run began with.`);
  const { config, notes } = await openCheckpoint(checkpoint.files, checkpoint.limits.maxContext);
  notes.forEach((note) => say(note));
  const { sources, summarizer, judge } = given ?? (await openRun(file));
  const { world, retriever, router } = sources;
  const threads = await openThreads(file, checkpoint, options);
  const teacher = await openTeacher(file, options);
  const activity = new Activity();
  const before = new BeforeLines(run, file, state !== null);
  const onNotice = (message: string): void => {
    endProgress();
    say(message);
  };
  try {
    const given = state === null ? givenBy(settings, loadDemonstrations(run)) : null;
    const { signal } = stop;
    const startAdapter = await loadStartAdapter(run, file, config);
    const measuring = { settings, checkpoint, threads, sources, summarizer, signal, given };
    const worth = state === null && isWorthMeasuring(settings);
    const measured = worth
      ? await measureRun({ ...measuring, count: options.threads, startAdapter })
      : null;
    const expected = measured && paceByProbe(settings, measured, given);
    const meter = new TrainMeter(settings, activity, expected);
    activity.watchLearner(threads.learner);
    using _ticking = meter.ticking();
    const training = trainRun({
      settings,
      ...(state && { state }),
      deps: {
        teacher: teacher?.learner,
        ...(await assembleRun(settings, {
          policy: activity.watchPolicy(threads.policy),
          learner: threads.learner,
          config,
          retriever,
          router,
          questions: world.questions,
          summarizer: summarizer && summarizer.summarizer,
          judge:
            judge && file.judge ? heldOutJudge(countingJudge(judge), file.judge, onNotice) : null,
          demonstrations: () => loadDemonstrations(run),
          keepTrajectories: (text) => writeDemonstrations(run, text),
          startAdapter,
          runId: file.runId,
          now: Date.now,
          onNotice,
        })),
      },
      hooks: {
        signal: stop.signal,
        onProgress: (progress) => meter.progress(progress),
        onNotice: (line, of) => {
          if (of === 'before') before.note(line);
          onNotice(line);
        },
        onColdStart: (point) => {
          endProgress();
          if (options.json) print(JSON.stringify(point));
          meter.coldStart(point);
        },
        onStep: (record) => {
          endProgress();
          appendStep(run, record);
          if (options.json) print(JSON.stringify(record));
          meter.step(record);
        },
        snapshot: (at) => {
          before.keep();
          saveSnapshot(run, at, file, config, { past: true });
        },
      },
    });
    const result = await withRemedy(training, BY_OPTION);
    endProgress();
    const { step, coldStart } = result.state;
    say(
      `${result.end} after ${step === 0 && coldStart?.over ? 'the cold start' : `step ${step}`}; ${run}`,
    );
    if (settings.steps === 0 && coldStart?.over)
      say(
        `Its adapter, for lab evaluate --adapter or lab train --adapter: ${adapterFolderOf(run)}`,
      );
    meter.end(readSteps(run), file.startAdapter !== undefined);
  } finally {
    summarizer?.close();
    judge?.close();
    await threads.close();
    await teacher?.close();
  }
}
