import { factsOf } from '../../../src/lab/models/checkpoints/facts.ts';
import type { CheckpointView, PlanView } from '../../../src/lab/contract/checkpoints.ts';

/** Records of checkpoints, as the lab tells them. */

export const checkpoint = (id: string, rest: Partial<CheckpointView> = {}): CheckpointView => ({
  id,
  name: `name of ${id}`,
  source: { kind: 'folder', name: 'tiny' },
  revision: null,
  config: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  readyAt: null,
  failure: null,
  deletedAt: null,
  state: 'ready',
  facts: factsOf({}),
  files: [],
  doneBytes: 4_000_000,
  totalBytes: 10_000_000,
  ...rest,
});

export const planView = (rest: Partial<PlanView> = {}, title = 'tiny'): PlanView => ({
  plan: {
    source: { kind: 'folder', name: title },
    revision: null,
    title,
    files: [{ name: 'config.json', bytes: 700, exact: true, sha256: null, url: null }],
    config: {},
  },
  ggufs: [],
  facts: factsOf({}),
  bytes: 700,
  unknownSizes: 0,
  freeBytes: null,
  ...rest,
});
