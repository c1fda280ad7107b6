import type { Need, Parts } from './progress.ts';
import type { Failure } from './records/failure.ts';
import type { DeviceFacts, OnMeasurement, OnLayer, OnShare } from './policy.ts';
import type { DeviceMeasure } from '../../policy/measure/device.ts';
import type { Agreement } from '../../policy/model/agreement.ts';
import type { SearchTarget } from '../../records/hits.ts';
import type { Question, QuestionType } from '../../records/records.ts';
import type { RolloutUpdate } from '../../records/updates.ts';
import type { PolicyInfo } from '../../policy/policy.ts';
import type { LocalMemory } from '../../retrieval/open-local.ts';
import type { Retrieval } from '../../retrieval/retriever.ts';
import type { JudgeItem, JudgeOutcome, JudgeRun } from '../../evaluate/judge/run.ts';
import type { PolicyRef, Resources, Setup } from '../../records/setup.ts';
import type { WebLlmLine } from '../../policy/remote/webllm/models.ts';
import type { RunRequest, RunSettings, DeviceChoice } from './settings.ts';

/** The host of questions: its messages to the page, and the calls that the page makes. */

/** One line of the question list; the whole question is fetched when it is chosen. */
export interface QuestionRow {
  id: string;
  text: string;
  split: string;
  hops: number;
  /** Null where the question does not say. */
  type: QuestionType | null;
  localSuffices: boolean | null;
  /** Titles of the gold passages. */
  supporting: readonly string[];
}

export interface WorldFacts {
  localPassages: number;
  webPassages: number;
  questions: number;
}

/** What the next run searches. */
export interface SourceFacts {
  localPassages: number;
  /** Null where the web is a search engine that does not say. */
  webPassages: number | null;
  /** Host of that search engine. */
  web: string | null;
  /** Bytes of imported passages and their indexes in memory, partly estimates. */
  memory: LocalMemory | null;
}

export interface RunState {
  runId: string;
  status: 'waiting' | 'running' | 'done' | 'cancelled' | 'failed';
  /** Tokens that policies sampled in this run, and the rate over the last seconds. */
  tokens: number;
  tokensPerSecond: number;
  failure: Failure | null;
}

export type AskMessage =
  | { type: 'parts'; parts: Parts }
  /** `problem`: why there are none. */
  | { type: 'questions'; rows: QuestionRow[]; problem: string | null }
  | { type: 'sources'; facts: SourceFacts }
  | { type: 'policy'; info: PolicyInfo; device: DeviceFacts }
  | { type: 'run'; run: RunState }
  /** Names of the run's question that no passage in use mentions; sent where there are some. */
  | { type: 'unknown-names'; runId: string; names: string[] }
  | { type: 'updates'; updates: RolloutUpdate[] };

/** Told of each answer as it ends, with the judge's id. */
export type OnJudged = (outcome: JudgeOutcome, by: string) => void | Promise<void>;

/** Calls that the page makes; each is one message to the lab worker. */
export interface AskApi {
  /** Everything that happens from now on arrives at `listener`, in order. */
  listen(listener: (messages: AskMessage[]) => void): Promise<void>;
  /** Says what to work with. Nothing is loaded before it is needed. */
  start(device: DeviceChoice, setup: Setup): Promise<void>;
  /** Loads these, now and again whenever something else is chosen; a run needs all of them. */
  need(needs: readonly Need[]): Promise<void>;
  /** Loads of what the next run works with the parts that are needed, as soon as it is chosen. */
  use(setup: Setup): Promise<void>;
  /** Servers and models that the user named, with the keys of the servers; keys stay in memory. */
  provide(resources: Resources, keys: Record<string, string>): Promise<void>;
  /** A checkpoint is held otherwise from now on: it is loaded again where it is in use. */
  changed(checkpoint: string): Promise<void>;
  /**
   * How near the packed weights of the policy are to its checkpoint.
   * @throws Error where there is nothing to compare; the signal's reason
   */
  agreement(onLayer: OnLayer, signal: AbortSignal): Promise<Agreement>;
  /** How fast this device is with the policy. @throws Error; the signal's reason */
  measure(onFigure: OnMeasurement, onShare: OnShare, signal: AbortSignal): Promise<DeviceMeasure>;
  /**
   * Asks a judge of many answers. One that it fails at is among the outcomes, with the reason.
   * @throws Error where the model cannot be asked at all
   */
  judge(
    ref: PolicyRef,
    items: readonly JudgeItem[],
    onOutcome: OnJudged,
    signal: AbortSignal,
  ): Promise<JudgeRun['ended']>;
  /** What WebLLM could load here. */
  webLlmModels(): Promise<WebLlmLine[]>;
  run(request: RunRequest): Promise<void>;
  cancel(): Promise<void>;
  /** Loads again what failed or died. */
  retry(): Promise<void>;
  question(id: string): Promise<Question | null>;
  /** Texts of single token ids, in order. */
  pieces(ids: number[]): Promise<string[]>;
  /** The same of ids that a policy wrote; null where another one is chosen or it cannot be loaded. */
  spell(policy: string, ids: number[]): Promise<string[] | null>;
  /** Names of a question that no passage mentions which a run with these settings would search. */
  unknownNames(question: string, settings: RunSettings, setup: Setup): Promise<string[]>;
  /** The retriever's own answer, for the corpus page. */
  search(
    source: SearchTarget,
    query: string,
    k: number,
  ): Promise<Pick<Retrieval, 'hits' | 'latencyMs' | 'failures'>>;
}
