import { type Dexie, type EntityTable, type Table } from 'dexie';
import { SiteDatabase } from '../storage/site-database.ts';
import type { CustomSystem } from '../../evaluate/systems/custom.ts';
import type { PlannedCell } from '../../evaluate/systems/plan/execute.ts';
import type { RolloutFacts } from '../../evaluate/systems/plan/row.ts';
import type {
  EvaluatedQuestion,
  EvaluatedSystem,
  SkippedSystem,
} from '../../evaluate/systems/result.ts';
import type { EvaluationRecord } from '../contract/records/evaluations.ts';

/** Evaluations, and rollouts by the hash of their inputs, which all evaluations share. */

export interface PlanRow {
  id: string;
  hash: string;
  systems: EvaluatedSystem[];
  /** Absent in plans that were stored before anything was skipped. */
  skipped?: SkippedSystem[];
  questions: EvaluatedQuestion[];
  cells: PlannedCell[];
}

export interface FactsRow {
  key: string;
  recipe: string;
  /** Id of the policy, for estimates. */
  policy: string;
  facts: RolloutFacts;
}

export interface BodyRow {
  key: string;
  /** Gzipped JSON of the rollout. */
  body: Uint8Array<ArrayBuffer>;
}

export interface FailureRow {
  id: string;
  key: string;
  message: string;
}

export interface VerdictRow {
  id: string;
  key: string;
  right: boolean;
}

export class EvaluationDatabase extends SiteDatabase {
  evaluations!: EntityTable<EvaluationRecord, 'id'>;
  plans!: EntityTable<PlanRow, 'id'>;
  facts!: EntityTable<FactsRow, 'key'>;
  bodies!: EntityTable<BodyRow, 'key'>;
  failures!: Table<FailureRow, [string, string]>;
  verdicts!: Table<VerdictRow, [string, string]>;
  customs!: EntityTable<CustomSystem, 'id'>;

  constructor(name = 'forage-evaluations', options: ConstructorParameters<typeof Dexie>[1] = {}) {
    super(name, options);
    this.version(1).stores({
      evaluations: 'id, createdAt',
      plans: 'id',
      facts: 'key, policy',
      bodies: 'key',
      failures: '[id+key], id',
      verdicts: '[id+key], id',
      customs: 'id',
    });
  }
}
