import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES, supervisedBy } from '../../recipes/parts/loops.ts';
import { TRAINING } from '../../recipes/parts/training-base.ts';
import { defineSystem } from '../parts/define.ts';
import { extractionSchema } from '../search-o1/system.ts';

/*
 * WebThinker (arXiv 2504.21776; code: RUC-NLPIR/WebThinker): a reasoner reads what an explorer extracts from pages; online
 * DPO on whole trajectories: correct, then fewer calls, then shorter by γ. γ and β are not given: 1.5 and 0.1 are ours.
 */
const dpo = {
  kind: 'efficient-dpo',
  gamma: 1.5,
  beta: 0.1,
  nll: 0,
} as const;

const params = z.strictObject({
  extraction: extractionSchema.optional(),
  /**
   * `end`, as the released code: a repeated query ends the rollout without an answer, one of at most five characters spends
   * all searches. Absent: both are searched.
   */
  badQueries: z.literal('end').optional(),
  /** `before`, as the released code: a search is counted before the limit is checked, so that one fewer is made. */
  counted: z.literal('before').optional(),
  /** Most links in a result that the explorer opens: names that are titles of pages. Absent: none. */
  clicks: z.int().min(1).max(10).optional(),
  /** The explorer's output so far follows its prompt again after every turn. */
  reappends: z.literal(true).optional(),
});
export type Params = z.infer<typeof params>;

export const webThinker = defineSystem({
  id: 'web-thinker',
  version: '1',
  title: 'WebThinker',
  summary:
    'Reads extracts of search results; prefers correct, then fewer calls, then shorter rollouts.',
  about: {
    paper: '2504.21776',
    kind: 'trained otherwise',
    parts: ['knowledge extraction', 'DPO pairs of rollouts'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The explorer extracts whole sentences from ten passages and opens no links; `web-thinker/links` opens up to three (names in the results that are titles of pages). No reports are written.',
      'At most 8 searches instead of 19 effective ones; a repeated query is searched again. `overrides.system.badQueries=end` does as the released code: a repeated query ends the rollout without an answer, and one of at most five characters uses up all searches.',
      'Pairs are sampled in every step, and the reference is always the checkpoint. `web-thinker/rounds` has the paper’s two rounds, each from the policy of the previous round, still with new pairs in every step; `web-thinker/rounds-once` samples pairs once per round.',
    ],
    published: {
      figure: 'GPQA 70.7, GAIA 48.5, WebWalkerQA 46.5 (before training 68.7, 44.7, 41.9)',
      benchmark: 'GPQA, GAIA, WebWalkerQA',
      model: 'QwQ-32B',
    },
    sources: {
      'settings.retrieval.k': 'code: scripts/run_web_thinker.py',
      'settings.retrieval.maxSearches': 'ours; code: 20, of which 19 are made',
      'settings.system.extraction.maxTokens': 'ours',
      'dpo.stages.0.loss.gamma': 'ours; paper: above 1',
      'dpo.stages.0.loss.beta': 'ours; not given',
      'rounds.stages.0.loss.rounds': 'paper: two iterations, section 3.4',
      'links.overrides.system.clicks': 'ours; paper: at most 10 interactions',
      'rounds-once.stages.0.loss.passes': 'ours; not given',
      'rounds-once.stages.0.loss.pairsAnUpdate': 'ours; not given',
      'as-released-whole.overrides.retrieval.maxSearches': 'code: scripts/run_web_thinker.py',
    },
    expectedEffect:
      'Preferring only fewer calls lowers searches at equal accuracy; preferring only correct ones raises both.',
  },
  params,
  loop: () => import('./loop.ts'),
  values: { extraction: { maxTokens: 96, reasoning: true } },
  settings: { ...searchLoop(10, 8), dialect: 'search-o1' },
  training: [
    {
      name: 'dpo',
      title: 'Online DPO: correct, fewer calls, shorter',
      settings: supervisedBy(dpo),
    },
    {
      name: 'rounds',
      title: 'The same in two rounds, each from the policy of the previous one',
      differences:
        'Pairs are sampled in every step of a round; the paper samples them once, with the policy at the start of the round.',
      settings: supervisedBy({ ...dpo, rounds: 2 }),
    },
    {
      name: 'links',
      title: 'Online DPO that opens links in the results',
      differences: 'The query decides which links are opened; the paper asks its model.',
      settings: supervisedBy(dpo, {
        overrides: { system: { clicks: 3 } },
      }),
    },
    {
      name: 'rounds-once',
      title: 'The same in two rounds whose pairs are sampled once',
      differences:
        'A round is one step of 512 rollouts with two epochs over their pairs, eight per update; the paper’s batch size is not given.',
      settings: supervisedBy(
        { ...dpo, rounds: 2, passes: 2, pairsAnUpdate: 8 },
        {
          steps: 2,
          questions: 64,
          optimizer: { ...TRAINING.optimizer, warmUpSteps: 0 },
          heldOut: { ...TRAINING.heldOut, every: 1 },
        },
      ),
    },
    {
      name: 'as-released',
      title: 'The same with the released code’s stop rules',
      differences:
        'As in the released code, a repeated query ends a rollout without an answer, and one of at most five characters uses up all searches.',
      settings: supervisedBy(dpo, { overrides: { system: { badQueries: 'end' } } }),
    },
    {
      name: 'as-released-whole',
      title: 'The same with all of the released code’s faults',
      differences:
        'In addition, a search is counted before the limit is checked, so 19 of 20 are made, and earlier extracts are appended to the extraction prompt again with every search; the explorer’s own turns are searches here.',
      settings: supervisedBy(dpo, {
        overrides: {
          retrieval: { maxSearches: 20 },
          system: { badQueries: 'end', counted: 'before', reappends: true },
        },
      }),
    },
  ],
});
