import { memoryRefusal, trainingMemory } from '../../learn/replicas/training-memory.ts';
import { probe } from '../../learn/run/probe.ts';
import { probeSummary } from '../../learn/run/predict.ts';
import type { Probe } from '../../learn/run/probe-shape.ts';
import { rolloutsAtOnce, timeByProbe } from '../../lab/train/pace/estimate.ts';
import { duration } from '../../evaluate/study/estimate.ts';
import type { PolicyDevice } from '../../policy/open/device.ts';
import type { MatrixType, StoreType } from '../../policy/ops/values.ts';
import type { GivenDemonstrations } from '../../lab/contract/training.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';
import type { OpenSources } from '../shared/parts.ts';
import type { CheckpointFolder } from '../shared/checkpoint-folder.ts';
import { endProgress, say, sayProgress } from '../shared/command.ts';
import type { OpenSummarizer } from '../helpers/summarizer.ts';
import { cpuLimits } from '../shared/memory.ts';
import { UsageError } from '../shared/options.ts';
import type { TrainThreads } from './threads.ts';

/** What this machine needs for a run, and how long it takes, before the run is begun. */

/** The settings that decide how much memory a run takes. */
export interface RunShape {
  settings: TrainSettings;
  device: PolicyDevice;
  weights: MatrixType | undefined;
  keys: StoreType;
  threads: number;
  microTokens: number;
}

/** @throws UsageError where it does not fit; the message says what would */
export function checkMemory({ config, limits, held }: CheckpointFolder, run: RunShape): void {
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
export async function measureRun(parts: MeasureParts): Promise<Probe> {
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
  if (seen.allEqual && seen.rollouts > 1)
    say(
      'All rewards were equal: rollouts like these teach nothing. Add a cold start on demonstrations (--demonstrations), or choose easier questions.',
    );
}
