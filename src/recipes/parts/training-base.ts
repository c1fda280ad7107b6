import type { VariantSettings } from './recipe.ts';
import type { TrainSettings } from './training.ts';

/**
 * What the variants share, for the built-in policy. Batch, group and learning rate are sized for
 * about a million parameters; the papers' own are in the recipes.
 */
export const TRAINING = {
  format: 'forage.train/1',
  overrides: {},
  seed: 0,
  steps: 100,
  questions: 8,
  groupSize: 8,
  updates: 1,
  temperature: 1,
  adapter: {
    rank: 16,
    alpha: 32,
    targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
  },
  dynamicSampling: null,
  overlong: null,
  optimizer: {
    learningRate: 1e-3,
    weightDecay: 0,
    clipNorm: 1,
    schedule: 'constant',
    warmUpSteps: 5,
  },
  curriculum: {},
  router: {
    train: 'off',
    learningRate: 0.05,
  },
  heldOut: { questions: 64, every: 10, temperature: 0.3 },
  warmUp: null,
  checkpointEvery: 1,
  shuffleRewards: false,
} satisfies Omit<VariantSettings, 'stages' | 'objective'>;

/** GRPO's objective (2402.03300), equation (3), with the clip that most begin with and without its KL. */
export const OBJECTIVE = {
  estimator: 'grpo',
  clip: { low: 0.2, high: 0.2 },
  dualClip: null,
  aggregation: 'sequence-mean',
  rules: {},
  kl: { form: 'k3', place: 'off', coefficient: 0 },
} satisfies TrainSettings['objective'];

/** A variant whose one stage pays a reward, with GRPO's objective; `changes` are of everything else. */
export const trainedOn = (
  reward: string,
  changes: Partial<VariantSettings> = {},
): VariantSettings => ({
  ...TRAINING,
  stages: [{ steps: TRAINING.steps, reward, weights: {} }],
  objective: OBJECTIVE,
  ...changes,
});

/**
 * The loss of releases that are built on verl: `masked_mean` over the tokens of a micro-batch, then the mean over the
 * micro-batches of an update (its dp_actor.py, and `loss_agg_mode: token-mean`, its default since); k3 to the reference in
 * the loss.
 * @param microBatch rollouts that a GPU takes at a time
 */
export const verlObjective = (microBatch: number, klCoefficient = 1e-3) =>
  ({
    ...OBJECTIVE,
    aggregation: { microBatch },
    kl: { form: 'k3', place: 'loss', coefficient: klCoefficient },
  }) satisfies TrainSettings['objective'];
