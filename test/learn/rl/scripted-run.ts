import { createRouter } from '../../../src/agent/router/router.ts';
import type { TrainDeps, TrainHooks } from '../../../src/learn/rl/contracts.ts';
import { PolicyLearner } from '../../../src/learn/replicas/learner.ts';
import type { ReplicaClient, ScoredItem, TrainItem } from '../../../src/learn/replicas/replica.ts';
import { trainRun } from '../../../src/learn/rl/loop.ts';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import type { MadeStep } from '../../../src/records/training.ts';
import type { Question } from '../../../src/records/records.ts';
import { getTraining } from '../../../src/systems/index.ts';
import type { TrainSettings } from '../../../src/recipes/parts/training.ts';
import { retrieverOver } from '../../agent/helpers.ts';
import { ScriptedPolicy } from '../../agent/scripted-policy.ts';
import { initWeights } from '../../../src/policy/checkpoint/weights.ts';

/** Runs of the loop over a scripted policy and a trainer whose gradient is known. */

export const weights = initWeights(
  {
    vocabSize: 4,
    hiddenSize: 2,
    layers: 1,
    heads: 1,
    kvHeads: 1,
    headDim: 2,
    intermediateSize: 2,
    rmsNormEps: 1e-6,
    ropeTheta: 100,
    tieWordEmbeddings: true,
    maxPositions: 8,
  },
  1,
);
export const question: Question = {
  id: 'a',
  text: 'Where?',
  answers: ['Borfield'],
  supporting: [],
};
const answer = (text: string): string =>
  `<think> t</think><short_answer> \\boxed{ ${text} }</short_answer>`;

/** Every trained token has the log-probability that the sampler gave it, the reference one of −1. */
export class Even implements ReplicaClient {
  readonly maxTokens = 1000;
  fault: Error | null = null;
  gradient = (items: readonly TrainItem[]) => {
    if (this.fault) return Promise.reject(this.fault);
    return Promise.resolve({
      gradient: new Float32Array(4).fill(0.5),
      items: items.map(({ oldLogprobs }) => ({
        logprobs: oldLogprobs,
        entropies: oldLogprobs,
        loss: 0.25,
        clipped: 0,
        kl: 0,
      })),
    });
  };
  score = (items: readonly ScoredItem[]) =>
    Promise.resolve(
      items.map(({ mask }) => {
        const logprobs = Float32Array.from(mask.filter(Boolean), () => -1);
        return { logprobs, entropies: logprobs };
      }),
    );
  setAdapter = (): Promise<void> => Promise.resolve();
  bytes = (): Promise<number> => Promise.resolve(0);
  close = (): Promise<void> => Promise.resolve();
}

export const settingsOf = (change: Partial<TrainSettings> = {}): TrainSettings => ({
  ...getTraining('search/grpo'),
  overrides: {},
  steps: 3,
  questions: 1,
  groupSize: 2,
  adapter: { rank: 1, alpha: 1, targets: ['q_proj'] },
  heldOut: { questions: 1, every: 2, temperature: 0 },
  checkpointEvery: 2,
  stages: [{ steps: 3, reward: 'em', weights: {} }],
  ...change,
});

export interface Ran {
  end: string;
  state: TrainState;
  steps: MadeStep[];
  /** Step of each snapshot. */
  saved: number[];
  /** Phase, step, done and total, in order, repeats left out. */
  told: string[];
  /** Adapters that the sampler was given. */
  sampled: number[][];
}

interface Options {
  state?: TrainState;
  hooks?: TrainHooks;
  replica?: Even;
  deps?: Partial<TrainDeps>;
}

export async function train(settings: TrainSettings, options: Options = {}): Promise<Ran> {
  const [steps, saved, told, sampled]: [MadeStep[], number[], string[], number[][]] = [
    [],
    [],
    [],
    [],
  ];
  const { info, tokenizer } = new ScriptedPolicy({ main: [] });
  let opened = 0;
  // The n-th look at the clock is n seconds after the one before.
  let [looks, clock] = [0, 0];
  const run = await trainRun({
    settings,
    state: options.state,
    deps: {
      agent: {
        policy: {
          info,
          tokenizer,
          // Right and wrong in turn.
          open: () =>
            new ScriptedPolicy({ main: [answer(opened++ % 2 ? 'Oslo' : 'Borfield')] }).open(),
          setAdapter: (adapter) => {
            sampled.push([...(adapter?.flat ?? [])]);
            return Promise.resolve();
          },
          dispose: () => undefined,
        },
        retriever: retrieverOver(),
        router: createRouter(),
        now: () => 0,
      },
      config: weights.config,
      learner: new PolicyLearner([options.replica ?? new Even()]),
      curriculum: {
        draw: ({ count }) =>
          Promise.resolve(Array.from({ length: count }, () => ({ question, label: 'uniform' }))),
        state: () => ({ drawn: opened }),
        restore: () => undefined,
      },
      heldOut: [question],
      runId: 'run',
      now: () => (clock += 1000 * looks++),
      ...options.deps,
    },
    hooks: {
      onStep: (step) => void steps.push(step),
      snapshot: ({ step }) => void saved.push(step),
      onProgress: ({ phase, step, done, total }) => {
        const line = `${phase} ${step}: ${done}/${total}`;
        if (told.at(-1) !== line) told.push(line);
      },
      ...options.hooks,
    },
  });
  return { ...run, steps, saved, told, sampled };
}

/** AdamW's rate without a warm-up. */
export const flat = { ...getTraining('search/grpo').optimizer, learningRate: 0.25, warmUpSteps: 0 };

/** Asks for a stop once `steps` steps are made: it is asked before each. */
export function stopAfter(steps: number): () => boolean {
  let asked = 0;
  return () => asked++ >= steps;
}
