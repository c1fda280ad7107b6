import type { AgentDeps } from '../../../agent/request.ts';
import type { RecipeSettings, SettingsOverride } from '../../../recipes/parts/settings.ts';
import type { Question } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';

/** A policy that a run begins with in place of the one available: which habit it keeps only now and then. */

interface StartContext {
  agent: AgentDeps;
  questions: readonly Question[];
  /** Those that the run's rollouts are made with. */
  inForce: RecipeSettings;
  /** One rollout per question with the sampler's current policy. */
  sample: (questions: readonly Question[], name: string) => Promise<Rollout[]>;
}

export interface StartKind {
  /** Questions that it is made with, of those that the run may train on. */
  suits: (question: Question) => boolean;
  /** Said where there are none. */
  none: string;
  /** What it learns from. */
  trajectories: (context: StartContext) => Promise<Rollout[]>;
  /** Whether only those count that end right. */
  onlyCorrect: boolean;
  /** Updates at most, and between two measurements of the share. */
  most: number;
  atOnce: number;
  /** Greatest and least share of rollouts that keep the habit. */
  few: number;
  least: number;
  /** What the rollouts are made with that the share is measured on. */
  measured: SettingsOverride;
  /** Whether one of them keeps the habit. */
  keeps: (rollout: Rollout) => boolean;
  /** What was made, in a sentence: updates and trajectories, and how many of the rollouts keep the habit, before and now. */
  said: (made: {
    updates: number;
    from: number;
    kept: number;
    before: number;
    of: number;
  }) => string;
}
