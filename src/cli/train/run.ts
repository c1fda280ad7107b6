import { resolve } from 'node:path';
import type { Question } from '../../records/records.ts';
import { createCurriculum } from '../../learn/curriculum/create.ts';
import { readDemonstrations } from '../../learn/rl/demonstrations.ts';
import { heldOutSample } from '../../learn/rl/held-out.ts';
import { createRouterLearner } from '../../learn/router/learner.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import type { TrainSettings } from '../../learn/settings/settings.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { openCheckpoint } from '../../policy/checkpoint/checkpoint.ts';
import { prepareNode } from '../../policy/jax/jax-node.ts';
import { openReader } from '../../policy/open/reader.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openFolder, openWorld, type OpenWorld } from '../shared/parts.ts';
import { appendStep, loadDemonstrations, readRun, saveCheckpoint, type RunFile } from './folder.ts';
import { TrainMeter } from './progress.ts';
import { startThreads } from './threads.ts';
import { messageOf } from '../../base/errors.ts';

/** A run that is not begun, and its world, which is opened once. */
export interface NewRun {
  file: RunFile;
  opened: OpenWorld;
}

/** What `settings.json` of a new run says. @throws UsageError for folders that are none */
export async function describeRun(settings: TrainSettings, values: OptionValues): Promise<NewRun> {
  checkRouter(settings);
  const checkpoint = await openFolder(values.policy as string | undefined);
  const given = values.world === undefined ? null : resolve(String(values.world));
  const opened = await openWorld(given ?? undefined);
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: `${settings.preset}-${settings.seed}`,
    settings,
    device: values.device === 'webgpu' ? 'webgpu' : 'wasm',
    policy: {
      folder: checkpoint.path,
      id: checkpoint.id,
      revision: await folderRevision(checkpoint),
    },
    world: { folder: given, seed: opened.world.manifest.seed },
  };
  return { file, opened };
}

function checkRouter(settings: TrainSettings): void {
  try {
    if (settings.router.train !== 'off') createRouterLearner(settings);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

/** Turns Ctrl-C and a polite kill into an abort, so that the last whole step is saved. */
function abortOnSignals(): { signal: AbortSignal; [Symbol.dispose](): void } {
  const abort = new AbortController();
  const raise = (): void => {
    if (!abort.signal.aborted) say('stopping; the last whole step is saved …');
    abort.abort();
  };
  process.on('SIGINT', raise);
  process.on('SIGTERM', raise);
  return {
    signal: abort.signal,
    [Symbol.dispose]: () => {
      process.off('SIGINT', raise);
      process.off('SIGTERM', raise);
    },
  };
}

export interface TrainOptions {
  threads: number;
  microTokens: number;
  json: boolean;
}

/** Trains the run of a folder from a state, null for the start; `opened` is its world, if it is. */
export async function train(
  run: string,
  state: TrainState | null,
  options: TrainOptions,
  opened?: OpenWorld,
): Promise<void> {
  using stop = abortOnSignals();
  const file = readRun(run);
  const { settings, device, policy } = file;
  const checkpoint = await openFolder(policy.folder);
  if ((await folderRevision(checkpoint)) !== policy.revision)
    throw new UsageError(`${policy.folder} holds other weights than the run began with.`);
  prepareNode();
  const weights = await openCheckpoint(checkpoint.files, checkpoint.limits.maxContext);
  const { world, retriever, router } = opened ?? (await openWorld(file.world.folder ?? undefined));
  const split = (name: string): Question[] => world.questions.filter((q) => q.split === name);
  const threads = await startThreads({
    threads: options.threads,
    folder: policy.folder,
    id: policy.id,
    device,
    adapter: settings.adapter,
    microTokens: options.microTokens,
    reader: await openReader(checkpoint.files),
  });
  const meter = new TrainMeter(settings.steps);
  const onNotice = (message: string): void => {
    endProgress();
    say(message);
  };
  const trained =
    settings.router.train === 'off' ? null : createRouterLearner(settings, { router, onNotice });
  try {
    const result = await trainRun({
      settings,
      ...(state ? { state } : {}),
      deps: {
        agent: { policy: threads.policy, retriever, router, now: Date.now },
        weights,
        learner: threads.learner,
        curriculum: createCurriculum(settings, { questions: split('train'), retriever }),
        heldOut: heldOutSample(split('dev'), settings.heldOut.questions),
        ...(trained && { router: trained }),
        ...(settings.warmUp && {
          demonstrations: readDemonstrations(loadDemonstrations(run), weights.config.vocabSize),
        }),
        runId: file.runId,
        now: Date.now,
      },
      hooks: {
        signal: stop.signal,
        onProgress: (progress) => meter.progress(progress),
        onNotice,
        onStep: (record) => {
          endProgress();
          appendStep(run, record);
          if (options.json) print(JSON.stringify(record));
          meter.step(record);
        },
        checkpoint: (at) => saveCheckpoint(run, at, file, weights.config),
      },
    });
    endProgress();
    say(`${result.end} after step ${result.state.step}; ${run}`);
  } finally {
    await threads.close();
  }
}
