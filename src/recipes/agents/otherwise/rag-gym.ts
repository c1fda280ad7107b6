import type { Recipe } from '../../parts/recipe.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../loop.ts';
import { supervisedBy } from './shared.ts';

/*
 * RAG-Gym (arXiv 2502.13957; code: RAG-Gym/RAG-Gym): candidates for every step are ranked, the best is executed; rank 0
 * is learned (SFT) or preferred to ranks from 2 on (DPO). Ten candidates and at most ten steps; β is that of its DPO.
 */
const RANKED = { loop: 'actions', method: { candidates: { n: 5, by: 'gold' } } } as const;

export const ragGym: Recipe = {
  id: 'rag-gym',
  version: '1',
  title: 'RAG-Gym',
  summary: 'Supervised step by step: of several next actions the best is executed and preferred.',
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
      'Actions are ranked by the gold chain, where theirs asks GPT-4o: right answers first, then what brings most new supporting passages, new passages, and shorter ones. Held-out questions are asked without it.',
      'Five candidates a step in place of ten, and two rollouts per question.',
      'Its own agent, which drafts an answer and searches for the claim without support, needs a policy that is asked in words; here the loop is plain search.',
      'The process reward model is a sum of weighted features of an action, where theirs is a head on the language model. It is fitted by `lab reward-model` to rollouts with `--set loop=actions --set method.candidates.n=5 --set method.candidates.by=gold`, and makes a system of its own that `lab evaluate --custom` and Evaluate take.',
    ],
    published: {
      figure: 'EM 46.5, F1 60.19 (Re²Search++)',
      benchmark: 'HotpotQA',
      model: 'Llama-3.1-8B-Instruct',
    },
    sources: {
      'settings.retrieval.k': 'ours; code: 32',
      'settings.retrieval.maxSearches': 'ours; code: 10 iterations',
      'dpo.stages.0.overrides.method.candidates.n': 'ours; code: 10',
      'rounds.stages.0.loss.rounds': 'ours; not given',
      'dpo.stages.0.loss.high': 'code: dpo/dpo.py',
      'dpo.stages.0.loss.low': 'code: dpo/dpo.py',
    },
    expectedEffect:
      'Preferences between queries teach more than imitation of the best one; where answering is the only choice they do not.',
  },
  settings: searchLoop(2, 5),
  training: [
    {
      name: 'dpo',
      title: 'DPO on candidates of a step',
      settings: supervisedBy(
        { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0.5, pairs: 'actions' },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
    {
      name: 'rounds',
      title: 'The same in two rounds, each from the policy of the one before',
      differences: 'The released code trains once; rounds, each with its own reference, are ours.',
      settings: supervisedBy(
        { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0.5, pairs: 'actions', rounds: 2 },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
    {
      name: 'sft',
      title: 'Imitation of the best actions of right rollouts',
      settings: supervisedBy(
        { kind: 'sft', weight: 'right', gold: false },
        { questions: 32, groupSize: 2 },
        RANKED,
      ),
    },
  ],
};
