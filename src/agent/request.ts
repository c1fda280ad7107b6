import type { Question } from '../records/records.ts';
import type { Rollout } from '../records/rollout.ts';
import type { Policy } from '../policy/policy.ts';
import type { Recipe } from '../recipes/parts/recipe.ts';
import type { SettingsOverride } from '../recipes/parts/settings.ts';
import type { Retriever } from '../retrieval/retriever.ts';
import type { Summarizer } from '../retrieval/summarize/summarizer.ts';
import type { Fork } from './fork/past.ts';
import type { RunningMean } from './router/reward.ts';
import type { Router } from './router/router.ts';

/** What a rollout works with. */
export interface AgentDeps {
  policy: Policy;
  retriever: Retriever;
  router: Router;
  /** Writes what the policy reads in place of passages, where the recipe has `retrieval.summarize` on. */
  summarizer?: Summarizer | null;
  /** Unix time in milliseconds. */
  now: () => number;
  /** Web latencies of earlier calls, for the router's measured reward; one per group where absent. */
  webLatency?: RunningMean;
}

export interface RolloutRequest {
  question: Question;
  recipe: Pick<Recipe, 'id' | 'version' | 'settings'> & Partial<Pick<Recipe, 'needs' | 'title'>>;
  /** Changes to the recipe's settings; the record keeps the settings that were in force. */
  overrides?: SettingsOverride;
  /** Unsigned 32 bits. */
  seed: number;
  rolloutId: string;
  runId: string;
  groupId: string;
  step: number;
  /** The rollout continues from an event of a recorded one; `overrides` change the settings from there. */
  fork?: Fork;
  /** Name of the adapter that the policy carries, for the record; null: it is to say that there is none. */
  adapter?: string | null;
  signal?: AbortSignal;
}

export type GroupRequest = Omit<RolloutRequest, 'rolloutId' | 'fork'> & {
  /** G: rollouts of the same question. `seed` is the group's. */
  size: number;
  /** Number of the first of them, 0 where absent: a group that is made in parts has the same rollouts. */
  first?: number;
  /** Told of each rollout when it ends, before its siblings have. */
  onRollout?: (rollout: Rollout) => void;
};

/** A rollout that continues from a recorded one; what is not said is as it was there. */
export type ForkRequest = Pick<RolloutRequest, 'rolloutId'> &
  Partial<Omit<RolloutRequest, 'rolloutId' | 'recipe' | 'fork'>>;
