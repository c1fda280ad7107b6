import { expect, it } from 'vitest';
import type {
  DownloadProgress,
  CheckpointMessage,
  CheckpointView,
  PlanView,
} from '../../../../src/lab/contract/checkpoints.ts';
import { factsOf } from '../../../../src/lab/models/checkpoints/facts.ts';
import {
  applyCheckpointMessage,
  EMPTY_CHECKPOINTS,
  sameCheckpoint,
} from '../../../../src/ui/models/store/models-store.ts';

const view = (change: Partial<CheckpointView>): CheckpointView => ({
  id: 'a',
  name: 'A',
  source: { kind: 'folder', name: 'tiny' },
  revision: null,
  config: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  readyAt: null,
  failure: null,
  deletedAt: null,
  state: 'downloading',
  facts: factsOf({}),
  files: [],
  doneBytes: 0,
  totalBytes: 10,
  ...change,
});

const progress = (id: string): DownloadProgress => ({
  id,
  file: 'model.safetensors',
  doneBytes: 4,
  totalBytes: 10,
  bytesPerSecond: 2,
  secondsLeft: 3,
  waiting: null,
});

it('keeps progress of downloads that run, here or in another tab, and drops it when they end', () => {
  const list = (state: CheckpointView['state']): CheckpointMessage => ({
    type: 'list',
    checkpoints: [view({ state })],
  });
  let state = applyCheckpointMessage(EMPTY_CHECKPOINTS, list('downloading'));
  state = applyCheckpointMessage(state, { type: 'progress', progress: progress('a') });
  for (const running of ['downloading', 'elsewhere'] as const) {
    state = applyCheckpointMessage(state, list(running));
    expect(state.progress.a?.secondsLeft).toBe(3);
  }
  for (const ended of ['paused', 'ready'] as const)
    expect(applyCheckpointMessage(state, list(ended)).progress).toEqual({});
});

it('knows a checkpoint that is here already: one place at one state', () => {
  const plan = (bytes: number, name = 'tiny'): PlanView => ({
    plan: {
      source: { kind: 'folder', name },
      revision: null,
      title: name,
      files: [{ name: 'config.json', bytes, exact: true, sha256: null, url: null }],
      config: {},
    },
    ggufs: [],
    facts: factsOf({}),
    bytes,
    unknownSizes: 0,
    freeBytes: null,
  });
  const here = [view({})];
  expect(sameCheckpoint(here, plan(10))?.id).toBe('a');
  expect(sameCheckpoint(here, plan(11))).toBe(undefined);
  expect(sameCheckpoint(here, plan(10, 'other'))).toBe(undefined);
});
