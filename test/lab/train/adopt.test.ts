import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { existsSync, readFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import { TabLocks } from '../models/checkpoints/tab-locks.ts';
import { EXPERIMENT, type AdoptFile } from '../../../src/handover/adopt/folder.ts';
import { openArchive } from '../../../src/handover/adopt/open-archive.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import { metricsCsv } from '../../../src/lab/train/downloads.ts';
import { groupRollouts } from '../../../src/ui/ask/store/rollout-groups.ts';
import { adoptRun } from '../../../src/lab/train/adopt.ts';
import { getTraining } from '../../../src/systems/index.ts';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import {
  ARCHIVE,
  config,
  filesOf,
  returned,
  REVISION,
  without,
} from '../../handover/adopt/returned.ts';
import { MemoryBlobs } from '../storage/memory-blobs.ts';

/** A cluster's folder in storage: all of it, or nothing. */

const REASON = new Error('cancelled by its user');

let blobs: MemoryBlobs;
let store: RunStore;
beforeEach(() => {
  const db = new ForageDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  blobs = new MemoryBlobs();
  store = new RunStore(db, blobs);
});

/** Takes a folder in, TRL's by default. @param progress what is done at each step that is stored */
const take = (
  progress: (done: number, abort: () => void) => void = () => undefined,
  files: AdoptFile[] = [{ path: 'x.tar.gz', blob: new Blob([readFileSync(ARCHIVE)]) }],
) => {
  const controller = new AbortController();
  const facts = {
    id: 'policy',
    revision: REVISION,
    config,
    stored: 'f16' as const,
    engines: 1,
    open: () => Promise.reject(new Error('weights were asked for')),
  };
  return adoptRun(
    {
      store,
      locks: new TabLocks(),
      policies: () => Promise.resolve([BUILT_IN_SETUP.policy]),
      policy: () => Promise.resolve(facts),
      device: 'wasm',
    },
    files,
    {
      onProgress: (done) => progress(done, () => controller.abort(REASON)),
      signal: controller.signal,
    },
  );
};

test('all of it', async () => {
  const told: number[] = [];
  const run = await take((done) => told.push(done));
  expect(told).toEqual([0, 1]);
  expect((await store.runs()).map(({ id, deletedAt }) => [id, deletedAt])).toEqual([
    [run.id, null],
  ]);
  expect((await store.steps(run.id)).map(({ step }) => step)).toEqual([1, 2]);
  expect(await store.rollouts(run.id, 2)).toHaveLength(8);
});

/** What is read of a run's steps is there, and its rewards are unknown. */
async function expectUnknownRewards(files: AdoptFile[]): Promise<RunRecord> {
  const run = await take(undefined, files);
  const steps = await store.steps(run.id);
  expect(steps.length).toBeGreaterThan(0);
  for (const { step, reward, zeroVarianceGroups, em } of steps) {
    expect(reward).toEqual({ mean: null, std: null, clauses: {} });
    expect(zeroVarianceGroups).toBeNull();
    expect(em).not.toBeNull();
    const rollouts = await store.rollouts(run.id, step);
    expect(rollouts.length).toBeGreaterThan(0);
    for (const one of rollouts) expect([one.reward, one.advantage]).toEqual([null, null]);
    for (const group of groupRollouts(rollouts)) expect(group.mean).toBeNull();
  }
  expect(run.notice).toContain('No rollout has a reward');
  expect(metricsCsv(steps).split('\n')).toHaveLength(steps.length + 2);
  return run;
}

test('rollouts without rewards make a run whose steps can be read', async () => {
  const files = without(await returned(), /trainer_state|checkpoint-1/);
  const lines = String(files['rollouts.jsonl']).trim().split('\n');
  const bare = lines.map((line) => {
    const unrewarded = { rewards: [], reward: null, advantage: null, baseline: null };
    return JSON.stringify({ ...(JSON.parse(line) as object), ...unrewarded });
  });
  await expectUnknownRewards(filesOf({ ...files, 'rollouts.jsonl': bare.join('\n') }));
});

const HOSTILE = '../shared/data/cases/23-hostile/adopt-without-rewards.tar';

/** Its settings are those of an earlier version of Forage: it gets the same recipe's of today. */
test.skipIf(!existsSync(HOSTILE))('a folder whose cluster gave no rewards', async () => {
  const name = 'adopt-without-rewards.tar';
  const files = (await openArchive(name, new Blob([readFileSync(HOSTILE)])))!;
  const at = files.findIndex(({ path }) => path === EXPERIMENT);
  const experiment = JSON.parse(await files[at]!.blob.text()) as Record<string, unknown>;
  const text = JSON.stringify({ ...experiment, settings: getTraining('search/grpo') });
  const today = files.with(at, { path: EXPERIMENT, blob: new Blob([text]) });
  expect((await expectUnknownRewards(today)).step).toBe(1);
});

test.each([0, 1])('cancelled with %s of 2 steps stored, nothing is left', async (at) => {
  const cancelled = take((done, abort) => {
    if (done === at) abort();
  });
  await expect(cancelled).rejects.toBe(REASON);
  expect(await store.runs()).toEqual([]);
  expect([...blobs.files.keys()]).toEqual([]);
});
