import { z } from 'zod';
import { initAdapter } from '../../policy/lora/init.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { readSafetensors, writeSafetensors } from '../../policy/checkpoint/safetensors.ts';
import { deriveSeed } from '../../base/random.ts';
import type { KeptNumbers } from '../branching/grouping.ts';
import type { CriticState } from '../objective.ts';
import type { Collected } from './collect.ts';
import type { SampledAhead } from './sampling.ts';
import type { Json } from './contracts.ts';
import { isImportedRollout } from '../../formats/rollouts/own-schema.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { ColdStartPoint } from '../../records/training.ts';
import { isObject } from '../../base/objects.ts';
import { issueOf } from '../../base/errors.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/**
 * Everything that the rest of a run depends on beside settings, policy and world. Seeds of step s
 * are derived from the run's seed and s, so no generator's state needs to be kept. Values are never
 * changed in place: every step makes a new state.
 */
export interface TrainState {
  /** Whole steps done, and optimizer updates made. */
  step: number;
  updates: number;
  /** Supervised updates done before the first step. */
  warmedUp: number;
  /** Evaluations of the cold start, the loss of its updates since the last one, and whether it is over; absent before it. */
  coldStart?: {
    points: readonly ColdStartPoint[];
    lossSum: number;
    lossUpdates: number;
    over?: true;
  };
  /** No step made an update: the adapter is as it was initialised, unless a warm-up or a start came before. */
  noUpdate?: true;
  /** Whether the policy was made not to search, where the settings' `start` asks for that. */
  startMade?: boolean;
  /** In the order of `loraSlots`, like AdamW's two moments. */
  adapter: Float32Array;
  first: Float32Array;
  second: Float32Array;
  /** Set by hand in place of the settings'; null: as the settings say. */
  learningRate: number | null;
  curriculum: Json;
  /** null where no router is trained. */
  router: Json;
  /** Seconds of all steps so far. */
  elapsed: number;
  /** Share of right answers among the rollouts of the last step; absent before the first. */
  accuracy?: number;
  /** Coefficient of the KL of the next step, where a rule moves it. */
  klCoefficient?: number;
  /** Adapter of the reference of a round of preferences that is under way. */
  reference?: Float32Array;
  /** Where a critic is trained, once it has been. */
  critic?: CriticState;
  /** What a grouping keeps from step to step. */
  keptNumbers?: KeptNumbers;
  /** Groups of the next step that are sampled already. */
  ahead?: SampledAhead;
}

/**
 * The state before the first step; `curriculum` and `router` null mean: as they start.
 * @param given adapter to start from
 */
export function initialState(
  settings: TrainSettings,
  config: PolicyConfig,
  given?: Float32Array,
): TrainState {
  const adapter =
    given ?? initAdapter(config, settings.adapter, deriveSeed(settings.seed, 'adapter'));
  return {
    step: 0,
    updates: 0,
    warmedUp: 0,
    ...(!given && { noUpdate: true }),
    adapter,
    first: new Float32Array(adapter.length),
    second: new Float32Array(adapter.length),
    learningRate: null,
    curriculum: null,
    router: null,
    elapsed: 0,
  };
}

/** Whether the adapter is as it was initialised, so that it changes nothing, and no router was trained. */
export const isUntrained = ({
  noUpdate,
  warmedUp,
  startMade,
  router,
}: Pick<TrainState, 'noUpdate' | 'warmedUp' | 'startMade' | 'router'>): boolean =>
  noUpdate === true && warmedUp === 0 && startMade !== true && router === null;

/** The state after a step. @param update null where nothing was learned */
export const stateAfter = (
  before: TrainState,
  update: Pick<TrainState, 'adapter' | 'first' | 'second' | 'updates'> | null,
  { seconds, ...others }: Pick<TrainState, 'curriculum' | 'router'> & { seconds: number },
): TrainState => ({
  step: before.step + 1,
  updates: update?.updates ?? before.updates,
  warmedUp: before.warmedUp,
  ...(before.coldStart && { coldStart: before.coldStart }),
  ...(before.noUpdate && !update && { noUpdate: true }),
  startMade: before.startMade,
  adapter: update?.adapter ?? before.adapter,
  first: update?.first ?? before.first,
  second: update?.second ?? before.second,
  learningRate: before.learningRate,
  ...others,
  elapsed: before.elapsed + seconds,
});

const count = z.int().min(0);
const restSchema = z.strictObject({
  format: z.literal('forage.state/1'),
  step: count,
  updates: count,
  warmedUp: count,
  coldStart: z
    .strictObject({
      points: z.array(z.custom<ColdStartPoint>(isObject)),
      lossSum: z.number(),
      lossUpdates: count,
      over: z.literal(true).optional(),
    })
    .optional(),
  noUpdate: z.literal(true).optional(),
  startMade: z.boolean().optional(),
  learningRate: z.number().positive().nullable(),
  curriculum: z.json(),
  router: z.json(),
  elapsed: z.number().min(0),
  accuracy: z.number().min(0).max(1).optional(),
  klCoefficient: z.number().min(0).optional(),
  criticUpdates: count.optional(),
  keptNumbers: z.record(z.string(), z.number()).optional(),
  ahead: z
    .strictObject({
      step: count,
      curriculum: z.json(),
      batches: count,
      groups: z.array(z.array(z.custom<Rollout>(isImportedRollout))),
    })
    .optional(),
});

const CRITIC = ['values', 'first', 'second'] as const;
const TENSORS = ['adapter', 'first', 'second'] as const;

export interface StateFiles {
  /** safetensors, float32: `adapter`, `first`, `second`. */
  tensors: Uint8Array<ArrayBuffer>;
  /** The rest, JSON. */
  rest: string;
}

/** A state as two files; reading them back gives the same bits. */
export function encodeState(state: TrainState): StateFiles {
  const { step, updates, warmedUp, coldStart, noUpdate, startMade } = state;
  const { learningRate, curriculum, router, elapsed, accuracy, critic } = state;
  const { keptNumbers, ahead, klCoefficient, reference } = state;
  const data: [string, Float32Array][] = [
    ...TENSORS.map((name): [string, Float32Array] => [name, state[name]]),
    ...(reference ? [['reference', reference] as [string, Float32Array]] : []),
    ...(critic
      ? CRITIC.map((name): [string, Float32Array] => [`critic.${name}`, critic[name]])
      : []),
  ];
  const tensors = new Map(data.map(([name, of]) => [name, { shape: [of.length], data: of }]));
  const rest = {
    step,
    updates,
    warmedUp,
    coldStart,
    noUpdate,
    startMade,
    learningRate,
    curriculum,
    router,
    elapsed,
    accuracy,
    klCoefficient,
    ...(critic && { criticUpdates: critic.updates }),
    keptNumbers,
    ahead,
  };
  return {
    tensors: writeSafetensors(tensors, 'F32'),
    rest: `${JSON.stringify({ format: 'forage.state/1', ...rest })}\n`,
  };
}

/** @throws Error that says what is wrong with the files */
export function decodeState(files: { tensors: Uint8Array; rest: string }): TrainState {
  const parsed = restSchema.safeParse(JSON.parse(files.rest));
  if (!parsed.success) throw new Error(`training state: ${issueOf(parsed.error)}`);
  const { format: _, criticUpdates, ...rest } = parsed.data;
  const tensors = readSafetensors(files.tensors);
  const tensorOf = (name: string): Float32Array => {
    const tensor = tensors.get(name);
    if (!tensor) throw new Error(`training state: tensor "${name}" is missing`);
    return Float32Array.from(tensor.data);
  };
  const [adapter, first, second] = [tensorOf('adapter'), tensorOf('first'), tensorOf('second')];
  if (first.length !== adapter.length || second.length !== adapter.length)
    throw new Error('training state: moments and adapter differ in length');
  const state = {
    ...rest,
    adapter,
    first,
    second,
    ...(tensors.has('reference') && { reference: tensorOf('reference') }),
  };
  if (criticUpdates === undefined) return state;
  const critic = {
    values: tensorOf('critic.values'),
    first: tensorOf('critic.first'),
    second: tensorOf('critic.second'),
    updates: criticUpdates,
  };
  return { ...state, critic };
}

/** What the rollouts of a step leave for later ones. */
export const handedOn = (
  before: TrainState,
  { ahead, keptNumbers = before.keptNumbers }: Collected,
): Pick<TrainState, 'ahead' | 'keptNumbers'> => ({
  ahead,
  keptNumbers,
});
