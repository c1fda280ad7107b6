import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { assert, asyncProperty, integer } from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { RunStore } from '../../../src/lab/storage/run-store.ts';
import type { RunRecord } from '../../../src/lab/contract/records/runs.ts';
import { emptyRollout } from '../../fixtures/rollouts.ts';
import { runRecord } from '../../fixtures/train-runs.ts';
import { trainStep } from '../../fixtures/train-steps.ts';
import { MemoryBlobs } from './memory-blobs.ts';

const stateAt = (step: number): TrainState => ({
  step,
  updates: step,
  warmedUp: 0,
  logprobsOf: 'sampling',
  adapter: Float32Array.of(step, 0.1, -step),
  first: Float32Array.of(1, 2, 3),
  second: Float32Array.of(4, 5, 6),
  learningRate: null,
  curriculum: { drawn: 8 * step },
  router: null,
  elapsed: step / 3,
});

const pendingAt = (step: number) => ({
  record: trainStep(step),
  rollouts: [emptyRollout(`r-${step}`)],
});

let blobs: MemoryBlobs;
let store: RunStore;
let db: ForageDatabase;

beforeEach(async () => {
  db = new ForageDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
  blobs = new MemoryBlobs();
  store = new RunStore(db, blobs);
  await store.put(runRecord());
});

const commit = (step: number): Promise<void> =>
  store.commit('run-a', stateAt(step), [pendingAt(step)], { step });

const stored = async (): Promise<{
  state: TrainState | null;
  steps: number[];
  notices: string[];
}> => {
  const notices: string[] = [];
  const state = await store.restore('run-a', (line) => notices.push(line));
  return { state, notices, steps: (await store.steps('run-a')).map(({ step }) => step) };
};

/** Changes one byte of the file that holds the tensors of a step. */
function damage(step: number): void {
  const path = [...blobs.files.keys()].find((name) => name.endsWith(`step-${step}.safetensors`))!;
  const bytes = blobs.files.get(path)!;
  bytes[bytes.length - 1]! ^= 1;
}

describe('snapshots', () => {
  it('come back as they were, with steps and rollouts', async () => {
    await commit(1);
    await commit(2);
    expect(await stored()).toEqual({ state: stateAt(2), steps: [1, 2], notices: [] });
    expect(await store.rollouts('run-a', 2)).toEqual([emptyRollout('r-2')]);
    expect((await store.run('run-a')).checkpointStep).toBe(2);
  });

  it('keep the held-out rollouts of a step apart from those that it trained on', async () => {
    const heldOut = [
      { ...emptyRollout('h-0'), step: 0 },
      { ...emptyRollout('h-1'), step: 1 },
    ];
    await store.commit('run-a', stateAt(1), [{ ...pendingAt(1), heldOut }], { step: 1 });
    await commit(2);
    expect((await store.heldOutRollouts('run-a', 0)).map(({ id }) => id)).toEqual(['h-0']);
    expect((await store.heldOutRollouts('run-a', 1)).map(({ id }) => id)).toEqual(['h-1']);
    expect((await store.rollouts('run-a', 1)).map(({ id }) => id)).toEqual(['r-1']);
    // A step that was not scored, as every step that was stored before they were kept.
    expect(await store.heldOutRollouts('run-a', 2)).toEqual([]);
    // A resumed run still has the file, and freeing storage frees it.
    await store.restore('run-a', () => undefined);
    expect(await store.heldOutRollouts('run-a', 1)).toHaveLength(1);
    await store.dropRollouts('run-a');
    expect(await store.heldOutRollouts('run-a', 1)).toEqual([]);
    expect((await store.size('run-a')).rolloutBytes).toBe(0);
  });

  it('keep the last two, and no other files of state', async () => {
    for (let step = 1; step <= 5; step++) await commit(step);
    const states = [...blobs.files.keys()].flatMap((name) => /step-\d+\.\w+$/.exec(name) ?? []);
    expect(states.toSorted()).toEqual([
      'step-4.json',
      'step-4.safetensors',
      'step-5.json',
      'step-5.safetensors',
    ]);
  });

  it('fall back to the one before where the newest is damaged, and say so', async () => {
    await commit(1);
    await commit(2);
    damage(2);
    const { state, steps, notices } = await stored();
    expect(state).toEqual(stateAt(1));
    expect(steps).toEqual([1]);
    expect(notices).toEqual([expect.stringMatching(/step 2 is damaged .*hash.*from step 1/)]);
    await commit(2);
    expect((await stored()).state).toEqual(stateAt(2));
  });

  it('are refused where both are damaged', async () => {
    await commit(1);
    await commit(2);
    damage(1);
    damage(2);
    await expect(stored()).rejects.toThrow(/Both snapshots are damaged/);
  });

  it('drop steps that were told after the last snapshot and are made again', async () => {
    await commit(1);
    await store.commit('run-a', stateAt(3), [pendingAt(2), pendingAt(3)], { step: 3 });
    damage(3);
    expect((await stored()).steps).toEqual([1]);
  });

  it('survive a kill at any write: the state is the last one committed, and nothing is left over', async () => {
    await assert(
      asyncProperty(integer({ min: 0, max: 11 }), async (lives) => {
        db = new ForageDatabase('test', { indexedDB: new IDBFactory(), IDBKeyRange });
        blobs = new MemoryBlobs();
        store = new RunStore(db, blobs);
        await store.put(runRecord());
        blobs.lives = lives;
        let committed = 0;
        try {
          for (let step = 1; step <= 4; step++) {
            await commit(step);
            committed = step;
          }
        } catch (error) {
          expect((error as Error).message).toBe('killed');
        }
        blobs.lives = Infinity;
        // Another life of the page: nothing is remembered but what is stored.
        store = new RunStore(db, blobs);
        const { state, steps } = await stored();
        expect(state).toEqual(committed === 0 ? null : stateAt(committed));
        expect(steps).toEqual(Array.from({ length: committed }, (_, i) => i + 1));
        if (committed > 0) {
          const files = Math.min(committed, 2) * 2 + committed;
          expect(blobs.files.size).toBe(files);
        }
      }),
      { numRuns: 24 },
    );
  });
});

describe('a full disk', () => {
  it('leaves the snapshot before, and says how much is needed and what could be deleted', async () => {
    await commit(1);
    const used = [...blobs.files.values()].reduce((sum, file) => sum + file.length, 0);
    blobs.quota = used + 200;
    await expect(commit(2)).rejects.toThrow(
      /storage is full: this snapshot needs 0\.0 MB more\. .*rollouts of past steps take .*"name of run-a"/,
    );
    expect(await stored()).toMatchObject({ state: stateAt(1), steps: [1] });
    blobs.quota = Infinity;
    await commit(2);
    expect((await stored()).state).toEqual(stateAt(2));
  });

  it('is helped by deleting the rollouts of past steps, which the run does not need', async () => {
    await commit(1);
    await commit(2);
    const before = await store.size('run-a');
    expect(await store.dropRollouts('run-a')).toBe(before.rolloutBytes);
    expect(await store.rollouts('run-a', 1)).toEqual([]);
    expect((await store.size('run-a')).rolloutBytes).toBe(0);
    expect(await stored()).toMatchObject({ state: stateAt(2), steps: [1, 2] });
  });
});

describe('runs', () => {
  it('are purged with all that belongs to them, and nothing of others', async () => {
    await store.put(runRecord('run-b'));
    await commit(1);
    await store.commit('run-b', stateAt(1), [pendingAt(1)], { step: 1 });
    await store.purge('run-a');
    expect((await store.runs()).map(({ id }) => id)).toEqual(['run-b']);
    expect([...blobs.files.keys()].every((path) => path.startsWith('runs/run-b/'))).toBe(true);
    expect(await store.steps('run-a')).toEqual([]);
    expect(await store.lastState('run-b')).toEqual(stateAt(1));
  });

  it('of another version are left out of the list, and stay stored', async () => {
    await db.runs.put({ ...runRecord('run-new'), format: 'forage.run/9' } as unknown as RunRecord);
    expect((await store.runs()).map(({ id }) => id)).toEqual(['run-a']);
    expect(await db.runs.count()).toBe(2);
  });
});

it('keeps how imported questions were split, and refuses a split that is none', async () => {
  const split = { by: 'share', seed: 0, train: 42, dev: 9, test: 9, left: 0 } as const;
  await store.put(runRecord('run-s', { world: { seed: 7, questions: 60, split } }));
  expect((await store.run('run-s'))?.world).toEqual({ seed: 7, questions: 60, split });
  const wrong = runRecord('run-w', {
    world: { seed: 7, questions: 60, split: { ...split, dev: -1 } },
  });
  await expect(store.put(wrong).then(() => store.run('run-w'))).rejects.toThrow(
    /world\.split\.dev/,
  );
});
