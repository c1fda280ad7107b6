import { resolve } from 'node:path';
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
import { isWorthMeasuring, paceByProbe } from '../../lab/train/pace/estimate.ts';
import { withSource } from '../../lab/train/setup-source.ts';
import { sourcesOptions } from '../shared/shared-options.ts';
import {
  askingOf,
  countingJudge,
  JUDGE_PURPOSE,
  openJudgeModel,
} from '../evaluate/judge-options.ts';
import { abortOnSignals } from '../helpers/abort.ts';
import { folderRevision, type CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say } from '../shared/command.ts';
import { UsageError, type OptionLists, type OptionValues } from '../shared/options.ts';
import { recordedWorld } from '../shared/generated-world.ts';
import { openFolder, openSources, type OpenSources, type PartsOptions } from '../shared/parts.ts';
import {
  openSummarizerNamed,
  openSummarizerOf,
  type OpenSummarizer,
} from '../helpers/summarizer.ts';
import { openTextModelOf, type OpenTextModel } from '../helpers/text-model.ts';
import { asUsage } from '../shared/train-settings.ts';
import type { AdapterFile } from '../../policy/lora/peft.ts';
import { loadStartAdapter, readStartAdapter, startFiles, withShapeOf } from './start-adapter.ts';
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
} from './folder.ts';
import { BY_OPTION, withRemedy } from './no-demonstrations.ts';
import { TrainMeter } from './progress.ts';
import { checkSplit, defaultSource, foundSources, partsOf, recordSources } from './run-sources.ts';
import { checkMemory, measureRun, type RunShape } from './measure.ts';
import { startThreads, type TrainThreads } from './threads.ts';

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
    format: 'forage.cli-run/4',
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
  text === null || !warmUp || warmUp.from === 'own'
    ? null
    : sizeOf(readDemonstrations(text, Infinity));

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
