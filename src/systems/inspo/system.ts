import { z } from 'zod';
import { searchLoop, SHARED_DIFFERENCES } from '../../recipes/parts/loops.ts';
import type { VariantSettings } from '../../recipes/parts/recipe.ts';
import { trainedOn, verlObjective } from '../../recipes/parts/training-base.ts';
import { defineCurriculum, defineSystem } from '../parts/define.ts';

/*
 * INSPO, instruction and policy co-evolution (arXiv 2512.01945; code: cambridgeltl/inspo): Search-R1's loop and GRPO, where
 * each group follows one instruction out of a population that evolves beside the policy. The built-in policy reads no
 * instruction but its form line, so its instructions are the blocks that the line asks for.
 */

const params = z.strictObject({
  /** What a policy whose tags are text reads after the loop's own instruction. Absent: nothing. */
  instruction: z.string().max(2000).optional(),
});

const share = z.number().min(0).max(1);
const evolution = z.strictObject({
  /** N */
  population: z.int().min(1).max(32).default(4).meta({ title: 'Instructions at a time, at most' }),
  /** τ_s */
  temperature: z.number().positive().default(0.1).meta({
    title: 'Temperature of the choice',
    description: 'An instruction of weight w is drawn with probability softmax(w / temperature)',
  }),
  /** η */
  rate: share.default(0.3).meta({
    title: 'Rate of the weights',
    description: 'Share of a step’s mean reward in the weight of an instruction',
  }),
  every: z.int().min(0).default(10).meta({
    title: 'Steps between evolutions',
    description:
      'The worse half of the instructions is removed, and new ones are proposed and verified. 0: never',
  }),
  proposals: z.int().min(1).max(16).default(3).meta({ title: 'Instructions proposed each time' }),
  verify: z.int().min(1).max(256).default(16).meta({ title: 'Questions that verify one' }),
  replay: z.int().min(1).max(256).default(16).meta({
    title: 'Rollouts kept for proposals',
    description: 'Those that earned most leave first',
  }),
  tokens: z.int().min(8).max(512).default(160).meta({ title: 'Tokens of an instruction, at most' }),
});
export type Evolution = z.infer<typeof evolution>;

const EVOLUTION = { id: 'inspo', ...evolution.parse({}) };

defineCurriculum('inspo', {
  draws: 'as they come, with instructions that evolve (INSPO)',
  params: evolution,
  learns: true,
  load: () => import('./curriculum.ts'),
});

const grpo: VariantSettings = trainedOn('search-r1', {
  objective: verlObjective(8),
  curriculum: { system: EVOLUTION },
});

const ofEvolution = (changes: Partial<Evolution>): VariantSettings => ({
  ...grpo,
  curriculum: { ...grpo.curriculum, system: { ...EVOLUTION, ...changes } },
});

export const inspo = defineSystem({
  id: 'inspo',
  version: '1',
  title: 'INSPO',
  summary: 'A population of instructions evolves beside the policy, by the rewards they bring.',
  about: {
    paper: '2512.01945',
    kind: 'trained by RL',
    parts: ['turns', 'question-stream control: instructions'],
    differences: [
      ...SHARED_DIFFERENCES,
      'The built-in policy reads no instruction: its instructions are the blocks that its form line asks for, such as a plan, and proposals come from a fixed list.',
      'A policy that reads text gets the evolved lines after the loop’s own instruction, which stays, so that the format does. It writes proposals itself; the paper asks a larger model.',
      'Trajectories in the replay buffer are question, queries, answer and reward, without the passages.',
      'A weight is the moving average of an instruction’s rewards; a verified proposal begins with the mean reward of its verification.',
      'Held-out questions are asked with the instruction of the largest weight.',
      'Population, temperature, rate and periods were not available and are ours.',
    ],
    published: {
      figure: 'EM 38.2, 6 above Search-R1',
      benchmark: 'multi-turn retrieval and reasoning, mean',
      model: 'Qwen2.5-3B',
    },
    sources: {
      'grpo.curriculum.system.population': 'ours; not available',
      'grpo.objective.kl.coefficient': 'code: Search-R1, train_grpo.sh',
      'reward.search-r1': 'code: Search-R1, verl/utils/reward_score/qa_em.py',
    },
    expectedEffect:
      'With the population the trained policy ends above the best single instruction at equal rollouts; without evolution the gain is smaller.',
  },
  params,
  traits: ({ instruction }) => ({ strategy: instruction }),
  settings: { ...searchLoop(3, 4), dialect: 'search-r1' },
  training: [
    { name: 'grpo', title: 'GRPO, instructions evolve', settings: grpo },
    {
      name: 'fixed-population',
      title: 'GRPO, the first population stays (ablation)',
      settings: ofEvolution({ every: 0 }),
    },
    {
      name: 'one-instruction',
      title: 'GRPO with the first instruction alone (ablation)',
      settings: ofEvolution({ every: 0, population: 1 }),
    },
  ],
});
