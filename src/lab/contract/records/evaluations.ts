import type { EvaluationSpec } from '../../../evaluate/systems/spec.ts';
import type { Failure } from './failure.ts';

/** What is stored of an evaluation beside its rollouts. */

export type EvaluationStatus = 'running' | 'paused' | 'finished' | 'failed';

/** An evaluation as it is stored: `forage.evaluation-record/1`. */
export interface EvaluationRecord {
  format: 'forage.evaluation-record/1';
  id: string;
  name: string;
  createdAt: string;
  updatedAt: string;
  /** `finished`: every planned rollout is there or failed. One that runs in no tab any more is `paused`. */
  status: EvaluationStatus;
  spec: EvaluationSpec;
  /** Of all that it was asked for, as in `EvaluationResult`; null before it was planned. */
  hash: string | null;
  /** Rollouts that were planned, are there, and failed; 0 before it was planned. */
  planned: number;
  done: number;
  failed: number;
  /** What ended it; null where nothing did. A rollout that failed ends nothing. */
  failure: Failure | null;
  /** The last thing that the user should know: a closed tab, a judge that gave up. */
  notice: string | null;
  /** Set while it can still be brought back. */
  deletedAt: string | null;
}
