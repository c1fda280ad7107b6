import type { AgentEvent } from '../../../records/events.ts';
import type {
  RewardClause,
  Rollout,
  RolloutMetrics,
  SegmentRole,
  TokenSource,
} from '../../../records/rollout.ts';

/**
 * A rollout as the inspector reads it: `forage.rollout/1` in which every part that another system's file
 * may lack is optional. Every `Rollout` of ours is an `ImportedRollout` as it stands.
 */

/** One value a token; null where the file has none, or none that is finite. */
export type TokenValues = (number | null)[];

/** Roles of ours, and blocks that only other systems have. */
export type ImportedRole = SegmentRole | 'refine' | 'evidence';

/** Columns whose entries are values: numbers, or null. */
export const VALUE_COLUMNS = [
  'logprobs',
  'refLogprobs',
  'entropies',
  'values',
  'tokenRewards',
  'advantages',
  'lossMask',
] as const satisfies (keyof TokenColumns)[];

/** Per-token columns of a segment; each is as long as the segment has tokens. */
export interface TokenColumns {
  /** Ids that were sampled. */
  ids?: number[];
  /** The tokens' text, where the file gives text in place of ids. */
  tokens?: string[];
  /** Ids that the trainer read, where the file tells them apart from the sampled ones. */
  trainedIds?: number[];
  /** Natural-log probabilities: the sampler's, the reference's. */
  logprobs?: TokenValues;
  refLogprobs?: TokenValues;
  /** Nats. */
  entropies?: TokenValues;
  /** The critic's values, and rewards and advantages of single tokens. */
  values?: TokenValues;
  tokenRewards?: TokenValues;
  advantages?: TokenValues;
  /** 1 where the file says that the loss trained the token. */
  lossMask?: TokenValues;
}

export interface ImportedSegment extends TokenColumns {
  source: TokenSource;
  role: ImportedRole;
  text: string;
  /** Loss mask of the whole segment; absent where the file says nothing about it. */
  mask?: 0 | 1;
}

/** Where an imported rollout came from. Absent on rollouts of our own. */
interface RolloutOrigin {
  /** Id of the layout of its file (`importers/list.ts`). */
  layout: string;
  /** Id of the tag protocol that was recognised in the text (`protocols/catalogue.ts`). */
  protocol: string | null;
  /** Index of the first segment of the response; those before it are the prompt. */
  responseAt: number;
  /**
   * Every key of the original record, verbatim, except the long texts that the segments hold (joined in
   * order they are those texts) and the token columns that were moved into the segments.
   */
  fields: Record<string, unknown>;
  /** Original key of each per-token column that the segments hold. */
  columns: Partial<Record<keyof TokenColumns, string>>;
}

export interface ImportedRollout {
  format: 'forage.rollout/1';
  id: string;
  /** Name of the file for files without runs. */
  runId: string;
  /** Null where the file counts no steps. */
  step: number | null;
  /** Rollouts of the same question at the same step. */
  groupId: string;
  seed?: number;
  createdAt?: string;
  question: {
    id: string;
    text: string;
    answers: string[];
    supporting: string[];
    type?: string;
    hops?: number;
    difficulty?: string;
    options?: string[];
    mayRetrieve?: boolean;
    summary?: string[];
    /** Gold chain, where the record has one. */
    chain?: NonNullable<Rollout['question']['chain']>;
    missing?: NonNullable<Rollout['question']['missing']>;
  };
  recipe?: Rollout['recipe'];
  policy?: Rollout['policy'];
  segments: ImportedSegment[];
  events?: AgentEvent[];
  rewards: RewardClause[];
  reward: number | null;
  baseline: number | null;
  advantage: number | null;
  metrics: RolloutMetrics | null;
  /** Verbatim as the file gives it, else as the protocol's rule extracts it; null without one. */
  answer: string | null;
  /**
   * Why nobody can say whether an answer was given: the rollout is then not scored, and left out of every
   * mean. Absent where the answer was read, or plainly none was given.
   */
  notScored?: string;
  /** The error that ended it: then `notScored` says so, and it is no wrong answer. */
  error?: string;
  /** A judge's verdict, null where its reply could not be read, and who or what key gave it. */
  judge?: { verdict: boolean | null; by: string };
  /** Settings of the run that trained on it, added where its rollouts are read out of the run. */
  training?: { preset: string; objective: Record<string, unknown> };
  origin?: RolloutOrigin;
}

/** The error that ended a rollout: the file's, or in a record of ours that of its stop event. */
export function errorOf({
  error,
  events,
}: Pick<ImportedRollout, 'error' | 'events'>): string | undefined {
  const stop = events?.findLast(({ kind }) => kind === 'stop');
  return error ?? (stop?.kind === 'stop' && stop.reason === 'error' ? stop.detail : undefined);
}

type Scorable = Pick<ImportedRollout, 'error' | 'events'> & { notScored?: string | undefined };

/** Why a rollout is not scored: its answer cannot be read, or an error ended it. Undefined where it can be. */
export function unscoredReason(rollout: Scorable): string | undefined {
  const error = errorOf(rollout);
  return rollout.notScored ?? (error === undefined ? undefined : `it ended in an error: ${error}`);
}

/** Gold answers to score against: none where the rollout is not scored. */
export const goldsToScore = (
  rollout: Pick<ImportedRollout, 'question'> & Scorable,
): readonly string[] => (unscoredReason(rollout) === undefined ? rollout.question.answers : []);

/** Whether the record has every part of our own: ids throughout, events, recipe, policy, masks. */
export const isOwnRollout = (rollout: ImportedRollout): rollout is ImportedRollout & Rollout =>
  rollout.origin === undefined &&
  rollout.step !== null &&
  rollout.seed !== undefined &&
  rollout.createdAt !== undefined &&
  rollout.recipe !== undefined &&
  rollout.policy !== undefined &&
  rollout.events !== undefined &&
  rollout.segments.every(
    ({ ids, mask, role }) =>
      ids !== undefined && mask !== undefined && role !== 'refine' && role !== 'evidence',
  );

/** The context as text: what the model read and wrote, in order. */
export const fullText = ({ segments }: Pick<ImportedRollout, 'segments'>): string =>
  segments.map(({ text }) => text).join('');
