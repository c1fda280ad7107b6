import {
  defineDialect,
  PLAIN_TURN,
  quotedPassages,
  searches,
  SHORT,
  tag,
} from '../../recipes/parts/dialect.ts';
import type { Recipe, VariantSettings } from '../../recipes/parts/recipe.ts';
import { OBJECTIVE, TRAINING } from '../../recipes/parts/training-base.ts';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';

/*
 * Tool-Star (arXiv 2505.16410; code: dongguanting/Tool-Star): search and a second tool, at most 3 calls, F1 with a
 * bonus if both tools led to a correct answer.
 */
const stage = { reward: 'tool-star', weights: {} };
const objective = { ...OBJECTIVE, aggregation: 'token-mean' } as const;

const thenDpo = (more: { rounds?: number } = {}): VariantSettings => ({
  ...TRAINING,
  stages: [
    { ...stage, steps: Math.round(0.8 * TRAINING.steps) },
    {
      ...stage,
      steps: Math.round(0.2 * TRAINING.steps),
      loss: { kind: 'dpo', beta: 0.1, nll: 0, high: 0.75, low: 0, ...more },
    },
  ],
  objective,
});

/** Tool-Star and ARPO (arXiv 2505.16410, 2507.19849; code: dongguanting/Tool-Star, verl/utils/dataset/template.py). */
defineDialect('tool-star', {
  marks: [tag('think'), tag('search'), tag('compute', 'python'), tag('short_answer', 'answer')],
  ...PLAIN_TURN,
  result: [' <result>\n', '\n</result>'],
  passages: quotedPassages,
  answer: 'boxed-block',
  instruction: ({ retrieval }) =>
    [
      'You solve the question step by step with the help of a Wikipedia search tool and a calculator. First think about the reasoning and then give the answer.',
      'Reasoning stands within <think> </think>, a query within <search> </search>, one line of arithmetic or a comparison such as 1931 - 1874 within <python> </python>, what either tool says within <result> </result>, the answer within <answer> </answer>.',
      'For example: <think> reasoning . </think> <search> query </search> <result> what was found </result> <think> reasoning . </think> <python> 1931 - 1874 </python> <result> 57 </result> <think> reasoning . </think> <answer> The final answer is \\boxed{answer here} </answer>.',
      `You may make ${searches(retrieval.maxSearches)}. In the answer, the exact answer alone stands in \\boxed{}. ${SHORT}`,
    ].join(' '),
});

export const toolStar: Recipe = {
  id: 'tool-star',
  version: '2',
  title: 'Tool-Star',
  summary: 'Searches and computes; correct answers that used both tools get a small bonus.',
  about: {
    paper: '2505.16410',
    kind: 'trained by RL',
    parts: [
      'blocks: compute',
      'code tool',
      'conditional bonus: both tools',
      'stages: RL, then DPO',
    ],
    differences: [
      ...SHARED_DIFFERENCES,
      'The second tool is a calculator over retrieved values instead of Python, and only searches count towards the limit of 3.',
      'The paper teaches both tools with 54,000 trajectories. The built-in policy saw the blocks in its training.',
      'The DPO after RL pairs rollouts with a reward of at least 0.75 with those of at most 0; its constants are ours. Its reference is the checkpoint; in `tool-star/rounds` it is the policy at the start of the round.',
    ],
    sources: {
      'settings.retrieval.k': 'ours; code: 10 web snippets',
      'settings.retrieval.maxSearches': 'code: three calls',
      'grpo.groupSize': 'code: 8',
      'reward.tool-star':
        'code: Tool_Star_RL/src/verl/verl/utils/reward_score/re_search.py, 0.1 for both tools',
    },
    expectedEffect:
      'The share of correct rollouts that use both tools rises; without the bonus it does not. Both tools on questions that need only one would be reward hacking.',
  },
  settings: { ...searchLoop(3, 3), blocks: ['compute'], dialect: 'tool-star' },
  training: [
    {
      name: 'grpo',
      title: 'GRPO without KL, F1 and a bonus for both tools',
      settings: { ...TRAINING, stages: [{ ...stage, steps: TRAINING.steps }], objective },
    },
    {
      name: 'dpo',
      title: 'GRPO, then DPO on its own rollouts',
      settings: thenDpo(),
    },
    {
      name: 'rounds',
      title: 'GRPO, then two rounds of DPO, each from the current policy',
      differences:
        'The first round’s reference is the policy after RL. The paper’s number of rounds is not confirmed.',
      settings: thenDpo({ rounds: 2 }),
    },
  ],
};
