import type { Release } from '../../agent/released.ts';
import { release as arena } from '../../systems/arena/reward.ts';
import { release as deepResearcher } from '../../systems/deep-researcher/reward.ts';
import { release as research } from '../../systems/research/reward.ts';
import type { RewardId } from '../../systems/rewards.ts';
import { release as searchR1 } from '../../systems/search-r1/reward.ts';
import type { SettingsOverride } from '../../recipes/parts/settings.ts';

/** Systems whose released rewards are known, and which of our values each of theirs is compared with. */

/** Our value: a reward, without some of its clauses or one of them alone; or whether a release finds no fault. */
export type ForageValue =
  | { reward: RewardId; without?: readonly string[]; only?: string }
  | { faultless: Release };

interface GoldenSystem {
  recipe: string;
  overrides?: SettingsOverride;
  /** Our value by released name. A released value without an entry is a part of another and not compared. */
  values: Readonly<Record<string, ForageValue>>;
}

/** StepSearch's totals, made of several of its values: `totalsOf` in `compare.ts`. */
export const STEP_TOTALS = {
  all: 'score + 0.6 Σ step_scores',
  withoutGain: 'score + 1.6 Σ step_scores, information_gain off',
} as const;

const BOTH_TOOLS: ForageValue = { reward: 'tool-star' };
const UR2: Pick<GoldenSystem, 'recipe' | 'overrides'> = {
  recipe: 'ur2-released',
  overrides: { retrieval: { summarize: 'off' } },
};

const SYSTEMS = {
  'search-r1': {
    recipe: 'search-r1',
    values: {
      'qa_em.compute_score_em': { reward: 'search-r1-released' },
      'qa_em.compute_score_em, prompt without the example': { reward: 'search-r1' },
    },
  },
  'search-r1-format': {
    recipe: 'search-r1',
    values: {
      'qa_em_format.compute_score_em, 0.2 0.1 0': { reward: 'search-r1-format' },
      'qa_em_format.compute_score_em, 0.2 0.1 0.1': { reward: 'search-r1-format-retrieval' },
      'qa_em_format.is_valid_sequence': { faultless: searchR1 },
    },
  },
  'step-search': {
    recipe: 'step-search',
    values: {
      [STEP_TOTALS.all]: { reward: 'step-search-tf-idf' },
      [STEP_TOTALS.withoutGain]: { reward: 'step-search-released', without: ['gain'] },
    },
  },
  research: {
    recipe: 'research',
    values: {
      're_search.compute_score': { reward: 'research' },
      're_search.validate_format': { faultless: research },
    },
  },
  'tool-star': {
    recipe: 'tool-star',
    values: {
      're_search.compute_score': BOTH_TOOLS,
      're_search.validate_format': { faultless: research },
    },
  },
  arpo: {
    recipe: 'tool-star',
    values: {
      'deep_research.compute_score': BOTH_TOOLS,
      'deep_research.validate_format': { faultless: research },
    },
  },
  'auto-refine': {
    recipe: 'auto-refine',
    values: {
      'qa_em.compute_reward': { reward: 'autorefine' },
      'qa_em.compute_score_f1': { reward: 'autorefine', only: 'answer' },
    },
  },
  'deep-researcher': {
    recipe: 'deep-researcher',
    values: {
      'format_and_f1.compute_score': { reward: 'deep-researcher' },
      'format_and_f1.check_tags_balance': { faultless: deepResearcher },
    },
  },
  'r-search': {
    recipe: 'r-search',
    values: { 'qa_f1.compute_score_f1': { reward: 'r-search' } },
  },
  'r1-searcher-stage-1': {
    recipe: 'r1-searcher',
    values: { 'reward_server_llama_stage1.get_reward': { reward: 'r1-searcher-stage-1-released' } },
  },
  'r1-searcher-stage-2': {
    recipe: 'r1-searcher',
    values: { 'reward_server_qwen_zero.get_reward': { reward: 'r1-searcher-stage-2-released' } },
  },
  'r1-searcher-instruct': {
    recipe: 'r1-searcher',
    values: { 'reward_server_llama_stage2.get_reward': { reward: 'r1-searcher-stage-2-instruct' } },
  },
  'ur2-stage-1': {
    ...UR2,
    values: {
      'reward_server_qwen_7b_math_rag_stage1.get_reward': { reward: 'ur2-stage-1-released' },
    },
  },
  'ur2-stage-2': {
    ...UR2,
    values: {
      'reward_server_qwen_math_rag_stage2.get_reward': { reward: 'ur2-stage-2-released' },
      format_reward: { reward: 'ur2-stage-2-released', only: 'format' },
    },
  },
  arena: {
    recipe: 'arena',
    values: {
      'evaluate.get_all_scores': { reward: 'arena-released' },
      format_score: { faultless: arena },
      accuracy_score: { reward: 'arena-released', only: 'answer' },
      relevance_score: { reward: 'arena-released', only: 'relevance' },
    },
  },
} as const satisfies Record<string, GoldenSystem>;

export type SystemId = keyof typeof SYSTEMS;

export const SYSTEM_IDS: readonly string[] = Object.keys(SYSTEMS);
export const isSystem = (id: string): id is SystemId => Object.hasOwn(SYSTEMS, id);
export const systemOf = (id: SystemId): GoldenSystem => SYSTEMS[id];
