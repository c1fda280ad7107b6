import type { CacheLimits } from '../../policy/checkpoint/limits.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import { parameterCount } from '../../policy/checkpoint/weights.ts';
import type { LoraSpec } from '../../policy/lora/spec.ts';
import { planFit, type DeviceLimits, type FitPlan } from '../../policy/open/fit.ts';
import type { HeldTypes } from '../../policy/checkpoint/weight-type.ts';
import { MATRIX_TYPES, type MatrixType, type StoreType } from '../../policy/ops/values.ts';
import { MICRO_TOKENS, trainLimits } from './create-replica.ts';

/** What training holds in memory: one count for Train, Models and the command line. Sizes in bytes. */

export interface TrainingQuestion {
  config: PolicyConfig;
  /** What weights, and keys and values, are held in. */
  type: HeldTypes;
  keys: StoreType;
  /** Tokens of one context, and contexts at a time, that an engine is made for. */
  contexts: CacheLimits;
  adapter: LoraSpec;
  /** Engines that share the work; each has weights, contexts and a trainer of its own. */
  engines: number;
  /** Rollouts that are made at the same time, over all engines; absent: as many as the engines take. */
  rollouts?: number;
  /** Tokens of a micro-batch, `MICRO_TOKENS` by default. */
  microTokens?: number;
  /** Of one engine. */
  limits: DeviceLimits;
}

/** What it would fit with. */
interface Instead {
  /** Types of weights, the widest first. */
  types: { type: MatrixType; engineBytes: number }[];
  /** Whether a GPU of this machine is taken to hold it. */
  gpu: boolean;
  /** Parameters of the largest model of this shape, with fewer layers, that fits with these settings. */
  parameters: number | null;
}

export interface TrainingMemory {
  engines: number;
  /** Of one engine, at most: with all its contexts full, and what a step adds for its own time where there is room. */
  engineBytes: number;
  /** What one engine may hold. */
  limitBytes: number;
  /** Contexts at a time of one engine, as far as there is room, and as many as were wanted. */
  slots: number;
  wanted: number;
  /** Null: it fits. */
  refusal: { why: string; instead: Instead } | null;
}

/** What an engine needs that samples and trains. */
export function trainingPlan(question: TrainingQuestion): FitPlan {
  const { config, type, keys, contexts, adapter, engines, rollouts = Infinity } = question;
  const { maxContext } = contexts;
  return planFit({
    config: { ...config, maxPositions: maxContext },
    type,
    keys,
    slots: Math.min(contexts.maxSlots, Math.max(1, Math.ceil(rollouts / engines))),
    context: maxContext,
    train: { adapter, limits: trainLimits(maxContext, question.microTokens ?? MICRO_TOKENS) },
    limits: question.limits,
  });
}

/** With one rollout at a time; null where not even that fits. */
const leastPlan = (question: TrainingQuestion): FitPlan | null => {
  const plan = trainingPlan({ ...question, rollouts: question.engines });
  return plan.verdict.kind === 'no' ? null : plan;
};

/** By halving, as each count takes some milliseconds. */
function parametersThatFit(question: TrainingQuestion): number | null {
  const { config } = question;
  const shape = (layers: number): PolicyConfig => ({ ...config, layers });
  let [low, high] = [0, config.layers - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (leastPlan({ ...question, config: shape(middle) })) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? null : parameterCount(shape(low));
}

function instead(question: TrainingQuestion, gpu: DeviceLimits | null): Instead {
  const { type: held } = question;
  const narrower =
    typeof held === 'string' ? MATRIX_TYPES.slice(MATRIX_TYPES.indexOf(held) + 1) : MATRIX_TYPES;
  const types = narrower.flatMap((type) => {
    const plan = leastPlan({ ...question, type });
    return plan ? [{ type, engineBytes: plan.totalBytes }] : [];
  });
  return {
    types,
    gpu: gpu !== null && leastPlan({ ...question, engines: 1, limits: gpu }) !== null,
    parameters: types.length > 0 ? null : parametersThatFit(question),
  };
}

/** Counts it, and what would fit where it does not. @param gpu what a GPU of this machine is taken to allow */
export function trainingMemory(
  question: TrainingQuestion,
  gpu: DeviceLimits | null = null,
): TrainingMemory {
  const plan = trainingPlan(question);
  const { verdict, totalBytes, stepBytes } = plan;
  const { contexts, engines, rollouts = Infinity, limits } = question;
  const wanted = Math.min(contexts.maxSlots, Math.max(1, Math.ceil(rollouts / engines)));
  const slots = { fits: wanted, 'fewer-slots': 'slots' in verdict ? verdict.slots : 0, no: 0 };
  return {
    engines,
    engineBytes:
      verdict.kind === 'no'
        ? leastBytes(question)
        : Math.max(totalBytes, Math.min(limits.memory, totalBytes + stepBytes)),
    limitBytes: limits.memory,
    slots: slots[verdict.kind],
    wanted,
    refusal: verdict.kind === 'no' ? { why: verdict.why, instead: instead(question, gpu) } : null,
  };
}

/** With one context at a time. */
const leastBytes = (question: TrainingQuestion): number =>
  trainingPlan({ ...question, rollouts: question.engines }).totalBytes;

const inGB = (bytes: number): string => `${(bytes / 1e9).toFixed(2)} GB`;

const inMillions = (count: number): string =>
  count >= 1e9 ? `${(count / 1e9).toFixed(1)} B` : `${Math.floor(count / 1e6)} M`;

/**
 * Why training is refused, and what would fit; null where it fits.
 * @param choose how weights of another type are chosen, such as "--weights" or "on Models"
 */
export function memoryRefusal({ refusal }: TrainingMemory, choose: string): string | null {
  if (!refusal) return null;
  const { types, gpu, parameters } = refusal.instead;
  const held = types.map(({ type, engineBytes }) => `${type} (${inGB(engineBytes)})`);
  const ways = [
    ...(held.length > 0 ? [`with its weights as ${held.join(' or ')}, chosen ${choose}`] : []),
    ...(gpu ? ['on a GPU, if this browser offered one'] : []),
    ...(parameters === null
      ? []
      : [`as a model of the same width with at most ${inMillions(parameters)} parameters`]),
  ];
  const would = ways.length > 0 ? `It would fit ${ways.join('; or ')}.` : 'Take a smaller model.';
  return `Training does not fit this device: with one rollout at a time ${refusal.why}. ${would}`;
}
