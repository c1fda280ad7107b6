import type { AdamWOptions } from '../../policy/lora/optimizer.ts';
import type { PolicyConfig } from '../../policy/checkpoint/config.ts';
import type { BatchPlan } from './batches.ts';

/** Hyper-parameters of one update; the learning rate is AdamW's. */
export interface UpdateOptions extends AdamWOptions {
  /** `muon`: Muon for the matrices of the layers, AdamW for the rest; `adamw`: AdamW for all. */
  optimizer: 'muon' | 'adamw';
  /** Learning rate of Muon. */
  muonLr: number;
  /** Decoupled: each step takes `lr · weightDecay` off matrices; norms and embeddings are spared. */
  weightDecay: number;
  /** Momentum of Muon. */
  momentum: number;
}

export const DEFAULT_UPDATE: Omit<UpdateOptions, 'step' | 'gradientScale'> = {
  optimizer: 'muon',
  lr: 3e-3,
  muonLr: 0.01,
  weightDecay: 0.01,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  momentum: 0.95,
};

/** Learning-rate factor: linear warm-up, then flat, then linear to 0 (warm-up–stable–decay), or cosine. */
export function scheduleFactor(
  step: number,
  schedule: { kind: 'wsd' | 'cosine'; steps: number; warmUp: number; decayShare: number },
): number {
  const { kind, steps, warmUp, decayShare } = schedule;
  if (step < warmUp) return (step + 1) / warmUp;
  if (kind === 'cosine') {
    const progress = Math.min(1, (step - warmUp) / Math.max(1, steps - warmUp));
    return 0.5 * (1 + Math.cos(Math.PI * progress));
  }
  const decay = Math.max(1, Math.round(steps * decayShare));
  return Math.max(0, Math.min(1, (steps - step) / decay));
}

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
