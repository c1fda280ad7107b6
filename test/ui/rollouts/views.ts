import type { FileRecord } from '../../../src/lab/contract/records/rollout-files.ts';
import type { MatchingRow, BrowseResult } from '../../../src/lab/contract/rollouts.ts';
import { rowOf, type RolloutRow } from '../../../src/evaluate/rollouts/row.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';

/** Records of imported rollouts, as the lab tells them. */

export const fileRecord = (id: string, rest: Partial<FileRecord> = {}): FileRecord => ({
  id,
  name: `${id}.jsonl`,
  bytes: 1000,
  readBytes: 1000,
  importedAt: '2026-01-01T00:00:00.000Z',
  status: 'ready',
  layouts: {},
  rollouts: 3,
  faultCount: 0,
  faults: [],
  statistics: null,
  lint: {},
  deletedAt: null,
  ...rest,
});

const ROW = rowOf({ ...emptyRollout('r'), layout: 'forage' } as unknown as Parameters<
  typeof rowOf
>[0]);

export const foundRow = (position: number, rest: Partial<RolloutRow> = {}): MatchingRow => ({
  position,
  chunk: 0,
  index: position,
  line: position + 1,
  row: { ...ROW, id: `r${position}`, ...rest },
});

/** A selection of rows in the order of these positions. */
export const selection = (...order: number[]): BrowseResult =>
  ({
    total: 10,
    order: Uint32Array.from(order),
    groups: [],
    outcomes: {},
    lint: {},
    clauses: [],
    empty: [],
    runs: 1,
    unknown: [],
  }) as unknown as BrowseResult;
