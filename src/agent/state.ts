import type { StopClause, StopEvent } from '../records/events.ts';
import type { SearchTarget } from '../records/hits.ts';
import type { RecipeSettings } from '../recipes/parts/settings.ts';
import type { Conversation } from './transcript/conversation.ts';
import type { Evidence, Observation } from './answers/evidence.ts';
import type { Past } from './fork/past.ts';
import type { LoopHooks } from './hooks.ts';
import type { AgentDeps, RolloutRequest } from './request.ts';
import type { Page } from '../recipes/parts/pages.ts';
import { RunningMean } from './router/reward.ts';
import { emptyMemory, type AnswerMemory } from './stie.ts';
import type { AsideContext } from './transcript/aside.ts';
import type { ReadCall } from './transcript/read-calls.ts';
import type { Tags } from './transcript/tags.ts';
import type { Transcript } from './transcript/transcript.ts';

/** One search that was made. */
interface PastSearch {
  query: string;
  source: SearchTarget;
  missed: boolean;
  /** The call failed: no source has answered this query. */
  failed: boolean;
}

/** A call that the model wrote, or what is wrong with it. */
export interface WrittenCall {
  read: ReadCall;
  segment: number;
}

/** What the environment says to the calls of one turn, until all of it is written. */
export interface Replies {
  readonly calls: readonly WrittenCall[];
  /** One per call so far. */
  readonly texts: string[];
  /** The last search of the turn that found something. */
  observation: Observation | null;
}

/** Everything that one running rollout knows. */
export interface RunState {
  readonly deps: AgentDeps;
  readonly request: RolloutRequest;
  readonly settings: RecipeSettings;
  /** Of the system in `settings`. */
  readonly hooks: LoopHooks;
  readonly tags: Tags;
  readonly transcript: Transcript;
  readonly conversation: Conversation;
  readonly evidence: Evidence;
  readonly webLatency: RunningMean;
  /** What a fork keeps of a recorded rollout; null for a rollout of its own. */
  readonly past: Past | null;
  searches: PastSearch[];
  memory: AnswerMemory;
  /** Queries that STIE refused in a row. */
  refusals: number;
  /** Rounds in a row that brought nothing new. */
  idleRounds: number;
  faults: number;
  /** Tokens that T wrote in a context of its own. */
  thoughtTokens: number;
  /** RDRA's t, until the first search has used it. */
  thought: string | null;
  /** The page that was opened last, and the look-ups on it. */
  page: { page: Page | null; text: string; seen: number };
  lookups: number;
  /** Calls of the turn that are being answered; null between turns, and where tags are spoken. */
  replies: Replies | null;
}

export const initialProgress = (): Pick<
  RunState,
  | 'searches'
  | 'memory'
  | 'refusals'
  | 'idleRounds'
  | 'faults'
  | 'thoughtTokens'
  | 'thought'
  | 'page'
  | 'lookups'
  | 'replies'
> => ({
  searches: [],
  memory: emptyMemory,
  refusals: 0,
  idleRounds: 0,
  faults: 0,
  thoughtTokens: 0,
  thought: null,
  page: { page: null, text: '', seen: 0 },
  lookups: 0,
  replies: null,
});

/** What the policy is asked beside the rollout's context. */
export const asideContext = ({
  deps,
  request,
  settings,
  tags,
  transcript,
}: RunState): AsideContext => ({
  policy: deps.policy,
  tags,
  transcript,
  settings,
  seed: request.seed,
  signal: request.signal,
});

/** Thrown inside the loop where the caller's signal asks to stop; never leaves `runRollout`. */
export class Cancelled extends Error {
  override name = 'Cancelled';
}

export const isCancelled = (state: Pick<RunState, 'request'>): boolean =>
  state.request.signal?.aborted ?? false;

/** @throws Cancelled once the caller's signal is set. */
export function checkCancelled(state: Pick<RunState, 'request'>): void {
  if (isCancelled(state)) throw new Cancelled();
}

export function stop(
  state: RunState,
  reason: StopEvent['reason'],
  detail: string,
  clause?: StopClause,
): void {
  state.transcript.endSegment();
  state.transcript.event({ kind: 'stop', reason, detail, clause });
}

/** Notes a fault against the protocol. */
export function fault(state: RunState, message: string, segment?: number): void {
  state.faults += 1;
  state.transcript.event({
    kind: 'error',
    what: 'malformed',
    message,
    segment,
  });
}
