import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP, type Setup } from '../../../../src/records/setup.ts';
import { DEFAULT_SETTINGS } from '../../../../src/lab/contract/settings.ts';
import {
  checkLinkedSetup,
  keepOwnSetup,
  takeLinkedSetup,
} from '../../../../src/ui/ask/store/linked-setup.ts';
import { formatAddress, parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { useCollections } from '../../../../src/ui/corpus/store/collections-store.ts';
import { modelsLabUser } from '../../../../src/ui/models/store/checkpoint-actions.ts';
import { EMPTY_CHECKPOINTS, useModels } from '../../../../src/ui/models/store/models-store.ts';
import { useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { searchCollections } from '../../../../src/ui/setup/search-with.ts';
import { collection } from '../../corpus/views.ts';
import { connectFake, stubPage } from '../../lab/fake-lab.ts';

const wiki = collection('local-id', { name: 'Wiki', hash: 'cd'.repeat(32) });
const HASH = 'cd'.repeat(8);

/** An address of a run over a collection that is called so. */
const over = (n: string, h: string): string =>
  `?q=a&with=${encodeURIComponent(JSON.stringify({ local: { c: [{ n, h }], m: 'lexical', e: 'built-in', r: null }, source: 'local' }))}`;

const open = (search: string): void => useAsk.setState({ address: parseAddress(search).address });
const setup = (): Setup => useSetup.getState().setup;
const shown = (): string => formatAddress(useAsk.getState().address);
const status = () => useAsk.getState().linkedSetup.status;

beforeEach(() => {
  stubPage();
  connectFake(
    {
      collections: { list: () => Promise.resolve([wiki]) },
      checkpoints: { list: () => Promise.resolve([]) },
    },
    [modelsLabUser],
  );
  useCollections.setState(useCollections.getInitialState(), true);
  useModels.setState(EMPTY_CHECKPOINTS);
  useAsk.setState(useAsk.getInitialState(), true);
  open('');
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('an address and what is chosen here', () => {
  it('are the same where everything is built in', async () => {
    open('?q=a');
    expect(await checkLinkedSetup()).toBe(true);
    expect(status()).toBe('same');
  });

  it('differ where the address works with a collection, which is looked up by its content', async () => {
    open(over('Another name', HASH));
    expect(await checkLinkedSetup()).toBe(false);
    expect(useAsk.getState().linkedSetup).toMatchObject({ status: 'differs', missing: [] });
    takeLinkedSetup();
    expect(status()).toBe('same');
    expect(setup()).toMatchObject({
      local: { kind: 'collections', ids: ['local-id'], method: 'lexical' },
      source: 'local',
    });
  });

  it('keep this device’s choice where that is what was decided; the address follows', async () => {
    open(over('Wiki', HASH));
    await checkLinkedSetup();
    keepOwnSetup();
    expect([status(), setup(), shown().includes('with=')]).toEqual(['same', BUILT_IN_SETUP, false]);
  });

  it('say what is missing, and take the rest', async () => {
    open(over('Gone', '00'.repeat(8)));
    await checkLinkedSetup();
    expect(useAsk.getState().linkedSetup.missing).toEqual([
      'the collection “Gone”: import its files on Corpus',
    ]);
    takeLinkedSetup();
    expect(setup().local).toEqual({ kind: 'built-in' });
  });

  it('come together when the same is chosen by hand', async () => {
    open(over('Wiki', HASH));
    await checkLinkedSetup();
    useSetup.getState().change({ judge: { kind: 'model', policy: { kind: 'webllm', id: 'm' } } });
    expect(status()).toBe('differs');
    useSetup.getState().change({ judge: { kind: 'off' } });
    searchCollections(['local-id']);
    expect(status()).toBe('same');
  });

  it('are decided by starting a run: the address follows', async () => {
    open(over('Wiki', HASH));
    await checkLinkedSetup();
    useAsk.getState().begin(
      {
        runId: 'r',
        asked: { kind: 'world', id: 'a' },
        settings: DEFAULT_SETTINGS,
        setup: setup(),
      },
      null,
    );
    expect(status()).toBe('same');
    expect(shown()).not.toContain('with=');
  });
});

describe('the address', () => {
  it('says what is chosen, as soon as it is chosen', async () => {
    open('?q=a');
    await checkLinkedSetup();
    useSetup.getState().change({ web: { kind: 'searxng', url: 'https://u:p@a.example/s?key=1' } });
    // Neither a password nor a key goes along.
    expect(useAsk.getState().address.setup).toEqual({
      web: { kind: 'searxng', url: 'https://a.example/s' },
    });
    useSetup.getState().change({ web: { kind: 'built-in' } });
    expect(shown()).not.toContain('with=');
  });

  it('waits for the names of what is stored here before it says them', async () => {
    open('?q=a');
    await checkLinkedSetup();
    searchCollections(['local-id']);
    expect(useAsk.getState().address.setup).toEqual({});
    useModels.setState({ status: 'ready' });
    useCollections.setState({ status: 'ready', collections: [wiki] });
    expect(useAsk.getState().address.setup.local).toEqual({
      c: [{ n: 'Wiki', h: HASH }],
      m: 'lexical',
      e: 'built-in',
      r: null,
    });
  });
});
