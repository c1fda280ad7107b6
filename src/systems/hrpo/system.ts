import { z } from 'zod';
import { defineDialect, PLAIN_TURN, SHORT } from '../../recipes/parts/dialect.ts';
import type { Variant } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import type { Gates } from '../../recipes/parts/training.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineGates, defineSystem } from '../parts/define.ts';

/*
 * HRPO, hybrid latent reasoning (arXiv 2505.18454; code: Yueeeeeeee/HRPO, hrpo_rag.py, patch.py, unsloth/models/llama.py):
 * passages are given; while it thinks, the policy's input is each sampled token mixed with the expectation over all tokens,
 * by gates that are trained with the adapter (`src/policy/latent/gates.ts`). The answer is written in tokens.
 *
 * Published: groups of 4 in 64 rollouts per step, temperature 0.5, no ratio and no clip, KL k3 0.005 to the reference
 * without latents, gradient norm 0.1, weight decay 0.1, cosine with a tenth of warm-up, r_min 0.99 and r_max 0.999; LoRA
 * of rank 32 and alpha 64 at 5e-6, gates at 1e-4, Λ at 1e-3. The decay is on Λ too: by itself it draws a down.
 */

const start = z.number().min(0.01).max(1);
const rate = z.number().positive();
const gates = z
  .strictObject({
    rMin: start
      .default(0.99)
      .meta({ title: 'a from', description: '1 to 1: they stay shut, and it is GRPO' }),
    rMax: start.default(0.999).meta({ title: 'a to' }),
    learningRate: rate.default(1e-3).meta({ title: 'Gates’ rate', isRate: true }),
    lambdaLearningRate: rate.default(1e-2).meta({ title: 'Rate of Λ', isRate: true }),
  })
  .meta({
    title: 'Gates of latent reasoning (HRPO)',
    description:
      'While it thinks, the model reads each token mixed with what it expected; for recipes that ask for it',
  });

// The groups of parameters of its patch.py.
defineGates('hrpo', gates, ({ learningRate: weights, lambdaLearningRate: lambda }) => ({
  weights,
  lambda,
}));

const GATES: Gates = { id: 'hrpo', ...gates.parse({}) };

const variant = (name: string, title: string, gates: Gates): Variant => ({
  name,
  title,
  settings: {
    ...TRAINING,
    questions: 16,
    groupSize: 4,
    temperature: 0.5,
    adapter: { ...TRAINING.adapter, gates },
    stages: [{ steps: TRAINING.steps, reward: 'em', weights: {} }],
    objective: {
      ...OBJECTIVE,
      estimator: 'trl-grpo',
      clip: null,
      kl: { form: 'k3', place: 'loss', coefficient: 0.005 },
    },
    optimizer: {
      ...TRAINING.optimizer,
      weightDecay: 0.1,
      clipNorm: 0.1,
      schedule: 'cosine',
      warmUpSteps: 10,
    },
  },
});

/** HRPO (arXiv 2505.18454; code: Yueeeeeeee/HRPO, hrpo_rag.py). */
defineDialect('hrpo', {
  marks: [{ kind: 'short_answer', open: '####', close: null }],
  ...PLAIN_TURN,
  result: ['\nContext:\n', '\n'],
  answer: 'text-line',
  instruction: () =>
    [
      'Answer the question by the passages given with it. First reason step by step, then write a line of the form',
      '#### the answer',
      SHORT,
    ].join('\n'),
});

export const hrpo = defineSystem({
  id: 'hrpo',
  version: '2',
  title: 'HRPO',
  summary:
    'Passages are given; while thinking, trained gates mix each sampled token with the expected embedding.',
  about: {
    paper: '2505.18454',
    kind: 'trained by RL',
    parts: ['latent reasoning: gates'],
    differences: [
      'A small policy of 4 layers and width 128 with the protocol’s tags: its thought ends at a tag (paper: at ####), and the environment opens the answer, so there is exactly one.',
      'The passages come from both sources instead of one index, as many of the three as fit in the context.',
      'Rank 16 at 1e-3 instead of rank 32 at 5e-6, and gates and Λ at ten times the published rates: runs take 100 steps, not an epoch.',
      'a starts between r_min and r_max, at r = ½; in the released code Λ has them at r = 1, so a starts at their square roots.',
      'If a is exactly 1, nothing is mixed in; the released code leaves 10⁻⁴ of the mixture, so closed gates would not be GRPO.',
      'h is taken over the distribution that is sampled from; with top-k or top-p, which training refuses, h would still be over all tokens.',
    ],
    published: {
      figure: 'EM 0.337 (GRPO 0.261, PPO 0.307)',
      benchmark: 'mean of five sets with their passages',
      model: 'Qwen2.5-1.5B',
    },
    sources: {
      'settings.background.k': 'code: hrpo_rag.py',
      'hrpo.groupSize': 'code: hrpo_rag.py; 8 on GSM8K',
      'hrpo.temperature': 'code',
      'hrpo.objective.kl.coefficient': 'code',
      'hrpo.optimizer.clipNorm': 'code',
      'hrpo.adapter.gates.rMin': 'code: 0.95 to 0.99',
      'hrpo.adapter.gates.rMax': 'code',
      'hrpo.adapter.gates.learningRate': 'ours; code: 1e-4',
      'hrpo.adapter.gates.lambdaLearningRate': 'ours; code: 1e-3',
    },
    expectedEffect:
      'Mean a falls below its start and completions get shorter; with gates that stay closed (a = 1) it is GRPO on tokens, bit for bit.',
  },
  params: z.strictObject({}),
  traits: () => ({ latent: true }),
  loop: () => import('./loop.ts'),
  settings: {
    ...DEFAULT_SETTINGS,
    loop: 'think',
    dialect: 'hrpo',
    background: { ...DEFAULT_SETTINGS.background, mode: 'shown-and-used-by-T', k: 3 },
    retrieval: { ...DEFAULT_SETTINGS.retrieval, maxSearches: 0 },
  },
  training: [
    variant('hrpo', 'HRPO, exact match', GATES),
    variant('shut', 'GRPO on tokens: a = 1 (ablation)', { ...GATES, rMin: 1, rMax: 1 }),
  ],
});
