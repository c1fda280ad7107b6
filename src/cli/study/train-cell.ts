import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { pointOf, startPoint, type CurvePoint } from '../../evaluate/study/course/point.ts';
import type { PlannedTraining } from '../../evaluate/study/plan.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { assembleRun } from '../../learn/run/assemble.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import type { MadeStep } from '../../records/training.ts';
import { endProgress, say } from '../shared/command.ts';
import { makeFolders } from '../shared/path-fault.ts';
import { UsageError } from '../shared/options.ts';
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
import type { StudyFolder } from './folder.ts';
import type { StudyEngine } from './study-engine.ts';
import type { StudySources } from './worlds.ts';

/** One training of a study, as `lab train` makes it, in a run folder from which it continues. */

export interface TrainCell {
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
export async function trainCell(
  training: PlannedTraining,
  { folder, engine, sources, demonstrations, signal }: TrainCell,
): Promise<void> {
  const { key, settings, world } = training;
  const { checkpoint, config, revision } = engine;
  const { seed } = sources.world.manifest;
  const run = folder.run(key);
  const file: RunFile = {
    format: 'forage.cli-run/4',
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
