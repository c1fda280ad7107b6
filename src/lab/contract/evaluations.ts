import type { SettingsOverride } from '../../recipes/parts/settings.ts';
import type { CustomSystem } from '../../evaluate/systems/custom.ts';
import type { EvaluatedRollout, EvaluationResult } from '../../evaluate/systems/result.ts';
import type { EvaluationSpec } from '../../evaluate/systems/spec.ts';
import type { AcrossTable } from '../../evaluate/systems/table/across.ts';
import type { TableSplit, SystemsTable, TableFormat } from '../../evaluate/systems/table/shape.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { NamesProgress } from './retrieval.ts';
import type { EvaluationRecord } from './records/evaluations.ts';
import type { DeviceChoice } from './settings.ts';

/** Evaluations of several systems in the lab worker: calls and messages. */

export type EvaluationPhase = 'planning' | 'opening' | 'rollouts' | 'judging';

export interface EvaluationProgress {
  evaluationId: string;
  phase: EvaluationPhase;
  /** What is under way, as text: a world that is made, a policy that is loaded. */
  note: string;
  /** Rollouts that are there, of those planned; in `judging` answers that are judged. */
  done: number;
  total: number;
  failed: number;
  /** Of `done`, those that an earlier evaluation, or an earlier session of this one, had made. */
  reused: number;
  /** By the rollouts that this session made; null before the first few. */
  etaSeconds: number | null;
  /** It was asked to pause and ends the rollouts under way first. */
  pausing: boolean;
}

export type EvaluationMessage =
  /** The record appeared or changed (status, name, counts). */
  | { type: 'evaluation'; evaluation: EvaluationRecord }
  | { type: 'progress'; progress: EvaluationProgress }
  /** Rollouts that ended since the last such message; a later one of the same place replaces it. */
  | { type: 'rollouts'; evaluationId: string; rollouts: EvaluatedRollout[] }
  /** Which evaluation this very tab runs; sent to this tab alone. */
  | { type: 'here'; evaluationId: string | null };

/** What an evaluation will take, before it is started. */
export interface EvaluationEstimate {
  /** Rows of the table, and questions in all sets. */
  systems: number;
  /** Rows that are not run, with the reason. */
  skipped: { title: string; reason: string }[];
  questions: number;
  /** Rollouts in all, those that are here already, and those that are to be made. */
  planned: number;
  reused: number;
  toMake: number;
  /** ≈ seconds for those to be made; null where this device has not run one of the models. */
  seconds: number | null;
  /** What the seconds were derived from, as text. */
  basis: string;
}

/** Questions of a set that name what no passage mentions that is searched for them. */
export interface UnknownInSet {
  /** Place of the set in the spec, and of the retrieval settings that search alike. */
  set: number;
  retrievals: number[];
  /** Questions of the set that are asked, and those that name such a thing. */
  questions: number;
  naming: number;
  /** The first of them, with the names as they are written there. */
  first: { text: string; names: string[] }[];
}

/** A stored run whose adapter can be evaluated. */
export interface EvaluableRun {
  id: string;
  name: string;
  /** Id of the recipe it was trained with, and what the run set of it. */
  recipe: string;
  overrides: SettingsOverride;
  /** Steps whose adapter is kept, the last one first. */
  steps: number[];
}

export interface TableRequest {
  /** Id of the row to compare with; the first where absent. */
  reference?: string;
  /** One table, or one for each type of question, number of hops, source needed, or world. */
  by?: TableSplit;
}

/** Calls that the page makes. All reject with an Error whose message can be shown. */
export interface EvaluationsApi {
  /** Everything that happens from now on arrives at `listener`, of evaluations in other tabs too. */
  listen(listener: (messages: EvaluationMessage[]) => void): Promise<void>;
  /** All evaluations, the newest first, those marked as deleted too. */
  list(): Promise<EvaluationRecord[]>;
  /**
   * What an evaluation found so far: the very rows that tables and pictures are made of. The rollouts that
   * `listen` brings are added to it.
   */
  result(id: string): Promise<EvaluationResult>;
  /** Tables with intervals, differences and marks, computed off the page; one unless `by` splits it. */
  table(id: string, request: TableRequest): Promise<SystemsTable[]>;
  /** The systems of one evaluation beside the same systems of another, computed off the page. */
  compare(id: string, other: string): Promise<AcrossTable>;
  /** What a spec would take. The worlds are opened to see which rollouts are there. */
  estimate(spec: EvaluationSpec, device: DeviceChoice): Promise<EvaluationEstimate>;
  /**
   * Makes the first rollouts of models that this device has not run, so that the time of the others is known. They are
   * kept for the evaluation.
   * @param onProgress what is being done, as text
   * @throws Error as text
   */
  measure(
    spec: EvaluationSpec,
    device: DeviceChoice,
    onProgress: (doing: string) => void,
  ): Promise<void>;
  /** Ends a measurement under way; the rollouts that it made are kept. */
  cancelMeasure(): Promise<void>;
  /**
   * Which imported questions name what no passage mentions that the systems would search, and which of a world,
   * built in or fresh, where the user's own passages are searched for them. Sets that are searched in their own
   * world are left out, and search engines, which do not tell.
   * @throws the signal's reason
   */
  unknownNames(
    spec: EvaluationSpec,
    onProgress: NamesProgress,
    signal: AbortSignal,
  ): Promise<UnknownInSet[]>;
  /** Stores an evaluation and begins it. One at a time runs in a tab. */
  start(spec: EvaluationSpec, name: string, device: DeviceChoice): Promise<EvaluationRecord>;
  /** Continues where it stopped; failed rollouts are tried again. */
  resume(id: string, device: DeviceChoice): Promise<void>;
  /** Ends the rollouts under way and stops; wherever it runs. */
  pause(id: string): Promise<void>;
  rename(id: string, name: string): Promise<void>;
  /** Marks as deleted; `restore` undoes it until the next start of the page. Its rollouts stay for others. */
  remove(id: string): Promise<void>;
  restore(id: string): Promise<void>;
  /** A rollout by `EvaluatedRollout.rollout`, whole, to be read beside others; null where it is not stored. */
  rollout(rolloutId: string): Promise<Rollout | null>;
  /** The table as a file. @param times with measured seconds, which no repetition gives again */
  exportTable(
    id: string,
    format: TableFormat,
    request: TableRequest & { times?: boolean },
  ): Promise<Blob>;
  /** One JSON file that repeats the evaluation here or elsewhere, with what it found. */
  exportEvaluation(id: string): Promise<Blob>;
  /** Reads such a file: the spec to start again, with the name that it had. @throws Error of one line */
  readEvaluation(file: Blob): Promise<{ name: string; spec: EvaluationSpec }>;
  /** Runs of this browser whose adapters can be evaluated. */
  runs(): Promise<EvaluableRun[]>;
  /** The user's own systems, by title. */
  customs(): Promise<CustomSystem[]>;
  /** Saves a system; one of that id is replaced. @throws Error of one line that names what is wrong */
  saveCustom(system: CustomSystem): Promise<void>;
  /** Removes it from the list; evaluations that ran it keep it. */
  removeCustom(id: string): Promise<void>;
}
