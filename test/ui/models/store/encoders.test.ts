import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type { EncoderFacts } from '../../../../src/lab/contract/encoders.ts';
import {
  addEncoder,
  dismissEncoderProblem,
  readEncoders,
  removeEncoder,
  restoreEncoder,
} from '../../../../src/ui/models/store/encoder-actions.ts';
import { changeSearch, searchCollections } from '../../../../src/ui/setup/search-with.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { connectFake, deferred, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { useModels } from '../../../../src/ui/models/store/models-store.ts';

const encoder = (id: string): EncoderFacts => ({
  id,
  kind: 'encoder',
  bytes: 1,
  dimensions: 384,
  maxTokens: 512,
  note: '',
  addedAt: 0,
});

const state = () => useModels.getState().encoders;
const local = () => useSetup.getState().setup.local;
const refuse = () => Promise.reject(new Error('tokenizer.json is missing'));

const connect = (encoders: Partial<Answers['encoders']> = {}) =>
  connectFake({ encoders: { list: () => Promise.resolve([encoder('e5')]), ...encoders } });

beforeEach(() => {
  stubPage();
  useModels.setState(useModels.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('encoders', () => {
  it('are listed, and it is said why they are not', async () => {
    connect();
    await readEncoders();
    expect(state()).toMatchObject({ status: 'ready', encoders: [{ id: 'e5' }], problem: null });
    connect({ list: refuse });
    await readEncoders();
    expect(state().problem).toEqual({
      text: 'tokenizer.json is missing',
      next: 'Reload the page; stored data is kept.',
    });
    dismissEncoderProblem();
    expect(state().problem).toBeNull();
  });

  it('are added from a folder: tried once, which is said meanwhile', async () => {
    const tried = deferred<EncoderFacts>();
    const fake = connect({ add: () => tried.promise });
    const files = [{ path: 'e5/model.onnx', blob: new Blob() }];
    const adding = addEncoder(files);
    expect(state().adding).toBe(true);
    tried.resolve(encoder('e5'));
    await adding;
    expect(state()).toMatchObject({ adding: false, encoders: [{ id: 'e5' }], problem: null });
    expect(fake.callsOf('encoders.add')).toEqual([[files]]);
  });

  it('that cannot be added say what is missing', async () => {
    connect({ add: refuse });
    await addEncoder([]);
    expect(state()).toMatchObject({
      adding: false,
      problem: { text: 'tokenizer.json is missing', next: 'Nothing was stored.' },
    });
  });

  it('that are deleted are used no more, and used again when they come back', async () => {
    connect();
    searchCollections(['a']);
    changeSearch({ method: 'hybrid', encoder: 'e5', reranker: 'e5' });
    await removeEncoder(encoder('e5'));
    expect(local()).toMatchObject({ encoder: 'built-in', reranker: null, method: 'hybrid' });
    expect(state().removed).toMatchObject([{ id: 'e5', uses: ['encoder', 'reranker'] }]);
    changeSearch({ reranker: 'other' });
    await restoreEncoder('e5');
    expect(local()).toMatchObject({ encoder: 'e5', reranker: 'other' });
    expect(state().removed).toEqual([]);
  });

  it('that cannot be deleted are still used', async () => {
    connect({ remove: refuse });
    searchCollections(['a']);
    changeSearch({ encoder: 'e5' });
    await removeEncoder(encoder('e5'));
    expect(local()).toMatchObject({ encoder: 'e5' });
    expect(state().removed).toEqual([]);
    expect(state().problem?.next).toBe('Nothing was changed.');
  });

  it('that cannot come back are not used, and their folder is asked for', async () => {
    connect({ restore: refuse });
    searchCollections(['a']);
    changeSearch({ encoder: 'e5' });
    await removeEncoder(encoder('e5'));
    await restoreEncoder('e5');
    expect(local()).toMatchObject({ encoder: 'built-in' });
    expect(state().problem?.next).toBe('Add its folder again.');
    expect(state().removed.map(({ id }) => id)).toEqual(['e5']);
    connect();
    await restoreEncoder('e5');
    expect(state().removed).toEqual([]);
    expect(local()).toMatchObject({ encoder: 'e5' });
  });
});
