import { beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import {
  dismissNotice,
  dismissProblem,
  exportCollection,
  purgeRemoved,
  readCollections,
  removeCollections,
  renameCollection,
  restoreCollection,
  saveRejected,
} from '../../../../src/ui/corpus/store/collections-actions.ts';
import { secondsLeft, useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { countWords } from '../../../../src/ui/corpus/store/count-words.ts';
import { askQuestionsOf, searchCollections } from '../../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { connectFake, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { collection } from '../views.ts';

const state = () => useCollections.getState();
const setup = () => useSetup.getState().setup;
const refuse = () => Promise.reject(new Error('in use'));

const connect = (collections: Partial<Answers['collections']> = {}) =>
  connectFake({ collections: { list: () => Promise.resolve([collection('a')]), ...collections } });

/** Files that the page hands to the browser. */
const saved = (): { name: string; blob: Blob }[] => {
  const files: { name: string; blob: Blob }[] = [];
  const link = { href: '', download: '', click: () => undefined };
  vi.stubGlobal('document', { createElement: () => link });
  vi.stubGlobal('URL', {
    createObjectURL: (blob: Blob) => {
      // The name is set after the address, before the click.
      link.click = () => void files.push({ name: link.download, blob });
      return 'blob:1';
    },
    revokeObjectURL: () => undefined,
  });
  return files;
};

beforeEach(() => {
  stubPage();
  vi.useRealTimers();
  useCollections.setState(
    { ...useCollections.getInitialState(), collections: [collection('a'), collection('b')] },
    true,
  );
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('the list', () => {
  it('is there once it was read, and says why it is not', async () => {
    connect();
    await readCollections();
    expect(state()).toMatchObject({ status: 'ready', collections: [collection('a')] });
    connect({ list: refuse });
    await readCollections();
    expect(state().status).toBe('failed');
    expect(state().problem?.text).toBe('The collections could not be read: in use');
    // What was read before is still shown.
    expect(state().collections).toHaveLength(1);
    useCollections.setState({ notice: 'done' });
    dismissProblem();
    dismissNotice();
    expect(state()).toMatchObject({ problem: null, notice: null });
  });

  it('is read again after a new name, whether it was taken or not', async () => {
    const fake = connect({ rename: refuse });
    await renameCollection('a', 'new');
    expect(state().problem?.text).toBe('The collection could not be renamed: in use');
    expect(fake.callsOf('collections.list')).toHaveLength(1);
    connect();
    await renameCollection('a', 'new');
  });
});

describe('deleting', () => {
  it('asks nothing, and says what can be brought back; runs do without it', async () => {
    const fake = connect();
    searchCollections(['a', 'b']);
    askQuestionsOf(['a']);
    await removeCollections(['a', 'unknown', 'b']);
    expect(fake.callsOf('collections.remove')).toEqual([['a'], ['b']]);
    expect(state().removed.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(setup()).toMatchObject({ local: { kind: 'built-in' }, questions: { kind: 'built-in' } });
  });

  it('brings back, used as before where nothing else was chosen', async () => {
    const fake = connect();
    searchCollections(['a']);
    askQuestionsOf(['a']);
    await removeCollections(['a']);
    await restoreCollection('a');
    expect(fake.callsOf('collections.restore')).toEqual([['a']]);
    expect(state().removed).toEqual([]);
    expect(setup()).toMatchObject({
      local: { kind: 'collections', ids: ['a'] },
      questions: { kind: 'collections', ids: ['a'] },
    });
  });

  it('that is refused leaves all as it was', async () => {
    connect({ remove: (id) => (id === 'a' ? refuse() : Promise.resolve()) });
    searchCollections(['a', 'b']);
    await removeCollections(['a', 'b']);
    expect(state().problem?.text).toBe('“name of a” could not be deleted: in use');
    expect(state().removed.map(({ id }) => id)).toEqual(['b']);
    expect(setup().local).toMatchObject({ ids: ['a'] });
  });

  it('does not use again what could not be brought back', async () => {
    connect({ restore: refuse });
    searchCollections(['a']);
    await removeCollections(['a']);
    await restoreCollection('a');
    expect(state().problem?.text).toBe('The collection could not be restored: in use');
    expect(setup().local).toEqual({ kind: 'built-in' });
    // It can be tried again, and is then used as before.
    expect(state().removed.map(({ id }) => id)).toEqual(['a']);
    connect();
    await restoreCollection('a');
    expect(state().removed).toEqual([]);
    expect(setup().local).toMatchObject({ ids: ['a'] });
  });

  it('for good frees the space of all that was deleted', async () => {
    const fake = connect();
    await removeCollections(['a']);
    await purgeRemoved();
    expect(fake.callsOf('collections.purge')).toEqual([[]]);
    expect(state().removed).toEqual([]);
  });
});

describe('exporting', () => {
  it('saves a file of the collection’s name and kind', async () => {
    connect({ exportJsonl: (id, kind) => Promise.resolve(new Blob([`${id} ${kind}`])) });
    const files = saved();
    await exportCollection('a', 'My Wiki, 2', 'passages');
    expect(files.map(({ name }) => name)).toEqual(['my-wiki-2-passages.jsonl']);
    expect(await files[0]?.blob.text()).toBe('a passages');
  });

  it('saves what was rejected, one line each, with its file', async () => {
    const item = { item: 0, line: 3, key: 'text', expected: 'a text' };
    connect({
      rejected: () =>
        Promise.resolve([
          { name: 'x.jsonl', items: [item] },
          { name: 'y.jsonl', items: [{ ...item, line: 9 }] },
        ]),
    });
    const files = saved();
    await saveRejected('a', 'wiki');
    expect(files[0]?.name).toBe('wiki-rejected.jsonl');
    const lines = (await files[0]?.blob.text())?.trim().split('\n') ?? [];
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      { file: 'x.jsonl', ...item },
      { file: 'y.jsonl', ...item, line: 9 },
    ]);
  });

  it('that fails saves nothing', async () => {
    connect({ exportJsonl: refuse });
    const files = saved();
    await exportCollection('a', 'wiki', 'questions');
    expect(files).toEqual([]);
    expect(state().problem?.text).toBe('The collection could not be exported: in use');
  });
});

describe('words and times', () => {
  it.each([
    [1, 1, '1 passage and 1 question'],
    [994, 100, '994 passages and 100 questions'],
    [1200, 0, '1,200 passages'],
    [0, 2, '2 questions'],
    [0, 0, 'nothing'],
  ])('%i and %i are %s', (passages, questions, words) => {
    expect(countWords(passages, questions)).toBe(words);
  });

  it('counts what was there before for nothing', () => {
    const job = {
      startedAt: 0,
      startedDone: 900,
      done: 950,
      total: 1000,
      progress: null,
      cancelling: false,
    };
    // 50 in 10 s: the other 50 take 10 s.
    expect(secondsLeft(job, 10_000)).toBe(10);
    expect(secondsLeft({ ...job, done: 1000 }, 10_000)).toBe(0);
    expect(secondsLeft({ ...job, done: 800 }, 10_000)).toBeNull();
  });
});
