import { setMaxListeners } from 'node:events';
import { resolve } from 'node:path';
import { assembleRun, checkRouter } from '../../learn/run/assemble.ts';
import { trainRun } from '../../learn/rl/loop.ts';
import { asWord } from '../../recipes/index.ts';
import type { TrainSettings } from '../../recipes/training.ts';
import type { TrainState } from '../../learn/rl/state.ts';
import { openCheckpoint } from '../../policy/checkpoint/checkpoint.ts';
import { heldRevision } from '../../policy/open/device.ts';
import type { MatrixType } from '../../policy/ops/values.ts';
import { prepareNode } from '../../policy/node/prepare.ts';
import { openReader } from '../../policy/open/reader.ts';
import { folderRevision } from '../shared/checkpoint-folder.ts';
import { endProgress, print, say } from '../shared/command.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import { openFolder, openWorld, type OpenWorld } from '../shared/parts.ts';
import { appendStep, loadDemonstrations, readRun, saveSnapshot, type RunFile } from './folder.ts';
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
  try {
    checkRouter(settings);
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
  const checkpoint = await openFolder(values.policy as string | undefined);
  const given = values.world === undefined ? null : resolve(String(values.world));
  const opened = await openWorld(given ?? undefined);
  const weights = values.weights as MatrixType | undefined;
  const file: RunFile = {
    format: 'forage.cli-run/1',
    runId: `${asWord(settings.preset)}-${settings.seed}`,
    settings,
    device: values.device === 'webgpu' ? 'webgpu' : 'wasm',
    policy: {
      folder: checkpoint.path,
      id: checkpoint.id,
      revision: heldRevision(await folderRevision(checkpoint), weights),
      ...(weights && { weights }),
    },
    world: { folder: given, seed: opened.world.manifest.seed },
  };
  return { file, opened };
}

/** Turns Ctrl-C and a polite kill into an abort, so that the last whole step is saved. */
function abortOnSignals(): { signal: AbortSignal; [Symbol.dispose](): void } {
  const abort = new AbortController();
  // Every rollout of a step listens to it; Node takes more than ten for a leak.
  setMaxListeners(0, abort.signal);
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
  if (heldRevision(await folderRevision(checkpoint), policy.weights) !== policy.revision)
    throw new UsageError(`${policy.folder} holds other weights than the run began with.`);
  prepareNode();
  const { config } = await openCheckpoint(checkpoint.files, checkpoint.limits.maxContext);
  const { world, retriever, router } = opened ?? (await openWorld(file.world.folder ?? undefined));
  const threads = await startThreads({
    threads: options.threads,
    folder: policy.folder,
    id: policy.id,
    device,
    weights: policy.weights,
    adapter: settings.adapter,
    microTokens: options.microTokens,
    reader: await openReader(checkpoint.files),
  });
  const meter = new TrainMeter(settings.steps);
  const onNotice = (message: string): void => {
    endProgress();
    say(message);
  };
  try {
    const result = await trainRun({
      settings,
      ...(state ? { state } : {}),
      deps: await assembleRun(settings, {
        policy: threads.policy,
        learner: threads.learner,
        config,
        retriever,
        router,
        questions: world.questions,
        demonstrations: () => loadDemonstrations(run),
        runId: file.runId,
        now: Date.now,
        onNotice,
      }),
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
        snapshot: (at) => saveSnapshot(run, at, file, config),
      },
    });
    endProgress();
    say(`${result.end} after step ${result.state.step}; ${run}`);
  } finally {
    await threads.close();
  }
}
