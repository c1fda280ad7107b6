import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { assert, asyncProperty, integer } from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { TrainState } from '../../../src/learn/rl/state.ts';
import { ForageDatabase } from '../../../src/lab/storage/database.ts';
import { withinLimit } from '../../../src/lab/storage/stored-adapters.ts';
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

  it('drop steps after the last snapshot, which run again', async () => {
    await commit(1);
    await store.commit('run-a', stateAt(3), [pendingAt(2), pendingAt(3)], { step: 3 });
    damage(3);
    expect((await stored()).steps).toEqual([1]);
  });

  it('survive a kill at any write: the state is the last one committed, and nothing is left over', async () => {
    await assert(
      asyncProperty(integer({ min: 0, max: 15 }), async (lives) => {
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
          // Two files a snapshot, of two; rollouts and adapter of each step.
          const files = Math.min(committed, 2) * 2 + 2 * committed;
          expect(blobs.files.size).toBe(files);
        }
      }),
      { numRuns: 24 },
    );
  });
});

describe('adapters', () => {
  const router = { weights: [0.5, -1] };
  const routed = (step: number): Promise<void> =>
    store.commit('run-a', { ...stateAt(step), router }, [pendingAt(step)], { step });

  it('are kept of every snapshot, with what the router had learned', async () => {
    for (let step = 1; step <= 5; step++) await routed(step);
    expect(await store.adapterSteps('run-a')).toEqual([5, 4, 3, 2, 1]);
    expect(await store.adapterAt('run-a', 2)).toEqual({ adapter: stateAt(2).adapter, router });
    // Another life of the page removes nothing of them.
    expect((await stored()).state?.step).toBe(5);
    expect((await store.adapterAt('run-a', 1)).adapter).toEqual(stateAt(1).adapter);
  });

  it('go with the steps that are made again', async () => {
    await commit(1);
    await commit(2);
    damage(2);
    await stored();
    expect(await store.adapterSteps('run-a')).toEqual([1]);
    const again = { ...stateAt(2), adapter: Float32Array.of(7, 7, 7) };
    await store.commit('run-a', again, [pendingAt(2)], { step: 2 });
    expect((await store.adapterAt('run-a', 2)).adapter).toEqual(again.adapter);
    expect([...blobs.files.keys()].filter((name) => name.includes('adapter-2'))).toHaveLength(1);
  });

  it('are those of the snapshots alone in a run that was stored before they were kept', async () => {
    for (const step of [1, 2, 3]) await commit(step);
    const { adapters: _, ...old } = (await db.pointers.get('run-a'))!;
    await db.pointers.put(old);
    expect(await store.adapterSteps('run-a')).toEqual([3, 2]);
    expect((await store.adapterAt('run-a', 2)).adapter).toEqual(stateAt(2).adapter);
    await expect(store.adapterAt('run-a', 1)).rejects.toThrow(/step 1 is no longer stored/);
    await commit(4);
    expect(await store.adapterSteps('run-a')).toEqual([4, 3]);
  });

  it('can be deleted; what the run continues from stays', async () => {
    for (let step = 1; step <= 4; step++) await commit(step);
    const { adapterBytes, bytes } = await store.size('run-a');
    expect(await store.dropAdapters('run-a')).toBe(adapterBytes);
    expect(await store.size('run-a')).toMatchObject({
      adapterBytes: 0,
      bytes: bytes - adapterBytes,
    });
    expect(await store.adapterSteps('run-a')).toEqual([4, 3]);
    expect((await stored()).state).toEqual(stateAt(4));
  });

  it('are left out where the disk has room for the snapshot alone', async () => {
    await commit(1);
    await commit(2);
    const used = [...blobs.files.values()].reduce((sum, file) => sum + file.length, 0);
    const files = [...blobs.files].filter(([name]) => /[/-](step|rollouts)-2\./.test(name));
    blobs.quota = used + files.reduce((sum, [, file]) => sum + file.length, 0) + 20;
    await commit(3);
    expect(await store.adapterSteps('run-a')).toEqual([3, 2, 1]);
    expect((await store.size('run-a')).adapterBytes).toBeGreaterThan(0);
    expect((await stored()).state).toEqual(stateAt(3));
    expect([...blobs.files.keys()].some((name) => name.includes('adapter-3'))).toBe(false);
  });

  it('are none before anything was learned, and the record says so', async () => {
    const untrained = (step: number): TrainState => ({
      ...stateAt(step),
      warmedUp: 0,
      router: null,
      noUpdate: true,
    });
    for (const step of [1, 2])
      await store.commit('run-a', untrained(step), [pendingAt(step)], { step });
    expect(await store.adapterSteps('run-a')).toEqual([]);
    await expect(store.adapterAt('run-a', 2)).rejects.toThrow(/step 2 is no longer stored/);
    expect((await store.run('run-a')).untrained).toBe(true);
    // It continues from there all the same.
    expect((await stored()).state).toEqual(untrained(2));
    await commit(3);
    expect(await store.adapterSteps('run-a')).toEqual([3]);
    expect('untrained' in (await store.run('run-a'))).toBe(false);
  });

  it('beyond their share of the disk are thinned: unscored ones first, the newest never', () => {
    const file = { path: '', bytes: 10, hash: '' };
    const kept = [1, 2, 3, 4, 5].map((step) => ({
      step,
      scored: step === 1 || step === 3,
      adapter: file,
      router: null,
    }));
    const left = (limit: number) => withinLimit(kept, limit).map(({ step }) => step);
    expect([50, 49, 30, 20, 10, 0].map(left)).toEqual([
      [1, 2, 3, 4, 5],
      [1, 3, 4, 5],
      [1, 3, 5],
      [3, 5],
      [5],
      [5],
    ]);
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
