import { readFile } from 'node:fs/promises';
import { createRouter } from '../../../src/agent/router/router.ts';
import type { Question } from '../../../src/records/records.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import type { Rollout } from '../../../src/records/rollout.ts';
import type {
  Curriculum,
  Demonstrations,
  RouterLearner,
  TrainHooks,
} from '../../../src/learn/rl/contracts.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { TrainResult } from '../../../src/learn/rl/contracts.ts';
import { trainRun } from '../../../src/learn/rl/loop.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { TrainReplica } from '../../../src/learn/replicas/replica.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { UniformCurriculum } from '../../../src/learn/rl/uniform.ts';
import { createPolicy } from '../../../src/policy/open/load.ts';
import { createLoraTrainer } from '../../policy/create-lora-trainer.ts';
import { initWeights, type PolicyWeights } from '../../../src/policy/checkpoint/weights.ts';
import { openWorldRetriever } from '../../../src/retrieval/open.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';
import { loadWorld } from '../../../src/retrieval/world/load.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

/** One layer, untrained, with output rows of the tags made large so that tags are common. */
export function tinyWeights(): PolicyWeights {
  const shape = {
    vocabSize: tokenizer.vocabSize,
    hiddenSize: 32,
    layers: 1,
    heads: 2,
    kvHeads: 1,
    headDim: 16,
    intermediateSize: 48,
    rmsNormEps: 1e-6,
    ropeTheta: 10_000,
    tieWordEmbeddings: false,
    maxPositions: 256,
  };
  const weights = initWeights(shape, 3);
  for (let i = 2 * 32; i < 22 * 32; i++) weights.head[i] = (weights.head[i] ?? 0) * 24;
  return weights;
}

const world = new URL('../../../public/world/', import.meta.url);
const fetchFile = (name: string): Promise<Uint8Array> => readFile(new URL(name, world));

export interface World {
  questions: Question[];
  retriever: Retriever;
}

export async function openTestWorld(): Promise<World> {
  const loaded = await loadWorld(fetchFile);
  return {
    questions: loaded.questions.slice(0, 40),
    retriever: openWorldRetriever(loaded, fetchFile),
  };
}

/** Two questions by four rollouts; the reward is the length-dependent overlong penalty, so it varies. */
export function tinySettings(change: Partial<TrainSettings> = {}): TrainSettings {
  const base = getTraining('kunlun-baize/dapo');
  return {
    ...base,
    overrides: { budgets: { tokens: 48, stepTokens: 24, answerTokens: 8 }, retrieval: { k: 1 } },
    seed: 7,
    steps: 3,
    questions: 2,
    groupSize: 4,
    adapter: { rank: 4, alpha: 8, targets: [...base.adapter.targets] },
    dynamicSampling: null,
    overlong: { max: 48, buffer: 48 },
    heldOut: { questions: 2, every: 2, temperature: 0.3 },
    ...change,
  };
}

export interface Trained extends TrainResult {
  steps: MadeStep[];
  rollouts: Rollout[][];
  states: TrainState[];
}

export interface TrainOptions {
  settings: TrainSettings;
  world: World;
  weights?: PolicyWeights;
  state?: TrainState;
  replicas?: number;
  curriculum?: Curriculum;
  router?: RouterLearner;
  demonstrations?: readonly Rollout[];
  /** What the policy is taken to have made itself, of a warm-up of its own. */
  own?: Demonstrations;
  hooks?: TrainHooks;
}

/** Trains for real: engine, kernels and loop as the page and the command line use them. */
export async function trainTiny(options: TrainOptions): Promise<Trained> {
  const { settings, world: parts, replicas = 1 } = options;
  const weights = options.weights ?? tinyWeights();
  const policy = await createPolicy(
    weights,
    tokenizer,
    { id: 'untrained', revision: '0', dtype: 'f32' },
    { device: 'wasm', maxSlots: 16 },
  );
  const limits = { maxTokens: 512, maxLength: 256 };
  const learner = new PolicyLearner(
    await Promise.all(
      Array.from(
        { length: replicas },
        async () =>
          new TrainReplica(await createLoraTrainer(weights, settings.adapter, limits, 'wasm')),
      ),
    ),
  );
  const steps: MadeStep[] = [];
  const rollouts: Rollout[][] = [];
  const states: TrainState[] = [];
  try {
    const result = await trainRun({
      settings,
      ...(options.state ? { state: options.state } : {}),
      deps: {
        agent: { policy, retriever: parts.retriever, router: createRouter(), now: Date.now },
        config: weights.config,
        learner,
        curriculum: options.curriculum ?? new UniformCurriculum(parts.questions, settings.seed),
        heldOut: parts.questions.slice(0, settings.heldOut.questions),
        coldStartQuestions: parts.questions.slice(0, settings.warmUp?.questions ?? 0),
        ...(options.router ? { router: options.router } : {}),
        ...(options.demonstrations ? { demonstrations: options.demonstrations } : {}),
        ...(options.own ? { demonstrate: () => Promise.resolve(options.own!) } : {}),
        runId: 'run',
        now: Date.now,
      },
      hooks: {
        ...options.hooks,
        onStep: (step, made) => {
          steps.push(step);
          rollouts.push([...made]);
        },
        snapshot: (state) => void states.push(state),
      },
    });
    return { ...result, steps, rollouts, states };
  } finally {
    policy.dispose();
    await learner.close();
  }
}
