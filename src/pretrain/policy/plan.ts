import { DEFAULT_UPDATE, scheduleFactor, type UpdateOptions } from '../../policy/lora/optimizer.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { BatchPlan } from './batches.ts';

/** Everything that decides what a run of pre-training computes; stored with its snapshots. */
export interface PretrainSettings {
  seed: number;
  steps: number;
  tokensPerStep: number;
  threads: number;
  /** Streams of data, each drawn by a thread of its own; with one, by the thread that trains. */
  streams: number;
  hidden: number;
  layers: number;
  heads: number;
  kvHeads: number;
  intermediate: number;
  optimizer: 'muon' | 'adamw';
  lr: number;
  muonLr: number;
  weightDecay: number;
  clip: number;
  schedule: 'wsd' | 'cosine';
  warmUpSteps: number;
  /** Share of the steps in which the learning rate falls to 0 (`wsd`). */
  decayShare: number;
  /** Steps of copying exercises alone, before trajectories. */
  copySteps: number;
  /** Share of copying exercises after that. */
  copyShare: number;
  /** Share of exercises in comparing, reckoning and reading after `copySteps`. */
  drillShare: number;
  /** Loss weight of environment tokens, falling linearly to 0 over `envSteps` trajectory steps. */
  envWeight: number;
  envSteps: number;
  maxLength: number;
  /** Positions that the exported policy may use. */
  positions: number;
  microTokens: number;
}

export const DEFAULT_SETTINGS: PretrainSettings = {
  seed: 1,
  steps: 4000,
  tokensPerStep: 12_288,
  threads: 2,
  streams: 1,
  hidden: 128,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  intermediate: 384,
  optimizer: DEFAULT_UPDATE.optimizer,
  lr: DEFAULT_UPDATE.lr,
  muonLr: DEFAULT_UPDATE.muonLr,
  weightDecay: DEFAULT_UPDATE.weightDecay,
  clip: 1,
  schedule: 'wsd',
  warmUpSteps: 100,
  decayShare: 0.25,
  copySteps: 0,
  copyShare: 0,
  drillShare: 0,
  envWeight: 0,
  envSteps: 1000,
  maxLength: 704,
  positions: 1024,
  microTokens: 1280,
};

/** The built-in policy's shape at these settings. */
export const shapeOf = (s: PretrainSettings, vocabSize: number): PolicyConfig => ({
  vocabSize,
  hiddenSize: s.hidden,
  layers: s.layers,
  heads: s.heads,
  kvHeads: s.kvHeads,
  headDim: s.hidden / s.heads,
  intermediateSize: s.intermediate,
  rmsNormEps: 1e-6,
  ropeTheta: 10_000,
  tieWordEmbeddings: true,
  maxPositions: s.positions,
});

/** What the batch of a step (from 0) holds. */
export function batchPlan(s: PretrainSettings, step: number): BatchPlan {
  const since = step - s.copySteps;
  const left = s.envSteps > 0 ? Math.max(0, 1 - since / s.envSteps) : 0;
  return {
    tokens: s.tokensPerStep,
    copyShare: since < 0 ? 1 : s.copyShare,
    drillShare: since < 0 ? 0 : s.drillShare,
    environmentWeight: since < 0 ? 0 : s.envWeight * left,
  };
}

/** The update of a step (from 0). */
export function updateOptions(
  s: PretrainSettings,
  step: number,
): Omit<UpdateOptions, 'gradientScale'> {
  const factor = scheduleFactor(step, {
    kind: s.schedule,
    steps: s.steps,
    warmUp: s.warmUpSteps,
    decayShare: s.decayShare,
  });
  return {
    ...DEFAULT_UPDATE,
    optimizer: s.optimizer,
    lr: s.lr * factor,
    muonLr: s.muonLr * factor,
    weightDecay: s.weightDecay,
    step: step + 1,
  };
}
