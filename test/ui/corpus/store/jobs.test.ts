import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type { ImportOutcome, MergeOutcome } from '../../../../src/lab/contract/collections.ts';
import {
  cancelJob,
  dismissImport,
  fileOf,
  mergeCollections,
  offerFiles,
  offerUrl,
  resumeFromUrl,
  resumeImport,
  startImport,
} from '../../../../src/ui/corpus/store/collections-actions.ts';
import { useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { searchCollections, askQuestionsOf } from '../../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { collection, importProgress, importRecord } from '../views.ts';

const state = () => useCollections.getState();

const connect = (collections: Partial<Answers['collections']> = {}) =>
  connectFake({ collections: { list: () => Promise.resolve([collection('a')]), ...collections } });

const ready = (rest: Partial<ReturnType<typeof collection>> = {}): ImportOutcome => ({
  status: 'ready',
  collection: collection('a', { name: 'wiki', ...rest }),
  failed: [],
});

const offer = (...names: string[]): void =>
  offerFiles(
    names.map((name) => ({ file: new File(['12345'], name), name, origin: { kind: 'file' } })),
  );

beforeEach(() => {
  stubPage();
  useCollections.setState(useCollections.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('an import', () => {
  it('stores what was offered, shows how far it is, and tells what it holds', async () => {
    const fake = connect({
      importFiles: (_job, _into, _files, onProgress) => {
        onProgress(importProgress({ readBytes: 3, totalBytes: 5 }));
        expect(state().job).toMatchObject({ kind: 'import', name: 'wiki', done: 3, total: 5 });
        return Promise.resolve(ready({ passages: 1, questions: 0, duplicates: 2, rejected: 1 }));
      },
    });
    offer('wiki.jsonl');
    expect(await startImport()).toBe('a');
    expect(state()).toMatchObject({ job: null, pending: null, status: 'ready', problem: null });
    expect(state().notice).toBe('“wiki” holds 1 passage, 2 duplicates left out, 1 item rejected.');
    const [call] = fake.callsOf('collections.importFiles');
    expect(call?.slice(0, 2)).toEqual(['collections', { name: 'wiki' }]);
    expect(call?.[2]).toMatchObject([{ name: 'wiki.jsonl', choice: {} }]);
  });

  it('goes into the chosen collection; a blank name is refused', async () => {
    const fake = connect({ importFiles: () => Promise.resolve(ready()) });
    offer('a.jsonl');
    useCollections.setState(({ pending }) => ({ pending: pending && { ...pending, into: 'c' } }));
    await startImport();
    offer('b.jsonl');
    useCollections.setState(({ pending }) => ({ pending: pending && { ...pending, name: ' ' } }));
    await startImport();
    expect(fake.callsOf('collections.importFiles').map(([, into]) => into)).toEqual([
      { id: 'c' },
      { name: 'Collection' },
    ]);
  });

  it('reads several files as each is, and only one as it was chosen', async () => {
    const fake = connect({ importFiles: () => Promise.resolve(ready()) });
    const format = { container: 'jsonl', schema: 'qa', kind: 'questions' } as const;
    for (const names of [['a.jsonl'], ['a.jsonl', 'b.jsonl']]) {
      offer(...names);
      useCollections.setState(({ pending }) => ({
        pending: pending && { ...pending, choice: { format, contexts: false } },
      }));
      await startImport();
    }
    const choices = fake
      .callsOf('collections.importFiles')
      .map(([, , files]) => (files as { choice: object }[]).map(({ choice }) => choice));
    expect(choices).toEqual([
      [{ format, contexts: false }],
      [{ contexts: false }, { contexts: false }],
    ]);
  });

  it.each<[string, ImportOutcome, { notice?: string; text?: string; detail?: string }]>([
    [
      'stopped',
      { status: 'cancelled' },
      { notice: 'Stopped. What was imported so far is kept; you can resume it.' },
    ],
    [
      'of no use',
      { status: 'failed', reason: 'full', message: 'The storage is full.' },
      { text: 'The storage is full.', detail: 'full' },
    ],
    [
      'without one of the files',
      {
        ...ready(),
        failed: [
          { name: 'x.csv', reason: 'no header' },
          { name: 'y', reason: 'empty' },
        ],
      } as ImportOutcome,
      {
        notice: '“wiki” holds 3 passages and 2 questions.',
        text: '2 files could not be read: x.csv: no header',
        detail: 'x.csv: no header\ny: empty',
      },
    ],
  ])('that was %s says so', async (_, outcome, { notice, text, detail }) => {
    connect({ importFiles: () => Promise.resolve(outcome) });
    offer('wiki.jsonl');
    await startImport();
    expect(state().notice).toBe(notice ?? null);
    expect(state().problem).toEqual(text === undefined ? null : { text, detail });
    expect(state().job).toBeNull();
  });

  it('that breaks says that what was imported stays', async () => {
    connect({ importFiles: () => Promise.reject(new Error('the worker died')) });
    offer('wiki.jsonl');
    expect(await startImport()).toBeNull();
    expect(state().problem?.text).toBe(
      'The import stopped; what was imported so far is kept: the worker died',
    );
    expect(state()).toMatchObject({ job: null, status: 'ready' });
  });

  it('is one at a time: another waits until it was stopped or is done', async () => {
    const outcome = deferred<ImportOutcome>();
    const fake = connect({ importFiles: () => outcome.promise });
    offer('first.jsonl');
    const first = startImport();
    offer('second.jsonl');
    expect(await startImport()).toBeNull();
    expect(await mergeCollections(['a', 'b'])).toBeNull();
    await resumeImport(importRecord(), new Blob());
    expect(state().problem?.text).toBe(
      '“first” is still being imported: wait until it is done, or cancel it.',
    );
    expect(state().pending?.name).toBe('second');
    cancelJob();
    expect(state().job?.cancelling).toBe(true);
    expect(fake.callsOf('collections.cancel')).toEqual([['collections']]);
    outcome.resolve({ status: 'cancelled' });
    await first;
    expect(fake.callsOf('collections.importFiles')).toHaveLength(1);
  });

  it('resumes a stopped import with the file of this visit', async () => {
    const fake = connect({ importFiles: () => Promise.resolve({ status: 'cancelled' }) });
    const record = importRecord({ name: 'again.jsonl', bytes: 5, readBytes: 2 });
    expect(fileOf(record)).toBeUndefined();
    offer('again.jsonl');
    await startImport();
    const file = fileOf(record);
    expect(file?.size).toBe(5);
    // One of another size is another file.
    expect(fileOf({ ...record, bytes: 6 })).toBeUndefined();
    const resuming = resumeImport(record, file ?? new Blob());
    expect(state().job).toMatchObject({ done: 2, startedDone: 2, total: 5 });
    await resuming;
    expect(fake.callsOf('collections.resumeImport')[0]?.slice(0, 3)).toEqual([
      'collections',
      record.id,
      file,
    ]);
    await dismissImport(record);
    expect(fake.callsOf('collections.dismissImport')).toEqual([['i']]);
  });
});

describe('a merge', () => {
  const two = [collection('a', { name: 'A' }), collection('b', { name: 'B' })];
  const merged: MergeOutcome = { status: 'ready', collection: collection('ab') };

  it('makes one of several, uses it as they were used, and lets them come back', async () => {
    const fake = connect({ merge: () => Promise.resolve(merged) });
    useCollections.setState({ collections: two });
    searchCollections(['a', 'x']);
    askQuestionsOf(['b']);
    expect(await mergeCollections(['a', 'b'])).toBe('ab');
    expect(fake.callsOf('collections.merge')[0]?.slice(0, 3)).toEqual([
      'collections',
      ['a', 'b'],
      'A + B',
    ]);
    expect(useSetup.getState().setup).toMatchObject({
      local: { kind: 'collections', ids: ['x', 'ab'] },
      questions: { kind: 'collections', ids: ['ab'] },
    });
    expect(state().removed.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'A'],
      ['b', 'B'],
    ]);
    expect(state().job).toBeNull();
  });

  it.each<[string, () => Promise<MergeOutcome>, string | null]>([
    ['stopped', () => Promise.resolve({ status: 'cancelled' }), null],
    [
      'refused',
      () =>
        Promise.resolve({ status: 'failed', reason: 'busy', message: 'Another tab writes it.' }),
      'Nothing was merged: Another tab writes it.',
    ],
    ['broken', () => Promise.reject(new Error('gone')), 'Nothing was merged: gone'],
  ])('that was %s changes nothing', async (_, merge, words) => {
    connect({ merge });
    useCollections.setState({ collections: two });
    searchCollections(['a']);
    expect(await mergeCollections(['a', 'b'])).toBeNull();
    expect(state().problem?.text ?? null).toBe(words);
    expect(state().removed).toEqual([]);
    expect(useSetup.getState().setup.local).toMatchObject({ ids: ['a'] });
  });
});

describe('an address', () => {
  const answer = (response: () => Promise<Response>) => vi.stubGlobal('fetch', vi.fn(response));

  it('is fetched and offered like a file, with where it came from', async () => {
    connect();
    answer(() => Promise.resolve(new Response('{"a":1}')));
    const url = 'https://a.example/sets/qa%20small.jsonl';
    expect(await offerUrl(url)).toBe(true);
    expect(state().pending).toMatchObject({
      name: 'qa small',
      files: [{ name: 'qa small.jsonl', origin: { kind: 'url', url } }],
    });
    expect(state().job).toBeNull();
  });

  it('that cannot be fetched says why', async () => {
    connect();
    answer(() => Promise.resolve(new Response('', { status: 404 })));
    expect(await offerUrl('https://a.example/x')).toBe(false);
    expect(state().problem?.text).toContain('The file was not fetched: a.example answered 404');
    expect(state()).toMatchObject({ job: null, pending: null });
  });

  it('that is stopped is no problem', async () => {
    connect();
    vi.stubGlobal(
      'fetch',
      (_url: URL, { signal }: RequestInit) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason as Error));
        }),
    );
    const fetching = offerUrl('https://a.example/x.jsonl');
    expect(state().job).toMatchObject({ kind: 'fetch', name: 'https://a.example/x.jsonl' });
    cancelJob();
    expect(await fetching).toBe(false);
    expect(state()).toMatchObject({ problem: null, job: null });
  });

  it('resumes an import with its own file', async () => {
    const fake = connect({ resumeImport: () => Promise.resolve(ready()) });
    answer(() => Promise.resolve(new Response('12345')));
    await resumeFromUrl(importRecord(), 'https://a.example/wiki.jsonl');
    await settle();
    expect(fake.callsOf('collections.resumeImport')[0]?.[1]).toBe('i');
  });
});
