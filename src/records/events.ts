import type { FormBlock } from './form-line.ts';
import type { Hit, SearchTarget } from './hits.ts';

/**
 * The one ordered list of what happened in a rollout. The interface draws it, rewards and training
 * read it, exports write it. `t` is milliseconds since the rollout began; `segment` is the index of
 * the segment that the event belongs to, where there is one.
 */
interface Base {
  t: number;
  segment?: number;
}

interface BackgroundEvent extends Base {
  kind: 'background';
  mode: 'off' | 'shown' | 'shown-and-used-by-T';
  query: string;
  hits: Hit[];
  /** Relevance of D0: mean of the query–passage similarities, and recall of supporting titles if known. */
  relevance: {
    meanSimilarity: number | null;
    termOverlap: number;
    supportingRecall: number | null;
  };
  latencyMs: number;
}

interface ThinkEvent extends Base {
  kind: 'think';
  text: string;
  /** `alignment`: RDRA's t = T(x, D0), equation (2); `step`: between searches. */
  phase: 'alignment' | 'step';
}

/** A block beside thought, search and answer; `reply` is what the environment answered it with. */
interface BlockEvent extends Base {
  kind: 'block';
  /** `lookup`: ReAct's, of a text on the page that was opened last. */
  block: FormBlock | 'lookup';
  text: string;
  /** Of `compute`, `ask` and `lookup`. */
  reply?: string;
}

/** What the policy wrote beside the rollout's context: in a fresh one, or in a fork that was given up. */
export interface AsideEvent extends Base {
  kind: 'aside';
  /** What for. */
  of:
    | 'rewrite'
    | 'draft'
    | 'query'
    | 'revision'
    | 'generation'
    | 'look-ahead'
    | 'continuation'
    | 'reading'
    | 'extract'
    | 'judgement'
    | 'chain'
    | 'role'
    | 'action';
  /** What it was asked; empty of a fork, which read what the rollout had so far. */
  prompt: string;
  text: string;
  /** Tokens that it wrote. */
  tokens: number;
  /** What the loop made of it, as text. */
  outcome?: string;
  /** Of `action`: one of several that were sampled for a step; that of rank 0 was taken. */
  action?: {
    /** Tokens of the context that it was sampled behind. */
    at: number;
    /** Its place among them by what chose, from 0. */
    rank: number;
    ids: number[];
  };
}

interface SearchEvent extends Base {
  kind: 'search';
  query: string;
  /** Searches made before it, and 1: its own number if it is made (`searches.ts`). */
  round: number;
  /** Which tag the policy used: `search`, or its own choice of source. */
  tag: 'search' | 'local_search' | 'web_search';
  /** Of queries that the loop made of what the policy wrote; absent: the policy wrote it as a search. */
  by?: 'loop';
}

export interface RouteEvent extends Base {
  kind: 'route';
  /**
   * `fixed`: always-local, always-web, or the one source that STIE leaves to a repeated query;
   * `policy-tag`: the policy's own choice; `router`: from π(a|s), as `routing` says.
   */
  by: 'fixed' | 'router' | 'policy-tag';
  /** What was routed: RDRA's background; absent: a search. */
  of?: 'background';
  /** Of `router`: the likelier source was taken; absent: the choice was sampled. */
  routing?: 'argmax';
  choice: SearchTarget;
  probabilities: { local: number; web: number };
  /** Named state features with their values and their contribution to the logit of `web`. */
  features: { name: string; value: number; contribution: number }[];
  /** Equations (20)–(22), both readings; filled in once the retrieval returned. */
  reward: {
    mode: 'paper' | 'measured';
    beta1: number;
    beta2: number;
    efficiency: number;
    information: number;
    total: number;
  } | null;
}

export interface RetrieveEvent extends Base {
  kind: 'retrieve';
  query: string;
  source: SearchTarget;
  hits: Hit[];
  /** k, where `hits` are fewer because the policy's context holds no more of them. */
  asked?: number;
  latencyMs: number;
  addedDelayMs: number;
  requests?: number;
  bytes?: number;
  /** Supporting titles first seen with this call; null where the question has none. */
  newSupporting: string[] | null;
  /** Passages that an earlier round had already returned. */
  duplicates: string[];
  /** STIE over passages: those of the best k that an earlier round had returned, in whose place the next best are shown. */
  leftOut?: string[];
  /** Capitalised names and numbers first seen in this round's passages. */
  newEntities: number;
}

/** UR²'s summarized retrieval. */
export interface SummarizeEvent extends Base {
  kind: 'summarize';
  /** What the policy asked. */
  query: string;
  /** Method or model that summarized. */
  by: string;
  /** Ids of the passages that went in, best first. */
  passages: string[];
  /** What the policy reads in their place. */
  text: string;
  /** The query asks for reasoning (UR²): the text is the fallback sentence, and a hint follows it. */
  fallback: boolean;
  /** Why it fell back, or did not. */
  reason: string;
  latencyMs: number;
  cached: boolean;
}

/** Short answers probed from a fork of the context (STIE, section 2.2). */
interface CandidateEvent extends Base {
  kind: 'candidate';
  round: number;
  /**
   * `agreement`: the policy gives no log-probabilities; a candidate's confidence is the logarithm of
   * the share of the round's samples that gave it, one more sample being counted that gave another.
   */
  confidenceBy?: 'agreement';
  candidates: {
    text: string;
    canonical: string;
    /** Mean (or minimum) token log-probability, or what `confidenceBy` says. */
    confidence: number;
    /** How often it was the answer of a round so far, n(y). */
    count: number;
    blocked: boolean;
    /** Samples of this round that gave it; absent: one. */
    samples?: number;
  }[];
}

/** One comparison with an earlier answer or query: Diff against its threshold, equations (6)–(9). */
export interface DifferenceCheck {
  lag: 1 | 2 | 3;
  against: string;
  overlap: number;
  diff: number;
  threshold: number;
  passed: boolean;
}

export interface VerdictEvent extends Base {
  kind: 'verdict';
  /** Where STIE judged. */
  over: 'answer' | 'query';
  round: number;
  mode: 'paper' | 'corrected';
  text: string;
  checks: DifferenceCheck[];
  /** min of the diffs, equation (8); null without history. */
  aggDiff: number | null;
  valid: boolean;
  /** What STIE did. */
  action: 'kept' | 'replaced' | 'kept-invalid' | 'refused' | 'blocked';
  replacement?: string;
  /** The clause that decided, as text. */
  reason: string;
  counts: Record<string, number>;
  blocked: string[];
}

export interface AnswerEvent extends Base {
  kind: 'answer';
  text: string;
  form: 'short' | 'long';
  /** `policy` wrote it; `stie` chose it among candidates, `vote` what most said; `forced` was asked for at a limit. */
  by: 'policy' | 'stie' | 'vote' | 'forced';
}

/**
 * The rule of STIE that ended a rollout, with its numbers (arXiv 2506.19466, section 2.2, "Termination
 * Control"). `overlap-above`, `overlap-below`: mean of (6) with the earlier answers, in [0, 1];
 * `confidence`: of the answer, a probability; `new-information`: new entities and facts of the round;
 * `repeated-queries`: queries refused in a row.
 */
export interface StopClause {
  rule: 'overlap-above' | 'overlap-below' | 'confidence' | 'new-information' | 'repeated-queries';
  value: number;
  threshold: number;
}

export interface StopEvent extends Base {
  kind: 'stop';
  reason:
    | 'answer'
    | 'end-of-text'
    | 'stie-overlap'
    | 'stie-confidence'
    | 'stie-no-new-information'
    | 'max-searches'
    | 'token-budget'
    | 'context-full'
    | 'malformed'
    | 'cancelled'
    | 'error';
  detail: string;
  /** Of stops by STIE; absent in records made before it was kept. */
  clause?: StopClause;
}

interface ErrorEvent extends Base {
  kind: 'error';
  /** `malformed`: the policy broke the protocol; `retrieval`: a call failed; `policy`: the model did. */
  what: 'malformed' | 'retrieval' | 'policy';
  message: string;
}

export type AgentEvent =
  | BackgroundEvent
  | ThinkEvent
  | BlockEvent
  | AsideEvent
  | SearchEvent
  | RouteEvent
  | RetrieveEvent
  | SummarizeEvent
  | CandidateEvent
  | VerdictEvent
  | AnswerEvent
  | StopEvent
  | ErrorEvent;
