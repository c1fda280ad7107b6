import { z } from 'zod';
import type { ForkChange } from '../../agent/fork/changes.ts';
import type { EvaluatedPolicy } from '../../evaluate/systems/spec.ts';
import type { SourceName } from '../../records/hits.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Setup } from '../../records/setup.ts';
import { RECIPES } from '../../systems/index.ts';

/**
 * What a user can set before a run, validated where it enters (address, form, stored preference).
 * A mechanism that is `undefined` takes the recipe's own value.
 */

export const RECIPE_IDS = RECIPES.map(({ id }) => id);
export const DEVICES = ['auto', 'webgpu', 'wasm'] as const;
export const BACKGROUND_MODES = ['off', 'shown', 'shown-and-used-by-T'] as const;
export const STIE_MODES = ['off', 'paper', 'corrected'] as const;
export const ROUTER_MODES = ['router', 'always-local', 'always-web', 'both'] as const;
/** In place of the recipe's own tags. */
export const PROTOCOLS = ['tools', 'worked-example'] as const;
export const REWARD_MODES = ['paper', 'measured'] as const;

export const MAX_ROLLOUTS = 16;
export const MAX_QUESTION_LENGTH = 2000;

/** Settings of the recipe's mechanisms; see docs/methods.md, section 1. */
export const mechanismsSchema = z.object({
  /** RDRA: what D0 is used for, equations (1)–(4). */
  background: z.enum(BACKGROUND_MODES).optional(),
  /** STIE, equations (5)–(13). */
  stie: z.enum(STIE_MODES).optional(),
  /** NLR: who chooses the source. */
  router: z.enum(ROUTER_MODES).optional(),
  /** NLR: which reading of equations (20)–(22) is computed. */
  reward: z.enum(REWARD_MODES).optional(),
  /** How the model searches and answers: `tools`, by its own chat template and tool calls. A model that knows tags as tokens keeps those. */
  protocol: z.enum(PROTOCOLS).optional(),
  /** Passages a retrieval returns. */
  k: z.number().int().min(1).max(10).optional(),
  /** Milliseconds added to every call to the web. */
  webDelayMs: z.number().int().min(0).max(5000).optional(),
});

export const runSettingsSchema = z.object({
  recipe: z.enum(RECIPE_IDS),
  rollouts: z.number().int().min(1).max(MAX_ROLLOUTS),
  /** Null: what the checkpoint's authors sample with, or 1 where its files do not say. */
  temperature: z.number().min(0).max(2).nullable(),
  seed: z.number().int().min(0).max(0xffffffff),
  device: z.enum(DEVICES),
  mechanisms: mechanismsSchema,
});

export type Mechanisms = z.infer<typeof mechanismsSchema>;
export type RunSettings = z.infer<typeof runSettingsSchema>;
export type DeviceChoice = RunSettings['device'];

export const DEFAULT_SETTINGS: RunSettings = {
  recipe: 'kunlun-baize',
  rollouts: 1,
  temperature: null,
  seed: 1,
  device: 'auto',
  mechanisms: {},
};

/** A question of the built-in world by its id, or one that the user typed. */
export type QuestionChoice = { kind: 'world'; id: string } | { kind: 'typed'; text: string };

/** Whose text is sampled: a policy as it is, or with the adapter of a stored run. */
export type PolicyChoice = Exclude<EvaluatedPolicy, { kind: 'folders' }>;

/** A fork request: the recorded rollout and what changes from that event on. */
export interface ForkRequest {
  of: Rollout;
  /** The first event that is made again. */
  event: number;
  rolloutId: string;
  change: ForkChange;
  /** Only this policy may continue; absent: whichever the request names. */
  writer?: Pick<Rollout['policy'], 'id' | 'revision'>;
  /** Of `source`: where the next search goes. */
  source?: SourceName;
  /** From there on; those of the rollout where absent. */
  seed?: number;
  temperature?: number;
}

export interface RunRequest {
  runId: string;
  asked: QuestionChoice;
  settings: RunSettings;
  setup: Setup;
  /** Policies that each make the rollouts, one after another; the setup's where absent. Of a fork: the first. */
  policies?: readonly PolicyChoice[];
  /** Continues a rollout instead of starting new ones. */
  fork?: ForkRequest;
}

/** `groupId` of what a run's policies make, by their place in the request. */
export const groupIdOf = (runId: string, policy: number): string =>
  policy === 0 ? `${runId}-g` : `${runId}-g${policy + 1}`;
