import { searchLoop, SHARED_DIFFERENCES, supervisedBy } from '../../recipes/parts/loops.ts';
import { candidateParams } from '../agent-distillation/system.ts';
import { defineSystem } from '../parts/define.ts';

/*
 * RAG-Gym (arXiv 2502.13957; code: RAG-Gym/RAG-Gym): candidates for every step are ranked, the best is executed; SFT on rank 0,
 * or DPO that prefers it to ranks from 2 on. Ten candidates and at most ten steps; β is that of its DPO.
 */
const RANKED = { loop: 'program', system: { n: 5, by: 'gold' } } as const;

export const ragGym = defineSystem({
  id: 'rag-gym',
  version: '1',
  title: 'RAG-Gym',
  summary: 'Supervised per step: of several next actions, the best is executed and preferred.',
  about: {
    paper: '2502.13957',
    kind: 'trained otherwise',
    parts: [
      'candidates of a step',
      'process reward model',
      'DPO pairs of actions',
      'rejection-sampling SFT',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      'Actions are ranked by the gold chain (paper: by GPT-4o): correct answers first, then most new supporting passages, new passages, and shorter actions. Held-out questions do not use it.',
      'Five candidates per step instead of ten, and two rollouts per question.',
      'The paper’s agent, which drafts an answer and searches for the unsupported claim, needs a chat model; here the loop is plain search.',
      'The process reward model is a weighted sum of features of an action; the paper’s is a head on the language model. `lab reward-model` fits it to rollouts with `--set loop=program --set system.n=5 --set system.by=gold`; the result is a custom system for `lab evaluate --custom` and Evaluate.',
    ],
    published: {
      figure: 'EM 46.5, F1 60.19 (Re²Search++)',
      benchmark: 'HotpotQA',
      model: 'Llama-3.1-8B-Instruct',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 32',
      'settings.retrieval.maxSearches': 'ours; code: 10 iterations',
      'dpo.stages.0.overrides.system.n': 'ours; code: 10',
      'rounds.stages.0.loss.rounds': 'ours; not given',
    },
    expectedEffect:
      'Preferences between queries teach more than SFT on the best one; if answering is the only choice, they do not.',
  },
  params: candidateParams,
  traits: ({ n }) => ({ choosesSteps: n > 1 }),
  loop: () => import('../agent-distillation/loop.ts'),
  settings: searchLoop(2, 5),
  training: [
    {
      name: 'dpo',
      title: 'DPO on candidates of a step',
      settings: supervisedBy(
        { kind: 'action-dpo', beta: 0.1, nll: 0 },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
    {
      name: 'rounds',
      title: 'The same in two rounds, each from the policy of the previous one',
      differences: 'The released code trains once; rounds, each with a new reference, are ours.',
      settings: supervisedBy(
        { kind: 'action-dpo', beta: 0.1, nll: 0, rounds: 2 },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
    {
      name: 'sft',
      title: 'SFT on the best actions of correct rollouts',
      settings: supervisedBy(
        { kind: 'sft', weight: 'right', gold: false },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
  ],
});
