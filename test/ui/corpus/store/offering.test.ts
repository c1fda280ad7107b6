import { beforeEach, describe, expect, it } from 'vitest';
import type { PreviewOutcome } from '../../../../src/lab/contract/collections.ts';
import {
  changeChoice,
  changePending,
  dropPending,
  offerFiles,
} from '../../../../src/ui/corpus/store/collections-actions.ts';
import { useCollections, type NewFile } from '../../../../src/ui/corpus/store/collections-store.ts';
import { connectFake, deferred, settle, stubPage, type ConnectedLab } from '../../lab/fake-lab.ts';
import { preview } from '../views.ts';

const newFile = (name: string): NewFile => ({
  file: new File(['{}'], name),
  name,
  origin: { kind: 'file' },
});

const state = () => useCollections.getState();

beforeEach(() => {
  stubPage();
  useCollections.setState(useCollections.getInitialState(), true);
});

describe('files that are newFile', () => {
  it('are looked at before anything is stored', async () => {
    const fake = connectFake({ collections: { preview: () => Promise.resolve(preview()) } });
    const file = newFile('data/wiki.v2.jsonl');
    useCollections.setState({ problem: { text: 'old', detail: '' }, notice: 'old' });
    offerFiles([file]);
    expect(state().pending).toMatchObject({ name: 'wiki.v2', into: null, preview: null, shown: 0 });
    expect(state()).toMatchObject({ problem: null, notice: null });
    await settle();
    expect(state().pending?.preview).toEqual(preview());
    expect(fake.callsOf('collections.preview')).toEqual([
      ['collections-preview', file.file, file.name, {}],
    ]);
    expect(fake.callsOf('collections.importFiles')).toEqual([]);
  });

  it.each([
    ['/home/me/wiki.jsonl', undefined, 'wiki'],
    [String.raw`C:\data\wiki.csv`, undefined, 'wiki'],
    ['README', undefined, 'README'],
    ['.jsonl', undefined, 'Collection'],
    [`${'x'.repeat(300)}.md`, undefined, 'x'.repeat(100)],
    ['a.jsonl', 'my folder', 'my folder'],
  ])('%s makes a collection of a name of its own', (name, folder, wanted) => {
    connectFake();
    offerFiles([newFile(name)], 0, folder);
    expect(state().pending?.name).toBe(wanted);
  });

  it.each([
    [0, 'Nothing there can be read. Expected .json, .jsonl,'],
    [1, 'Nothing in the 1 file there can be read.'],
    [1200, 'Nothing in the 1,200 files there can be read.'],
  ])('that cannot be read, %i of them, are said to be so, with what can be', (leftOut, words) => {
    connectFake();
    offerFiles([], leftOut);
    expect(state().problem?.text).toContain(words);
    expect(state().pending).toBeNull();
  });

  it('are taken away again', () => {
    const fake = connectFake();
    offerFiles([newFile('a.jsonl')]);
    dropPending();
    expect(state().pending).toBeNull();
    expect(fake.callsOf('collections.cancel')).toEqual([['collections-preview']]);
    // Nothing is newFile, so that nothing can be chosen about it.
    changePending({ name: 'x' });
    changeChoice({ contexts: false });
    expect(state().pending).toBeNull();
  });
});

describe('a preview', () => {
  let answers: ReturnType<typeof deferred<PreviewOutcome>>[] = [];
  let fake: ConnectedLab;

  beforeEach(() => {
    answers = [];
    fake = connectFake({
      collections: {
        preview: () => {
          const answer = deferred<PreviewOutcome>();
          answers.push(answer);
          return answer.promise;
        },
      },
    });
    offerFiles([newFile('a.jsonl'), newFile('b.jsonl')]);
  });

  const of = (key: string): PreviewOutcome => preview({}, [key]);
  const shown = () => state().pending?.preview;

  it('is made again for another file and for another way to read, not for another name', async () => {
    changePending({ shown: 1 });
    changeChoice({ contexts: false });
    changePending({ name: 'x', into: 'c' });
    expect(fake.callsOf('collections.preview').map(([, , name, choice]) => [name, choice])).toEqual(
      [
        ['a.jsonl', {}],
        ['b.jsonl', {}],
        ['b.jsonl', { contexts: false }],
      ],
    );
    answers[2]?.resolve(of('latest'));
    await settle();
    expect(shown()).toEqual(of('latest'));
    expect(state().pending).toMatchObject({ name: 'x', into: 'c' });
  });

  it('of an earlier choice does not replace that of the latest, whichever comes first', async () => {
    changePending({ shown: 1 });
    answers[1]?.resolve(of('b'));
    await settle();
    answers[0]?.resolve(of('a'));
    await settle();
    expect(shown()).toEqual(of('b'));
    changeChoice({ contexts: true });
    changeChoice({ contexts: false });
    answers[2]?.resolve(of('with'));
    await settle();
    expect(shown()).toBeNull();
    answers[3]?.resolve(of('without'));
    await settle();
    expect(shown()).toEqual(of('without'));
  });

  it('that was stopped, or whose files were taken away, shows nothing', async () => {
    answers[0]?.resolve({ status: 'cancelled' });
    await settle();
    expect(shown()).toBeNull();
    changePending({ shown: 1 });
    dropPending();
    answers[1]?.resolve(of('b'));
    await settle();
    expect(state().pending).toBeNull();
  });

  it('that fails says why', async () => {
    answers[0]?.reject(new Error('the worker died'));
    await settle();
    expect(state().problem?.text).toBe('The file could not be previewed: the worker died');
    changePending({ shown: 1 });
    answers[1]?.resolve({ status: 'failed', message: 'no JSON' });
    await settle();
    expect(shown()).toEqual({ status: 'failed', message: 'no JSON' });
  });
});
