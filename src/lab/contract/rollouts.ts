import type { Finding, LintCode } from '../../evaluate/rollouts/lint/finding.ts';
import type { Flow } from '../../evaluate/rollouts/why.ts';
import type { Histogram } from '../../evaluate/rollouts/histogram.ts';
import type { HopMap } from '../../evaluate/rollouts/hops.ts';
import type { Outcome } from '../../evaluate/rollouts/taxonomy.ts';
import type { Statistics } from '../../evaluate/rollouts/statistics.ts';
import type { Unknown } from '../../evaluate/rollouts/filter/unknown.ts';
import type { MatchingRollout } from '../../evaluate/rollouts/reading/full-text.ts';
import type { RoundReading } from '../../evaluate/rollouts/reading/rounds.ts';
import type { AlignedGroup, GroupCredit, TokenCredit } from '../../evaluate/rollouts/align.ts';
import type { Criterion, RunComparison } from '../../evaluate/rollouts/compare-runs.ts';
import type { DiffPiece, DiffRun } from '../../evaluate/rollouts/diff.ts';
import type { Disagreement } from '../../evaluate/rollouts/rescore/disagreement.ts';
import type { Rescored } from '../../evaluate/rollouts/rescore/rescore.ts';
import type { LossSettings } from '../../evaluate/rollouts/what-if/training.ts';
import type { WhatIf, WhatIfSettings } from '../../evaluate/rollouts/what-if/what-if.ts';
import type { ImportedRollout, VALUE_COLUMNS } from '../../formats/rollouts/shape/imported.ts';
import type { RunFile } from '../../formats/rollouts/run.ts';
import type { agreementOf } from '../../evaluate/judge/agreement.ts';
import type { JudgeItem, JudgeOutcome } from '../../evaluate/judge/run.ts';
import type {
  FileRecord,
  GroupField,
  Judging,
  Mark,
  RolloutPlace,
  SavedView,
  StoredRow,
} from './records/rollout-files.ts';

/** What the page may ask of the inspector's storage, which lives in a worker of its own. */

/** How an import ended; expected failures are values, which keep their fields between workers. */
export type ImportOutcome =
  | { status: 'ready'; file: FileRecord }
  | { status: 'cancelled' }
  | { status: 'failed'; message: string };

/** Rows that pass a filter, or what is wrong with it. */
export type Selection =
  | { status: 'ready'; rows: StoredRow[] }
  | { status: 'cancelled' }
  | { status: 'fault'; message: string; position: number; length: number };

/** A filter that cannot be read: what is wrong, and where it is in the filter. */
export interface FilterFault {
  status: 'fault';
  message: string;
  position: number;
  length: number;
}

export type Browsed = ({ status: 'ready' } & BrowseResult) | { status: 'cancelled' } | FilterFault;

/** A stored row and where it is in its file. */
export interface MatchingRow extends StoredRow {
  position: number;
}

export interface ComparedRuns extends RunComparison {
  /** Texts of the questions of either file, by id. */
  texts: Record<string, string>;
  /** Their gold answers, and answers by rollout, cut where they are long. */
  golds: Record<string, string>;
  answers: Record<'a' | 'b', Record<string, string>>;
  /** Why a file has nothing to compare by the criterion; null where it has. */
  noScore: Record<'a' | 'b', NoScore | null>;
}

/** A training run of this browser whose steps have rollouts to open. */
export interface OwnRun {
  id: string;
  name: string;
  step: number;
  /** When it last changed, ISO. */
  updatedAt: string;
  /** What its settings say of the loss; null where only the router was trained. */
  loss?: LossSettings | null;
}

/** An evaluation of this browser; `done`: rollouts that are there. */
export interface OwnEvaluation {
  id: string;
  name: string;
  done: number;
}

export interface BrowseQuery {
  /** Of the filter language; empty for all rows. */
  filter: string;
  sort: { column: string; descending: boolean } | null;
  /** Outermost first. */
  group: readonly GroupField[];
}

/** Rollouts that share a value; `from` and `count` are places in the order. */
export interface BrowseGroup {
  /** Unique in the selection, and the same after another sort. */
  key: string;
  level: number;
  field: GroupField;
  /** As a filter asks for it; null where the rows have none. */
  value: string | number | null;
  from: number;
  count: number;
  /** Means; null where no row has the number. */
  reward: number | null;
  em: number | null;
  /** Two or more rewards, all equal: the group gives no gradient under a group baseline. */
  flat: boolean;
}

export interface BrowseResult {
  /** Rows of the file, and of it those that pass, in order: positions in the file. */
  total: number;
  order: Uint32Array;
  groups: BrowseGroup[];
  /** Of the selection. */
  statistics: Statistics;
  outcomes: Partial<Record<Outcome, number>>;
  /** How far they came on the way asked, found, read, answered. */
  flow: Flow;
  lint: Partial<Record<LintCode, number>>;
  /** Reward clauses that occur in the file. */
  clauses: string[];
  /** Columns in which no row of the file has a value. */
  empty: string[];
  /** Runs or files that its rows come from. */
  runs: number;
  /** What the filter compares and rows of the file lack. */
  unknown: Unknown[];
}

export interface Facet {
  value: string | number;
  count: number;
  reward: number | null;
  em: number | null;
  flat: boolean;
}

const EXPORT_FORMATS = ['forage', 'verl', 'rl-logging-board', 'csv', 'markdown', 'latex'] as const;

export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Decodes tokens of a policy, each alone; null where that policy's tokenizer is not available. */
export type SpellTokens = (policy: string, ids: number[]) => Promise<string[] | null>;

export interface ImportProgress {
  fileId: string;
  readBytes: number;
  bytes: number;
  rollouts: number;
  faultCount: number;
  /** Chunks that can be read now. */
  chunks: number;
}

/** Per-token columns that hold numbers. */
export type NumberColumn = 'ids' | 'trainedIds' | (typeof VALUE_COLUMNS)[number];

/** Numbers of a segment; NaN stands for null, which a file cannot hold itself. */
export type PackedColumns = Partial<Record<NumberColumn, Float64Array<ArrayBuffer>>>;

export interface PackedReading {
  /** Without the number columns of its segments. */
  reading: Reading;
  columns: PackedColumns[];
}

/** Another rollout to go to. */
export interface Neighbour {
  fileId: string;
  file: string;
  id: string;
  answer: string | null;
  /** Why the answer cannot be read; absent where it can. */
  notScored?: string;
  /** Text outside the tags in place of an answer. */
  outside?: string;
  em: number | null;
  reward: number | null;
}

export interface Reading {
  file: Pick<FileRecord, 'id' | 'name' | 'rollouts' | 'status'>;
  row: StoredRow;
  rollout: ImportedRollout;
  rounds: RoundReading[];
  findings: Finding[];
  /** The gold chain beside what was looked up. */
  hops: HopMap;
  /** Where it is in its file, from 0, and the ids beside it there. */
  position: number;
  previous: string | null;
  next: string | null;
  /** The rollouts of its group in the file's order, itself among them. */
  siblings: Neighbour[];
  /** The settings that it was trained under; null where neither it nor a run of this browser has them. */
  loss: LossSettings | null;
}

/** Texts of a rollout's tokens whose record has ids alone. */
export type Spelled =
  | { status: 'nothing' }
  /** `by`: the policy whose tokenizer it is; null: the segment's ids are not its text by that tokenizer. */
  | { status: 'spelled'; by: string; pieces: (string[] | null)[] }
  /** `policy`: what made it, with its revision; `other`: one of that name is here, with another tokenizer. */
  | { status: 'missing'; policy: string | null; other: boolean };

export type RolloutFile = 'jsonl' | 'markdown' | 'html';

/**
 * Why no rollout of a file has a score:
 * - `empty`: it has no rollout yet;
 * - `older`: the file was read before the score was counted;
 * - `not-scored`: there are gold answers, and no answer can be read;
 * - `no-gold`: there are no gold answers;
 * - `no-verdict`: no judge has judged.
 */
export type NoScore = 'empty' | 'older' | 'not-scored' | 'no-gold' | 'no-verdict';

/** Where a file stands with judges. */
export interface JudgeStatus {
  /** Rollouts with gold answers whose own answer can be read, and of them those without a verdict. */
  judgeable: number;
  without: number;
  /** Of all verdicts in the file with EM. */
  agreement: ReturnType<typeof agreementOf>;
  /** The judge that was asked here last; null: nobody was. */
  judging: Judging | null;
}

/** A file, or a training run or an evaluation without one, with what a search found in it. */
export interface SearchMatch {
  kind: 'file' | 'run' | 'evaluation';
  id: string;
  name: string;
  /** Rollouts that were looked through until now, and how many of them have the words. */
  rollouts: number;
  count: number;
  /** Those found since the last update; of a place the first ones only. */
  hits: MatchingRollout[];
  /** Why the rest of it could not be read; null where nothing failed. */
  problem: string | null;
}

export interface SearchUpdate {
  /** Of all places, 0 to 1. */
  share: number;
  places: number;
  /** Places that were begun since the last update, and the one that continued. */
  found: SearchMatch[];
}

export interface RolloutsApi {
  /**
   * Imports a file, or the files of a run as one.
   * @param job name of the caller's, for `cancel`
   */
  importFile(
    job: string,
    source: Blob | readonly RunFile[],
    name: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  /** Stops a job: an import, a selection, a re-scoring, an export; nothing where there is none of that name. */
  cancel(job: string): Promise<void>;
  files(): Promise<FileRecord[]>;
  rows(fileId: string, from?: number): Promise<StoredRow[]>;
  select(job: string, fileId: string, filter: string): Promise<Selection>;
  /** A selection as positions in the file; rows are asked for with `rowsAt`. A newer call of the job stops it. */
  browse(job: string, fileId: string, query: BrowseQuery): Promise<Browsed>;
  rowsAt(fileId: string, positions: readonly number[]): Promise<MatchingRow[]>;
  /**
   * Looks for some words, whatever their case, in question, answer and all texts of every rollout, also of training
   * runs and evaluations that no file was made of.
   * @throws the signal's reason where it was stopped
   */
  searchAll(
    text: string,
    onFound: (update: SearchUpdate) => void,
    signal: AbortSignal,
  ): Promise<void>;
  /** Rollout ids at positions. */
  ids(fileId: string, positions: readonly number[]): Promise<string[]>;
  /** The row of a rollout; null where the file has none of that id. */
  find(fileId: string, rolloutId: string): Promise<MatchingRow | null>;
  /** A rollout with its rounds, findings and siblings, packed; null where the file, or it, is not there. */
  readPacked(fileId: string, rolloutId: string): Promise<PackedReading | null>;
  /** Texts of its tokens, by the tokenizer of the policy that made it. */
  spell(fileId: string, place: RolloutPlace): Promise<Spelled>;
  /** Rollouts of a question in other files. */
  sameQuestion(fileId: string, question: { id: string; text: string }): Promise<Neighbour[]>;
  /** One rollout as a file: a line of JSON, Markdown, or HTML that opens anywhere. */
  rolloutFile(fileId: string, place: RolloutPlace, format: RolloutFile): Promise<Blob>;
  /** Values of a field in a selection; an unreadable filter selects nothing. Null where it was stopped. */
  facets(
    job: string,
    fileId: string,
    filter: string,
    field: GroupField,
  ): Promise<{ values: Facet[]; all: number } | null>;
  /**
   * How a number is distributed, over the file and over a selection; an unreadable filter selects nothing. Null
   * where it was stopped.
   * @param column null: one that suits the file
   */
  histogram(
    job: string,
    fileId: string,
    filter: string,
    column: string | null,
  ): Promise<Histogram | null>;
  /**
   * Rollouts at positions as one file, of these columns where it is a table; null where it was cancelled.
   * @param spell decodes tokens, for layouts that show them as text
   * @param onProgress rollouts written so far, and all; not called for a table
   */
  exportRows(
    job: string,
    fileId: string,
    positions: Uint32Array,
    format: ExportFormat,
    columns: readonly string[],
    spell?: SpellTokens,
    onProgress?: (done: number, total: number) => void,
  ): Promise<Blob | null>;
  /** Training runs of this browser; empty where the host has none available. */
  ownRuns(): Promise<OwnRun[]>;
  ownEvaluations(): Promise<OwnEvaluation[]>;
  /** Reads the rollouts of a training run as a file `run NAME`; what was read of it before is replaced. */
  importRun(
    job: string,
    runId: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  /**
   * Reads the rollouts of an evaluation as a file `evaluation NAME` of id `evaluation-ID`; what was read of it
   * before is replaced. A rollout has the id that `EvaluatedRollout.rollout` names.
   */
  importEvaluation(
    job: string,
    evaluationId: string,
    onProgress: (progress: ImportProgress) => void,
  ): Promise<ImportOutcome>;
  rollout(fileId: string, place: RolloutPlace): Promise<ImportedRollout>;
  /** All rollouts of a file as `forage.rollout/1`, one per line; null where it was deleted or is not stored here. */
  lines(fileId: string): Promise<Blob | null>;
  remove(fileId: string): Promise<void>;
  restore(fileId: string): Promise<void>;
  purge(before?: string): Promise<void>;
  marks(file: string): Promise<Mark[]>;
  mark(
    file: string,
    rollout: string,
    change: Partial<Pick<Mark, 'bookmarked' | 'tags' | 'note'>>,
  ): Promise<Mark>;
  views(): Promise<SavedView[]>;
  saveView(view: SavedView): Promise<void>;
  removeView(name: string): Promise<void>;
  rescore(fileId: string, place: RolloutPlace): Promise<Rescored[]>;
  /**
   * Rollouts that scorers see differently, the widest apart first; null where it was stopped.
   * @param scorers ids
   * @param onProgress share of the rollouts that were scored, 0 to 1
   */
  disagreements(
    job: string,
    fileId: string,
    scorers: readonly string[],
    onProgress: (share: number) => void,
  ): Promise<Disagreement[] | null>;
  /**
   * The first `beside` siblings of a group by round, with the places of their texts, and the credit of all
   * under some settings.
   */
  group(
    fileId: string,
    groupId: string,
    settings: WhatIfSettings,
    beside: number,
  ): Promise<{ aligned: AlignedGroup; credit: GroupCredit; places: RolloutPlace[] } | null>;
  /** Every token's weight of one sibling under some settings. */
  tokenCredit(
    fileId: string,
    groupId: string,
    rolloutId: string,
    settings: WhatIfSettings,
  ): Promise<TokenCredit>;
  whatIf(
    fileId: string,
    groupId: string,
    before: WhatIfSettings,
    after: WhatIfSettings,
  ): Promise<WhatIf>;
  diff(
    a: { fileId: string; place: RolloutPlace },
    b: { fileId: string; place: RolloutPlace },
  ): Promise<{ a: DiffPiece[]; b: DiffPiece[]; runs: DiffRun[] }>;
  /** @throws Error where there is no such file */
  judgeStanding(fileId: string): Promise<JudgeStatus>;
  /** What a judge is asked; `again`: answers with a verdict too. */
  toJudge(fileId: string, again: boolean): Promise<JudgeItem[]>;
  /** Keeps what a judge said in the rollouts. @param by its id */
  keepVerdicts(fileId: string, by: string, outcomes: readonly JudgeOutcome[]): Promise<void>;
  compare(fileA: string, fileB: string, criterion: Criterion): Promise<ComparedRuns>;
}
