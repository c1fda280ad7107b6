import type { TrainSettings } from './settings.ts';

/**
 * Training recipes as settings for the built-in policy. Batch, group and learning rate are sized for
 * about a million parameters; the papers' own stand beside them.
 */

const MINI = {
  format: 'forage.train/1',
  recipe: 'search',
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
  dynamicSampling: { on: false, by: 'reward', maxBatches: 1 },
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
  curriculum: {
    kind: 'uniform',
    scoringRollouts: 20,
    pool: 96,
    mix: [7, 2, 1],
    coldStart: 'dropped',
    taskMixing: false,
    goldEpochs: 50,
    noise: 0.5,
    noiseBy: 'epoch',
  },
  router: {
    train: 'off',
    learningRate: 0.05,
    baseline: 'running-mean',
    optimizer: 'adam',
    entropy: 0,
    // The paper gives no β, and its printed reward trains a constant (src/learn/router/collapse.ts).
    // With these the trained router beats both constants on the measured one (training/router.md).
    nlr: { reward: 'measured', beta1: 0.2, beta2: 0.8 },
    evaluation: 'argmax',
  },
  heldOut: { questions: 64, every: 10, temperature: 0.3 },
  warmUp: null,
  checkpointEvery: 1,
  shuffleRewards: false,
} as const satisfies Omit<TrainSettings, 'preset' | 'stages' | 'objective'>;

const PLAIN = {
  estimator: 'grpo',
  clip: { low: 0.2, high: 0.2 },
  dualClip: null,
  logRatioClamp: 20,
  aggregation: 'sequence-mean',
  microBatch: null,
  constantLength: 512,
  kl: { form: 'k3', place: 'off', coefficient: 0 },
} as const satisfies TrainSettings['objective'];

/**
 * KunLunBaizeRAG (2506.19466) trained by DAPO (2503.14476): clip-higher, resampling, token mean. The
 * paper's gold and noise schedules, (15) and (16), come before its DAPO phase, so questions are drawn
 * as they come; `curriculum.kind: gold-noise` applies the schedules to the rollouts.
 */
const dapoKunlun: TrainSettings = {
  ...MINI,
  preset: 'dapo-kunlun',
  adapter: { ...MINI.adapter, targets: [...MINI.adapter.targets] },
  stages: [{ steps: MINI.steps, reward: 'kunlun-short', weights: {} }],
  objective: { ...PLAIN, clip: { low: 0.2, high: 0.28 }, aggregation: 'token-mean' },
  // DAPO allows 10; two keep a step within twice its 64 rollouts. What is still missing is filled
  // with groups whose rewards vary though their accuracy does not.
  dynamicSampling: { on: true, by: 'accuracy', maxBatches: 2 },
  overlong: { max: 512, buffer: 128, factor: 1 },
  // DAPO makes 16 updates of each step's rollouts; four leave 16 rollouts or more to each.
  updates: 4,
};

/**
 * UR² (2508.06165): stage 1 (10 steps) rewards form and retrieval, stage 2 the answer; no clip, no KL.
 * Its difficulty curriculum first scores a pool with the rollouts of 30 steps: 240 questions by 8, not
 * by the paper's 20, because the built-in policy finds few questions hard and 0.7 of all draws are.
 * Departure: paper (C.1) and code draw at top-p 0.9 and compute log-probabilities over the whole
 * vocabulary, so that ratio and gradient are of another distribution than was drawn from. Here top-p is
 * 1. The loss divides by each rollout's own tokens (1), as the released code does.
 */
const ur2: TrainSettings = {
  ...dapoKunlun,
  preset: 'ur2',
  updates: 1,
  curriculum: { ...dapoKunlun.curriculum, kind: 'difficulty', pool: 240, scoringRollouts: 8 },
  stages: [
    { steps: 10, reward: 'ur2-stage-1', weights: {} },
    { steps: 90, reward: 'ur2-stage-2', weights: {} },
  ],
  objective: {
    ...PLAIN,
    estimator: 'ur2',
    clip: null,
  },
  dynamicSampling: { on: false, by: 'reward', maxBatches: 1 },
  overlong: null,
};

/**
 * Search-R1 (2503.09516) with GRPO: exact match, KL 1e-3 in the loss. Its code (train_grpo.sh, verl's
 * dp_actor.py) takes the mean over the tokens of each micro-batch and then the mean of these; 64
 * rollouts on 8 GPUs are 8 to a micro-batch. Its default top-p 0.95 is left out as in `ur2`.
 */
const searchR1: TrainSettings = {
  ...dapoKunlun,
  preset: 'search-r1-grpo',
  updates: 1,
  stages: [{ steps: MINI.steps, reward: 'search-r1', weights: {} }],
  objective: {
    ...PLAIN,
    aggregation: 'token-mean',
    microBatch: 8,
    kl: { form: 'k3', place: 'loss', coefficient: 1e-3 },
  },
  dynamicSampling: { on: false, by: 'reward', maxBatches: 1 },
  overlong: null,
};

/**
 * R1-Searcher (2503.05592): retrieval and format first, then F1; REINFORCE++ with a baseline. Mean over
 * each rollout's tokens, then over rollouts, as its code has it (OpenRLHF's PolicyLoss). Departure: its
 * code draws at top-p 0.95; see `ur2`.
 */
const r1Searcher: TrainSettings = {
  ...searchR1,
  preset: 'r1-searcher',
  stages: [
    { steps: 20, reward: 'r1-searcher-stage-1', weights: {} },
    { steps: 80, reward: 'r1-searcher-stage-2', weights: {} },
  ],
  objective: { ...PLAIN, estimator: 'reinforce++-baseline' },
};

/**
 * GRPO (2402.03300) on exact match alone: what the others are measured against. Mean over each
 * rollout's tokens first, its equation (3).
 */
const grpoEm: TrainSettings = {
  ...searchR1,
  preset: 'grpo-em',
  stages: [{ steps: MINI.steps, reward: 'em', weights: {} }],
  objective: { ...PLAIN },
};

/**
 * UR² as its released code trains it (Tsinghua-dhy/UR2): 2·F1 for the answer and +3 for opening tags,
 * REINFORCE++-baseline without division by the group's deviation, clip 0.2 in force because a batch is
 * split into four updates (1,024 rollouts by 256), mean over each rollout's tokens first. The code masks
 * only what stands between the document tags, so that its fallback hint is trained as if the policy had
 * written it. That fault is not reproduced: tokens are trained by who wrote them, here as everywhere.
 */
const ur2Released: TrainSettings = {
  ...ur2,
  preset: 'ur2-released',
  updates: 4,
  stages: [
    { steps: 10, reward: 'ur2-stage-1-released', weights: {} },
    { steps: 90, reward: 'ur2-stage-2-released', weights: {} },
  ],
  objective: { ...PLAIN, estimator: 'reinforce++-baseline' },
};

export const PRESETS: readonly TrainSettings[] = [
  dapoKunlun,
  ur2,
  searchR1,
  r1Searcher,
  grpoEm,
  ur2Released,
];

const UNTRUNCATED =
  'Paper and code draw at top-p 0.9 and compute log-probabilities over the whole vocabulary, so that ' +
  'the gradient is of another distribution than was drawn from. Here top-p is 1.';

/** Where a preset leaves its source's sampling or loss, in words for who chooses it. */
export const DEPARTURES: Readonly<Partial<Record<string, string>>> = {
  ur2: UNTRUNCATED,
  'ur2-released': UNTRUNCATED,
  'search-r1-grpo':
    'A micro-batch is the next 8 rollouts of the update; the code balances lengths between its GPUs ' +
    'first. Its default top-p 0.95 is 1 here, so that log-probabilities are of what is drawn from.',
  'r1-searcher':
    'The code draws at top-p 0.95; here it is 1, so that log-probabilities are of what is drawn from.',
};

/** A copy of a preset's settings. @throws Error that lists the presets where there is no such one */
export function getPreset(name: string): TrainSettings {
  const found = PRESETS.find(({ preset }) => preset === name);
  if (!found)
    throw new Error(
      `no training recipe '${name}'; there are ${PRESETS.map((p) => p.preset).join(', ')}`,
    );
  return structuredClone(found);
}
