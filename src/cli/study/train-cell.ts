import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  curvePointSchema,
  pointOf,
  startPoint,
  type CurvePoint,
} from '../../evaluate/study/curves.ts';
import type { PlannedTraining } from '../../evaluate/study/plan.ts';
import type { TrainDeps } from '../../learn/rl/contracts.ts';
import { scoreHeldOut } from '../../learn/rl/held-out.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { assembleRun } from '../../learn/run/assemble.ts';
import { writePeft } from '../../policy/lora/peft.ts';
import type { MadeStep } from '../../records/training.ts';
import { endProgress, say, sayProgress } from '../shared/command.ts';
import { UsageError } from '../shared/options.ts';
import { writeSafely } from '../shared/write-safely.ts';
import {
  appendStep,
  createRun,
  loadSnapshot,
  readRun,
  readSteps,
  saveSnapshot,
  trimSteps,
  type RunFile,
} from '../train/folder.ts';
import { TrainMeter } from '../train/progress.ts';
import type { StudyFolder } from './folder.ts';
import type { Workshop } from './workshop.ts';
import type { StudySources } from './worlds.ts';

/** One training of a study, as `lab train` makes it, in a run folder from which it goes on. */

export interface TrainCell {
  folder: StudyFolder;
  workshop: Workshop;
  sources: StudySources;
  /** Text of the file of trajectories; empty where there is none. */
  demonstrations(): string;
  signal: AbortSignal;
}

/** Where the run's folder keeps the score of step 0. */
const START = 'start.json';

/** The run of a folder, where one was begun; the state of its last whole step. */
function begun(run: string, { settings }: PlannedTraining): TrainState | null {
  if (!existsSync(join(run, 'latest.json'))) return null;
  if (!isDeepStrictEqual(readRun(run).settings, settings))
    throw new UsageError(`${run} is a run with other settings; remove it to make it anew.`);
  const state = loadSnapshot(run, say);
  if (state) trimSteps(run, state.step);
  return state;
}

/** The held-out questions before the first step, scored once. */
async function scoredStart(
  run: string,
  { settings, key }: PlannedTraining,
  deps: TrainDeps,
  signal: AbortSignal,
): Promise<CurvePoint> {
  const path = join(run, START);
  if (existsSync(path))
    return curvePointSchema.parse(JSON.parse(readFileSync(path, 'utf8')) as unknown);
  const from = performance.now();
  await deps.agent.policy.setAdapter?.(null);
  const score = await scoreHeldOut(
    settings,
    deps.router ? { ...deps.agent, router: deps.router.router } : deps.agent,
    deps.heldOut,
    { runId: key, step: 0, signal },
    (done, total) => sayProgress(`step 0  held-out ${done}/${total}`),
  );
  const point = startPoint(score, (performance.now() - from) / 1000);
  writeSafely(path, `${JSON.stringify(point)}\n`);
  return point;
}

/**
 * Trains and keeps the adapter of the last step.
 * @throws the signal's reason where it is aborted: the last whole step is saved then
 */
export async function trainCell(
  training: PlannedTraining,
  { folder, workshop, sources, demonstrations, signal }: TrainCell,
): Promise<void> {
  const { key, settings, world } = training;
  const { checkpoint, config, revision } = workshop;
  const run = folder.run(key);
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: key,
    settings,
    device: 'wasm',
    policy: { folder: checkpoint.path, id: checkpoint.id, revision },
    world: { folder: null, seed: sources.world.manifest.seed },
  };
  const state = begun(run, training);
  if (!state) {
    mkdirSync(run, { recursive: true });
    createRun(run, file);
  }
  const threads = await workshop.threads(settings.adapter);
  const onNotice = (line: string): void => {
    endProgress();
    say(line);
  };
  const parts = await assembleRun(settings, {
    policy: threads.policy,
    learner: threads.learner,
    config,
    retriever: sources.retriever,
    router: sources.router(),
    questions: sources.world.questions,
    demonstrations,
    runId: key,
    now: Date.now,
    onNotice,
  });
  const { summarizer } = workshop;
  const deps: TrainDeps = { ...parts, agent: { ...parts.agent, summarizer } };
  const start = await scoredStart(run, training, deps, signal);
  const meter = new TrainMeter(settings.steps);
  const result = await trainRun({
    settings,
    ...(state && { state }),
    deps,
    hooks: {
      signal,
      onNotice,
      onProgress: (progress) => meter.progress(progress),
      onStep: (record: MadeStep) => {
        endProgress();
        appendStep(run, record);
        meter.step(record);
      },
      snapshot: (at) => saveSnapshot(run, at, file, config),
    },
  });
  endProgress();
  signal.throwIfAborted();
  const curve = [start, ...readSteps(run).map(pointOf)];
  const { adapter, router, step, elapsed } = result.state;
  folder.writeTrained(
    {
      key,
      made: workshop.made,
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
