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
  topP: 1,
  adapter: {
    rank: 16,
    alpha: 32,
    targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
  },
  dynamicSampling: null,
  overlong: null,
  optimizer: {
    learningRate: 1e-3,
    beta1: 0.9,
    beta2: 0.99,
    eps: 1e-8,
    weightDecay: 0,
    clipNorm: 1,
    schedule: 'constant',
    warmUpSteps: 5,
  },
  curriculum: { pool: 96 },
  router: {
    train: 'off',
    learningRate: 0.05,
    baseline: 'running-mean',
    optimizer: 'adam',
    entropy: 0,
    // The paper gives no β, and its printed reward trains a constant (src/learn/router/collapse.ts).
    // With these the trained router beats both constants on the measured one (training/RESULTS.md).
    nlr: { reward: 'measured', beta1: 0.2, beta2: 0.8 },
    evaluation: 'argmax',
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
  logRatioClamp: 20,
  aggregation: 'sequence-mean',
  microBatch: null,
  constantLength: 512,
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
    aggregation: 'token-mean',
    microBatch,
    kl: { form: 'k3', place: 'loss', coefficient: klCoefficient },
  }) satisfies TrainSettings['objective'];

/**
 * PPO's critic with γ = λ = 1 and the value clip of verl. A linear head over hidden states takes a larger rate than a
 * model (1e-5), and more updates per step than one.
 */
export const CRITIC = {
  gamma: 1,
  lambda: 1,
  learningRate: 0.01,
  updates: 10,
  valueClip: 0.5,
  environment: 'skip',
} satisfies TrainSettings['critic'];
