import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * Collab-RAG (arXiv 2504.04915; code: ritaranx/Collab-RAG): a decomposer writes the plan, a reader answers line by line;
 * SFT on plans whose answer is correct, then DPO that prefers them to the question's other plans (β 0.1, with the
 * chosen one's likelihood). The number of rounds is not given.
 */
const SFT_STEPS = 20;

const training = (
  overrides: SettingsOverride = {},
  change: { rounds?: number } = {},
  reward = 'em',
): VariantSettings => ({
  ...TRAINING,
  overrides,
  stages: [
    {
      steps: SFT_STEPS,
      reward,
      weights: {},
      loss: { kind: 'sft', weight: 'right', gold: false },
    },
    {
      steps: TRAINING.steps - SFT_STEPS,
      reward,
      weights: {},
      loss: { kind: 'dpo', beta: 0.1, nll: 1, high: 1, low: 0, ...change },
    },
  ],
  objective: OBJECTIVE,
});

/** A plan of sub-questions that is written at once and worked off: each is searched and answered by a reader. */
export const planParams = z.strictObject({
  /** Most sub-questions. */
  most: z.int().min(1).max(16),
  /** Whether #n gives way to its answer; the released code looks for it with a doubled backslash, and never does. */
  substitute: z.boolean(),
  /** Passages of a reader in zigzag, the best at both ends. */
  zigzag: z.boolean().default(false),
  /** Of ComposeRAG (2506.00232): rounds in which an answer that its passages do not hold is looked for again; 0: none. */
  verify: z.int().min(0).max(8).default(0),
});
export type Params = z.infer<typeof planParams>;

export const collabRag = defineSystem({
  id: 'collab-rag',
  version: '1',
  title: 'Collab-RAG',
  summary:
    'Writes a plan of sub-questions, which a reader answers one by one; learns from the plans that work.',
  about: {
    paper: '2504.04915',
    kind: 'trained otherwise',
    parts: ['blocks: plan', 'sub-question plan', 'rejection-sampling SFT', 'DPO pairs of rollouts'],
    differences: [
      ...SHARED_DIFFERENCES,
      'Decomposer and reader are one policy, so the reader is trained too; the paper’s reader is a frozen GPT-4o-mini.',
      'The built-in policy’s plan is a list with commas; a part without a name is about the previous answer. A chat model writes numbered lines with #1, #2 and whether passages are needed.',
      'Passages are in the context before the final answer, two per sub-question instead of nine; all pairs of a question are used.',
      'Plans are scored only by the answer; `collab-rag/format` has the paper’s reward, which also requires a readable plan.',
      'The DPO reference is the checkpoint; `collab-rag/rounds` uses the policy after SFT and updates it once.',
      '`system.substitute=false` is the released code, whose pattern for #1 never matches.',
    ],
    published: {
      figure: '+1.8 to +14.2 % on average',
      benchmark: 'five multi-hop sets',
      model: 'Qwen2.5-3B, Llama-3.1-8B with GPT-4o-mini',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 9 (llm_reader.py)',
      'settings.system.most': 'ours',
      'settings.system.zigzag': 'code: llm_reader.py',
      'dpo.stages.1.loss.beta': 'code: configs',
      'dpo.stages.1.loss.nll': 'code: configs, 8B; 0.5 of 3B',
      'reward.collab-rag': 'paper: section 3.3',
      'rounds.stages.1.loss.rounds': 'ours; not given',
      'as-released.overrides.system.substitute': 'code: llm_reader.py, line 183',
    },
    expectedEffect:
      'Answers improve when only the plan is trained; without substitution, bridge questions fall to about the accuracy of comparisons.',
  },
  params: planParams,
  values: { most: 4, substitute: true, zigzag: true },
  loop: () => import('./loop.ts'),
  settings: { ...searchLoop(2, 6), loop: 'program', blocks: ['plan'] },
  training: [
    { name: 'dpo', title: 'SFT on correct ones, then DPO', settings: training() },
    {
      name: 'rounds',
      title: 'SFT on correct ones, then two rounds of DPO',
      differences:
        'The first round’s reference is the policy after SFT, the second’s the policy after the first; the paper gives no number of rounds.',
      settings: training({}, { rounds: 2 }),
    },
    {
      name: 'format',
      title: 'The same with two rounds of DPO, and no reward for an unreadable plan',
      differences:
        'Both rounds are ours; a plan of the built-in policy is well formed if it has a part.',
      settings: training({}, { rounds: 2 }, 'collab-rag'),
    },
    {
      name: 'as-released',
      title: 'The same without substitution',
      differences: 'Answers are not put into later sub-questions, as in the released code.',
      settings: training({ system: { substitute: false } }),
    },
  ],
});
