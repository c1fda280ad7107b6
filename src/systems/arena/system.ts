import { defineDialect, PLAIN_TURN, SHORT, tag } from '../../recipes/parts/dialect.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { DEFAULT_SETTINGS } from '../../recipes/parts/settings.ts';
import { BLOCKS_SHOWN, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * ARENA (arXiv 2505.13258; code: ren258/ARENA): does not search; it names the relevant ones of given passages,
 * analyses and answers, and earns 10 more if all of that is correct. KL is k2 with 0.04 and temperature is 0.9, both
 * defaults of the copy of TRL in its code; groups of 7.
 */
const grpo = (reward: string): VariantSettings => ({
  ...TRAINING,
  temperature: 0.9,
  stages: [{ steps: TRAINING.steps, reward, weights: {} }],
  objective: {
    ...OBJECTIVE,
    aggregation: { microBatch: 4 },
    kl: { form: 'k2', place: 'loss', coefficient: 0.04 },
  },
});

/** ARENA (arXiv 2505.13258; code: ren258/ARENA, src/data_generator.py). */
defineDialect('arena', {
  marks: [tag('relevance'), tag('think', 'analysis'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  question: ['<question>\n', '\n</question>\n'],
  result: ['\n<references>\n', '\n</references>\n\n'],
  passages: (all) => all.map(({ title, text }, i) => `[${i + 1}] "${title}"\n${text}`).join('\n'),
  answer: 'text',
  instruction: () =>
    [
      'A question comes between <question> and </question>, and passages with numbers between <references> and </references>. Answer by the passages, in exactly these three blocks:',
      '<relevance> the numbers of the passages that help, between square brackets, such as [1,5] </relevance>',
      '<analysis> how the answer follows from them, and which passage says what </analysis>',
      '<answer> the answer alone </answer>',
      SHORT,
    ].join('\n'),
});

export const arena: Recipe = {
  id: 'arena',
  version: '3',
  title: 'ARENA',
  summary:
    'Reads given passages, names the relevant ones, analyses, answers; a bonus of 10 if all is correct.',
  about: {
    paper: '2505.13258',
    kind: 'trained by RL',
    parts: ['first result given', 'blocks: relevance', 'joint bonus', 'KL k2'],
    differences: [
      ...SHARED_DIFFERENCES.slice(0, 1),
      ...SHARED_DIFFERENCES.slice(2),
      'The passages are retrieved with the question and may lack a supporting one; the paper’s include all of them among distractors.',
      'Untrained, the built-in policy nearly always searches after its passages; no search is allowed, so it is refused and asked to answer.',
      'Groups of 8 in place of 7; ε is 1e-6 in place of 1e-4.',
      BLOCKS_SHOWN,
    ],
    published: {
      figure: 'EM 0.628 (GRPO 0.534)',
      benchmark: 'HotpotQA with given passages',
      model: 'Qwen2.5-7B',
    },
    sources: {
      'settings.retrieval.k': 'ours: as many passages as the context holds',
      'grpo.temperature': 'code: trl/trl/trainer/grpo_config.py, its default',
      'grpo.objective.kl.form': 'code: trl/trl/trainer/grpo_trainer.py',
      'grpo.objective.kl.coefficient': 'code: trl/trl/trainer/grpo_config.py, its default',
      'grpo.objective.aggregation': 'code: trl/trl/trainer/grpo_trainer.py',
      'grpo.objective.aggregation.microBatch': 'code: configs/grpo.yaml',
      'grpo.groupSize': 'ours; code: 7 (configs/grpo.yaml)',
      'reward.arena': 'code: src/evaluate.py: 1, 1, 1 or 0.5, 10',
      'reward.arena-released': 'code: src/evaluate.py, its pattern over lines',
    },
    expectedEffect:
      'Exactly the supporting passages are named more often, and correct answers with wrong passages vanish; less so without the bonus.',
  },
  settings: {
    ...DEFAULT_SETTINGS,
    blocks: ['relevance'],
    dialect: 'arena',
    retrieval: { ...DEFAULT_SETTINGS.retrieval, k: 4, maxSearches: 1 },
    method: { firstSearch: 'result' },
  },
  training: [
    {
      name: 'grpo',
      title: 'GRPO, format, answer, relevance and bonus',
      settings: grpo('arena'),
    },
    {
      name: 'as-released',
      title: 'GRPO, format as released',
      settings: grpo('arena-released'),
    },
  ],
};
