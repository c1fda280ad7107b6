import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve, join } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { duration, secondsLeft, type Pace } from '../../evaluate/study/estimate.ts';
import { executePlan, workLeft, type WorkLeft } from '../../evaluate/study/execute.ts';
import { planStudy, type StudyPlan, type PlannedTraining } from '../../evaluate/study/plan.ts';
import { readStudy, StudyError, type Study } from '../../evaluate/study/file/read.ts';
import { reportOf, type StudyResults } from '../../evaluate/study/report.ts';
import { warningsOf } from '../../learn/run/warnings.ts';
import { abortOnSignals } from '../parts/abort.ts';
import { endProgress, print, say } from '../shared/command.ts';
import { UsageError } from '../shared/options.ts';
import { StudyFolder } from './folder.ts';
import { scoreCell, timeCell } from './score-cell.ts';
import { StudyEngine } from './study-engine.ts';
import { StudyWorlds, type StudySources } from './worlds.ts';
import { isDeepStrictEqual } from 'node:util';
import { pointOf, startPoint, type CurvePoint } from '../../evaluate/study/course-point.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { assembleRun } from '../../learn/run/assemble.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import type { MadeStep } from '../../records/training.ts';
import { makeFolders } from '../shared/path-fault.ts';
import {
  appendStep,
  createRun,
  readRun,
  readSteps,
  resumeSnapshot,
  saveSnapshot,
  trimSteps,
  type RunFile,
} from '../train/folder.ts';
import { holdRun } from '../train/hold.ts';
import { BY_ARM, withRemedy } from '../train/no-demonstrations.ts';
import { TrainMeter } from '../train/progress.ts';
import { BeforeLines } from '../train/before.ts';

/** One training of a study, as `lab train` makes it, in a run folder from which it continues. */

interface TrainCell {
  folder: StudyFolder;
  engine: StudyEngine;
  sources: StudySources;
  /** Text of the file of trajectories; empty where there is none. */
  demonstrations: () => string | null;
  signal: AbortSignal;
}

/** The run of a folder, where one was begun; the state of its last whole step. */
function begun(run: string, { settings }: PlannedTraining): TrainState | null {
  if (!existsSync(join(run, 'latest.json'))) return null;
  if (!isDeepStrictEqual(readRun(run).settings, settings))
    throw new UsageError(`${run} is a run with other settings; remove it to run it again.`);
  const state = resumeSnapshot(run, say);
  if (state) trimSteps(run, state.step, say);
  return state;
}

/** The curve of a run: the score before its first step, then each step. */
function curveOf(steps: readonly MadeStep[]): CurvePoint[] {
  const start = steps[0]?.heldOutAtStart ?? null;
  return [...(start ? [startPoint(start)] : []), ...steps.map(pointOf)];
}

/**
 * Trains and keeps the adapter of the last step.
 * @throws the signal's reason where it is aborted: the last whole step is saved then
 */
async function trainCell(
  training: PlannedTraining,
  { folder, engine, sources, demonstrations, signal }: TrainCell,
): Promise<void> {
  const { key, settings, world } = training;
  const { checkpoint, config, revision } = engine;
  const { seed } = sources.world.manifest;
  const run = folder.run(key);
  const file: RunFile = {
    format: 'forage.cli-run/6',
    runId: key,
    settings,
    device: 'wasm',
    policy: { folder: checkpoint.path, id: checkpoint.id, revision },
    world: { folder: null, seed },
  };
  makeFolders(run);
  using _held = holdRun(run);
  const state = begun(run, training);
  if (!state) createRun(run, file);
  const threads = await engine.threads(settings.adapter);
  const onNotice = (line: string): void => {
    endProgress();
    say(line);
  };
  const deps = await assembleRun(settings, {
    policy: threads.policy,
    learner: threads.learner,
    config,
    retriever: sources.retriever,
    router: sources.router(),
    questions: sources.world.questions,
    demonstrations,
    summarizer: engine.summarizers[training.summarizer],
    runId: key,
    now: Date.now,
    onNotice,
  });
  const meter = new TrainMeter(settings);
  const before = new BeforeLines(run, state ? readRun(run) : file, state !== null);
  const trained = trainRun({
    settings,
    ...(state && { state }),
    deps,
    hooks: {
      signal,
      onNotice: (line, of) => {
        if (of === 'before') before.note(line);
        onNotice(line);
      },
      onProgress: (progress) => meter.progress(progress),
      onColdStart: (point) => {
        endProgress();
        meter.coldStart(point);
      },
      onStep: (record: MadeStep) => {
        endProgress();
        appendStep(run, record);
        meter.step(record);
      },
      snapshot: (at) => {
        before.keep();
        saveSnapshot(run, at, file, config);
      },
    },
  });
  const result = await withRemedy(trained, BY_ARM);
  endProgress();
  signal.throwIfAborted();
  const curve = curveOf(readSteps(run));
  const { adapter, router, step, elapsed } = result.state;
  folder.writeTrained(
    {
      key,
      made: engine.made,
      settings,
      world: world.name,
      steps: step,
      seconds: Number(elapsed.toFixed(1)),
      curve,
      router,
    },
    writePeft(config, settings.adapter, adapter, checkpoint.id, 'F16'),
  );
}

/** `lab study`: from the file to the tables. Sweeps use it, too. */

export interface RunOptions {
  /** Folder of results; null: the study is only checked. */
  out: string | null;
  check: boolean;
  /** Times all scores once more when everything is finished. */
  timeAgain?: boolean;
  threads: number;
  microTokens: number;
}

/** A parsed study. */
export interface OpenedStudy {
  study: Study;
  /** Folder that its paths are relative to. */
  base: string;
  /** More files beside its tables, from the finished parts. */
  files?: (plan: StudyPlan, results: StudyResults) => Record<string, string>;
}

/**
 * @param base folder that its paths are relative to
 * @param name what messages call it
 * @throws UsageError that names every problem
 */
export function readStudyText(text: string, base: string, name: string): Study {
  try {
    return readStudy(text, (path) => existsSync(resolve(base, path)));
  } catch (error) {
    if (error instanceof StudyError)
      throw new UsageError(`${name}: ${error.message.replace(/\.$/, '')}.`);
    throw error;
  }
}

/** @throws UsageError that names every problem */
export function openStudy(path: string): Study {
  if (!existsSync(path)) throw new UsageError(`${path} is missing.`);
  try {
    return readStudyText(readFileSync(path, 'utf8'), dirname(resolve(path)), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${path} cannot be read as a study: ${messageOf(error)}.`);
  }
}

/** Measured times of a folder's trainings and scores. */
function paceOf(folder: StudyFolder, plan: StudyPlan): Pace {
  const recipes = new Map(plan.scores.map(({ key, recipe }) => [key, recipe]));
  return {
    steps: folder.allTrained().flatMap(({ settings, seconds, steps }) => {
      const named = settings as { preset?: unknown };
      return steps === 0 ? [] : [{ kind: String(named.preset), seconds: seconds / steps }];
    }),
    questions: folder.allScores().map(({ key, seconds, rows }) => ({
      kind: recipes.get(key) ?? '',
      seconds: seconds / rows.length,
    })),
  };
}

const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;

/** Warnings about the settings of arms; once, where all trained arms share one. */
function sayWarnings({ arms }: Study): void {
  const trained = arms.flatMap(({ name, settings }) => (settings ? [{ name, settings }] : []));
  const of = new Map<string, string[]>();
  for (const { name, settings } of trained)
    for (const warning of warningsOf(settings)) of.set(warning, [...(of.get(warning) ?? []), name]);
  for (const [warning, names] of of)
    say(`warning: ${names.length === trained.length ? '' : `${names.join(', ')}: `}${warning}`);
}

/** The plan as text, with an estimate of the time left. */
function describe(
  study: Study,
  plan: StudyPlan,
  folder: StudyFolder | null,
  left: WorkLeft,
): string {
  const { file, worlds } = study;
  const steps = left.trainings.reduce((sum, { settings }) => sum + settings.steps, 0);
  const rollouts = left.trainings.reduce(
    (sum, { settings }) => sum + settings.steps * settings.questions * settings.groupSize,
    0,
  );
  const pace = folder ? paceOf(folder, plan) : { steps: [], questions: [] };
  const seconds = secondsLeft(left, file.evaluate.questions, pace);
  const time =
    left.trainings.length + left.scores.length === 0
      ? 'nothing is left to run'
      : seconds === null
        ? 'the time is unknown until the folder has a measured step and score'
        : `about ${duration(seconds)}, as measured in the folder`;
  return [
    `${file.name}: ${file.question}`,
    ...plan.trainings.map(({ key, settings }) => {
      const there = folder?.hasTrained(key) ? '  (done)' : '';
      return `  train  ${key}  ${count(settings.steps, 'step')}${there}`;
    }),
    `  ${count(plan.trainings.length, 'training')}, ${left.trainings.length} to run (${count(steps, 'step')}, ${count(rollouts, 'rollout')}); ` +
      `${count(plan.scores.length, 'score')} of up to ${count(file.evaluate.questions, 'question')} over ${count(worlds.length, 'world')}, ${left.scores.length} to run`,
    `  ${time}`,
  ].join('\n');
}

function writeReport({ study, files }: OpenedStudy, plan: StudyPlan, folder: StudyFolder): string {
  const there = plan.scores.filter(({ key }) => folder.hasScore(key));
  const scores = new Map(there.map(({ key }) => [key, folder.readScore(key)]));
  const curves = new Map(
    plan.trainings
      .filter(({ key }) => folder.hasTrained(key))
      .map(({ key }) => [key, folder.readTrained(key).curve]),
  );
  const commits = [...scores.values()].map(({ made }) =>
    typeof made['commit'] === 'string' ? made['commit'] : 'no commit',
  );
  const { id, revision } = folder.policy;
  const results: StudyResults = {
    rows: (key) => scores.get(key)?.rows ?? null,
    curve: (key) => curves.get(key) ?? null,
  };
  const { files: tables, verdicts } = reportOf(study, plan, results, {
    policy: `${id}@${revision}`,
    made: [`version ${folder.version}`, ...new Set(commits)],
    finished: there.length,
    scores: plan.scores.length,
  });
  const more = files?.(plan, results) ?? {};
  const written = folder.writeTables(study.file.name, { ...tables, ...more });
  if (verdicts.length > 0) folder.writeVerdicts(study.file.name, verdicts);
  for (const [name, text] of Object.entries({ 'table.md': tables['table.md'] ?? '', ...more }))
    if (name.endsWith('.md')) print(text.trimEnd());
  return written;
}

/** Runs what is missing of a study, and writes its tables. */
export async function runStudy(opened: OpenedStudy, options: RunOptions): Promise<void> {
  const { study, base } = opened;
  const { file } = study;
  const policy = file.policy === undefined ? undefined : resolve(base, file.policy);
  const engine = await StudyEngine.open(policy, options);
  const worlds = new StudyWorlds(base, file.webDelayMs);
  const plan = await planStudy(study, {
    revision: engine.revision,
    identityOf: worlds.identityOf,
    digestOf: worlds.digestOf,
  });
  const folder = options.out === null ? null : StudyFolder.open(resolve(options.out), engine.maker);
  const hasTrained = (key: string): boolean => folder?.hasTrained(key) ?? false;
  const hasScore = (key: string): boolean => folder?.hasScore(key) ?? false;
  const left = workLeft(plan, { hasTrained, hasScore });
  sayWarnings(study);
  if (options.check || !folder) return print(describe(study, plan, folder, left));
  say(describe(study, plan, folder, left));
  folder.begin();
  using stop = abortOnSignals('stopping; finished parts and the last whole step are kept …');
  const { signal } = stop;
  try {
    const failed = await executePlan(plan, {
      hasTrained,
      hasScore,
      signal,
      train: async (training) => {
        say(`training ${training.key}`);
        const { demonstrations } = training;
        await trainCell(training, {
          folder,
          engine,
          signal,
          sources: await worlds.open(training.world, folder),
          demonstrations: () =>
            demonstrations === null ? null : readFileSync(resolve(base, demonstrations), 'utf8'),
        });
      },
      score: async (score) => {
        const sources = await worlds.open(score.world, folder);
        const { evaluate } = file;
        await scoreCell(score, { folder, engine, base, worlds, sources, evaluate, signal });
        say(`scored   ${score.key}`);
      },
      onDone: (now) => {
        const seconds = secondsLeft(now, file.evaluate.questions, paceOf(folder, plan));
        const time = seconds === null ? '' : `; about ${duration(seconds)}`;
        const pieces = now.trainings.length + now.scores.length;
        if (pieces > 0)
          say(
            `left: ${count(now.trainings.length, 'training')}, ${count(now.scores.length, 'score')}${time}`,
          );
      },
      onFault: (key, error) => {
        endProgress();
        say(`failed: ${key}: ${messageOf(error)}`);
      },
    });
    if (options.timeAgain === true && file.evaluate.timed > 0)
      for (const score of plan.scores.filter(({ key }) => folder.hasScore(key))) {
        signal.throwIfAborted();
        const sources = await worlds.open(score.world, folder);
        const { evaluate } = file;
        await timeCell(score, { folder, engine, base, worlds, sources, evaluate, signal });
        say(`timed    ${score.key}`);
      }
    const written = writeReport(opened, plan, folder);
    say(`tables and curves are in ${written}`);
    if (failed.length > 0)
      throw new Error(
        `${count(failed.length, 'part')} failed (${failed.join(', ')}); the same command tries again.`,
      );
  } catch (error) {
    if (!signal.aborted) throw error;
    endProgress();
    say('stopped; the same command continues.');
  } finally {
    await engine.close();
  }
}
