import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES, STORED, supervisedBy } from '../../recipes/parts/loops.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * START (arXiv 2503.04625): a hint before the answer makes the policy use its tool again; SFT on rollouts that are correct with
 * the hint and wrong without, hint included, then SFT of the base on correct samples of the resulting policy.
 */
const HINTED: SettingsOverride = {
  loop: 'program',
  system: { hint: { where: 'before-answer', text: 'not found . try again .', most: 1 } },
};
const BEHIND_RESULTS: SettingsOverride = {
  loop: 'program',
  system: { hint: { where: 'after-result', text: 'check the other name .', most: 6 } },
};

/**
 * Words that the loop puts into the policy's mouth (START's hint-infer, arXiv 2503.04625; CoRT's prompt-hint, 2506.09820):
 * a thought that begins with them, which the policy continues.
 */
const hintSchema = z.strictObject({
  /**
   * `open`: the first thought; `before-answer`: in place of an answer, which is asked for again after it; `after-result`:
   * the thought after a result, where START's words of hesitation would stand.
   */
  where: z.enum(['open', 'before-answer', 'after-result']),
  text: z.string().min(1).max(400),
  /**
   * `first-thought`: in the place of the text, where it thinks anything, the first paragraph that the policy thinks about the
   * question without searching (Agent-Distillation's first-thought prefix, 2505.17612, section 3.1).
   */
  from: z.literal('first-thought').optional(),
  /** How often at most, from the first such place on; `open` is one. */
  most: z.int().min(1).max(16),
});

export const hintParams = z.strictObject({ hint: hintSchema.optional() });
export type Params = z.infer<typeof hintParams>;

export const start = defineSystem({
  id: 'start',
  version: '1',
  title: 'START, for search',
  summary:
    'A hint instead of the answer makes it search again; it learns to do so without the hint.',
  about: {
    paper: '2503.04625',
    kind: 'trained otherwise',
    parts: ['hint insertion', 'rejection-sampling SFT'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The paper’s tool is Python and its tasks are mathematics; here the tool is search.',
      'The hint replaces an answer, which is dropped, or in `hint-rft-results` follows every result; the paper puts it after words of hesitation, which do not occur here.',
      `Hint-RFT: ${STORED} The policy’s own ones are correct with a hint, on questions that no rollout without it answers, and the hint is trained on; \`lab rollout --recipe start --set loop=program --set system.hint=…\` with \`--failed\` and \`--words\` does the same.`,
      'In `masked`, rollouts get the hint in every step, the hint is masked out of the loss, and questions that need no hint count too.',
    ],
    published: {
      figure: 'AIME24 66.7 (QwQ-32B-Preview 50.0), GPQA 63.6 (58.1)',
      benchmark: 'AIME24, GPQA',
      model: 'QwQ-32B-Preview',
    },
    sources: {
      'settings.retrieval.maxSearches': 'paper: at most 6 calls',
      'masked.stages.0.overrides.system.hint.where': 'paper: before the stop token',
      'masked.stages.0.overrides.system.hint.most': 'ours',
    },
    expectedEffect:
      'Searches on hard questions and their accuracy rise without hints; if the hint was masked, they do not.',
  },
  params: hintParams,
  loop: () => import('./loop.ts'),
  settings: searchLoop(2, 6),
  training: [
    {
      name: 'masked',
      title: 'Correct rollouts with a masked hint',
      settings: supervisedBy({ kind: 'sft', weight: 'right', gold: false }, {}, HINTED),
    },
    {
      name: 'hint-rft',
      title: 'Stored trajectories that a hint made correct',
      differences: STORED,
      trajectories: { overrides: HINTED, failedWithout: true, choice: { words: true } },
      settings: supervisedBy({ kind: 'stored-sft', batch: 16 }),
    },
    {
      name: 'hint-rft-results',
      title: 'Stored trajectories that hints after results made correct',
      differences: STORED,
      trajectories: { overrides: BEHIND_RESULTS, failedWithout: true, choice: { words: true } },
      settings: supervisedBy({ kind: 'stored-sft', batch: 16 }),
    },
  ],
});
