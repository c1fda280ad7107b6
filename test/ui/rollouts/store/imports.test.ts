import { beforeEach, describe, expect, it } from 'vitest';
import type { ImportOutcome, ImportProgress } from '../../../../src/lab/contract/rollouts.ts';
import {
  cancelImport,
  importDrop,
  importRolloutRuns,
  openOwnRollout,
  openOwnRun,
  reloadFiles,
  reloadRuns,
  reloadViews,
  removeFile,
  removeView,
  restoreFile,
  saveView,
} from '../../../../src/ui/rollouts/store/browse-actions.ts';
import {
  fileById,
  secondsLeft,
  useRollouts,
} from '../../../../src/ui/rollouts/store/rollouts-store.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { fileRecord } from '../views.ts';

const state = () => useRollouts.getState();
const refuse = () => Promise.reject(new Error('disk'));

const connect = (rollouts: Partial<Answers['rollouts']> = {}) =>
  connectFake({ rollouts: { files: () => Promise.resolve([fileRecord('f')]), ...rollouts } });

const run = (name: string, ...texts: string[]) => ({
  name,
  files: texts.map((text, i) => ({ name: `${i}.jsonl`, blob: new Blob([text]) })),
});

const progress = (rest: Partial<ImportProgress> = {}): ImportProgress => ({
  fileId: 'f',
  readBytes: 10,
  bytes: 100,
  rollouts: 1,
  faultCount: 0,
  chunks: 0,
  ...rest,
});

const READY: ImportOutcome = { status: 'ready', file: fileRecord('f') };

let went: string[] = [];
const go = (path: string): void => void went.push(path);

beforeEach(() => {
  stubPage({ path: '/' });
  went = [];
  useRollouts.setState(useRollouts.getInitialState(), true);
});

describe('importing rollouts', () => {
  it('shows a single file as soon as something of it can be read', async () => {
    const outcome = deferred<ImportOutcome>();
    let tell: (progress: ImportProgress) => void = () => undefined;
    connect({
      importFile: (_job, _files, _name, onProgress) => {
        tell = onProgress;
        return outcome.promise;
      },
    });
    importRolloutRuns([run('a.jsonl', '12345')], go);
    expect(went).toEqual(['/rollouts']);
    await settle();
    expect(state().jobs).toMatchObject([{ name: 'a.jsonl', bytes: 5, status: 'reading' }]);
    tell(progress());
    expect(went).toEqual(['/rollouts']);
    tell(progress({ chunks: 1 }));
    tell(progress({ chunks: 2, readBytes: 60 }));
    expect(went).toEqual(['/rollouts', '/rollouts/f']);
    expect(state().jobs[0]?.progress?.readBytes).toBe(60);
    outcome.resolve(READY);
    await settle();
    expect(state()).toMatchObject({ jobs: [], files: [{ id: 'f' }], status: 'ready' });
    expect(went).toHaveLength(2);
  });

  it('shows a small file when it is read', async () => {
    connect({ importFile: () => Promise.resolve(READY) });
    stubPage({ path: '/rollouts/other' });
    importRolloutRuns([run('a.jsonl', 'x')], go);
    await settle();
    expect(went).toEqual(['/rollouts/f']);
  });

  it('reads several one after the other, and stays with the list of files', async () => {
    const first = deferred<ImportOutcome>();
    const fake = connect({
      importFile: (_job, _files, name) => (name === 'a' ? first.promise : Promise.resolve(READY)),
    });
    importRolloutRuns([run('a', 'x'), run('b', 'y')], go);
    await settle();
    expect(state().jobs.map(({ status }) => status)).toEqual(['reading', 'waiting']);
    expect(fake.callsOf('rollouts.importFile')).toHaveLength(1);
    first.resolve(READY);
    await settle();
    expect(fake.callsOf('rollouts.importFile').map(([, , name]) => name)).toEqual(['a', 'b']);
    expect(went).toEqual(['/rollouts']);
    expect(state().jobs).toEqual([]);
  });

  it('says why one could not be read, until it is put away', async () => {
    connect({
      importFile: () => Promise.resolve({ status: 'failed', message: 'No rollout in it.' }),
    });
    importRolloutRuns([run('a', 'x')], go);
    await settle();
    expect(state().jobs).toMatchObject([{ status: 'failed', message: 'No rollout in it.' }]);
    cancelImport(state().jobs[0]?.job ?? '');
    expect(state().jobs).toEqual([]);
    connect({ importFile: refuse });
    importRolloutRuns([run('b', 'x')], go);
    await settle();
    expect(state().jobs[0]?.message).toBe('b could not be read: disk. Nothing from it was stored.');
  });

  it('stops the one that is read, and never begins one that was put away', async () => {
    const first = deferred<ImportOutcome>();
    const fake = connect({ importFile: () => first.promise });
    importRolloutRuns([run('a', 'x'), run('b', 'y')], go);
    await settle();
    const [reading, waiting] = state().jobs.map(({ job }) => job);
    cancelImport(waiting ?? '');
    cancelImport(reading ?? '');
    expect(fake.callsOf('rollouts.cancel')).toEqual([[reading]]);
    // It stays until the lab says that it ended.
    expect(state().jobs.map(({ job }) => job)).toEqual([reading]);
    first.resolve({ status: 'cancelled' });
    await settle();
    expect(state().jobs).toEqual([]);
    expect(fake.callsOf('rollouts.importFile')).toHaveLength(1);
  });

  it('says that a folder holds no rollouts, and what it should hold', () => {
    const fake = connect();
    importRolloutRuns([run('photos')], go);
    expect(state().problem).toMatch(/^The folder photos has no rollout files \(\.jsonl/);
    expect(fake.callsOf('rollouts.importFile')).toEqual([]);
    importDrop(Promise.reject(new Error('gone')), go);
    return settle().then(() =>
      expect(state().problem).toBe('The dropped files could not be read: gone'),
    );
  });

  it('opens the rollouts of a training run, read again each time', async () => {
    const fake = connect({ importRun: () => Promise.resolve(READY) });
    openOwnRun('run-a', 'mine', go);
    expect(state().jobs).toMatchObject([{ name: 'run mine' }]);
    await settle();
    expect(went).toEqual(['/rollouts', '/rollouts/f']);
    expect(fake.callsOf('rollouts.importRun')[0]?.[1]).toBe('run-a');
  });
});

describe('the list of files', () => {
  it('is there once it was read; a failure is one sentence', async () => {
    connect();
    await reloadFiles();
    expect(state()).toMatchObject({ status: 'ready' });
    expect(fileById(state(), 'f')?.name).toBe('f.jsonl');
    expect(fileById(state(), 'g')).toBeUndefined();
    connect({ files: refuse });
    await reloadFiles();
    expect(state()).toMatchObject({
      status: 'failed',
      problem: 'The list of files could not be read: disk',
    });
  });

  it('deletes without asking, and brings back', async () => {
    const fake = connect();
    await removeFile('f', 'f.jsonl');
    expect(state().removed).toMatchObject([{ id: 'f', name: 'f.jsonl' }]);
    await restoreFile('f');
    expect(state().removed).toEqual([]);
    expect(fake.callsOf('rollouts.restore')).toEqual([['f']]);
  });

  it('keeps the way back where it fails', async () => {
    connect({ remove: refuse });
    await removeFile('f', 'f.jsonl');
    expect(state()).toMatchObject({ removed: [], problem: 'The file could not be deleted: disk' });
    connect({ restore: refuse });
    await removeFile('f', 'f.jsonl');
    await restoreFile('f');
    expect(state().removed).toHaveLength(1);
    expect(state().problem).toBe('The file could not be restored: disk');
  });
});

it('one rollout of a run opens once the run is read, and not where that fails', async () => {
  const outcome = deferred<ImportOutcome>();
  connect({
    importRun: (_job, _id, onProgress) => {
      onProgress(progress({ fileId: 'run-a', chunks: 1 }));
      return outcome.promise;
    },
  });
  openOwnRollout({ kind: 'run', id: 'a', name: 'A' }, '/rollouts/run-a/r7?find=fox', go);
  await settle();
  // The part that is there need not hold it.
  expect(went).toEqual([]);
  outcome.resolve(READY);
  await settle();
  expect(went).toEqual(['/rollouts/run-a/r7?find=fox']);

  connect({ importRun: () => Promise.resolve({ status: 'failed', message: 'no such run' }) });
  openOwnRollout({ kind: 'run', id: 'a', name: 'A' }, '/rollouts/run-a/r8', go);
  await settle();
  expect(went).toHaveLength(1);
  expect(state().jobs).toMatchObject([{ status: 'failed', message: 'no such run' }]);
});

describe('views and runs', () => {
  const view = { name: 'wrong', filter: 'em = 0', columns: [], sort: null };

  it('are what the lab has, also after one was saved or removed', async () => {
    const fake = connect({
      views: () => Promise.resolve([view]),
      ownRuns: () => Promise.resolve([{ id: 'a', name: 'A', step: 1, updatedAt: '' }]),
    });
    await saveView(view);
    await removeView('old');
    await reloadRuns();
    expect(state()).toMatchObject({ views: [view], ownRuns: [{ id: 'a' }], problem: null });
    expect(fake.callsOf('rollouts.saveView')).toEqual([[view]]);
    expect(fake.callsOf('rollouts.removeView')).toEqual([['old']]);
  });

  it.each<[string, Partial<Answers['rollouts']>, () => Promise<void>, string]>([
    ['saved', { saveView: refuse }, () => saveView(view), 'The view could not be saved: disk'],
    [
      'removed',
      { removeView: refuse },
      () => removeView('a'),
      'The view could not be removed: disk',
    ],
    ['read', { views: refuse }, reloadViews, 'The saved views could not be read: disk'],
    [
      'listed',
      { ownRuns: refuse },
      reloadRuns,
      'The list of training runs could not be read: disk',
    ],
  ])('that cannot be %s say so', async (_, answers, act, words) => {
    connect(answers);
    await act();
    expect(state().problem).toBe(words);
  });
});

it('tells the time to the end of an import by the rate so far', () => {
  // 25 of 100 bytes in 2 s: the other 75 take 6 s.
  expect(secondsLeft({ readBytes: 25, bytes: 100 }, 1000, 3000)).toBe(6);
  expect(secondsLeft({ readBytes: 0, bytes: 100 }, 1000, 3000)).toBeNull();
});
