import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../src/records/setup.ts';
import type { AskMessage } from '../../../src/lab/contract/ask.ts';
import type { PartState } from '../../../src/lab/contract/progress.ts';
import { lab, need, reportLost, retryLoading } from '../../../src/ui/lab/connection.ts';
import { allReady, firstFailure, useSession } from '../../../src/ui/kit/session-store.ts';
import { choosePolicy, useSetup, setKey } from '../../../src/ui/setup/setup-store.ts';
import { requestPieces } from '../../../src/ui/kit/tokens/pieces.ts';
import { connectFake, settle, stubPage } from './fake-lab.ts';

const part = (rest: Partial<PartState> = {}): PartState => ({
  status: 'ready',
  note: '',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
  ...rest,
});

const policy = (id: string): AskMessage => ({
  type: 'policy',
  info: { id, revision: 'r' } as Extract<AskMessage, { type: 'policy' }>['info'],
  device: { device: 'wasm', adapter: '4', fallback: false },
});

beforeEach(() => {
  stubPage();
  useSession.setState(useSession.getInitialState(), true);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('the connection to the lab', () => {
  it('is a fault of the program before it is opened', async () => {
    // The first test of the file: nothing was connected yet.
    expect(() => lab()).toThrow('not connected');
    // A choice is remembered, and no worker has to hear of it.
    choosePolicy({ kind: 'webllm', id: 'm' });
    await settle();
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'webllm', id: 'm' });
  });

  it('keeps what is loaded, and hands what belongs to a place to the places, in order', () => {
    const heard: string[] = [];
    const { send } = connectFake({}, [
      { receive: (message) => heard.push(`a ${message.type}`) },
      { receive: (message) => heard.push(`b ${message.type}`) },
    ]);
    const rows = [
      {
        id: 'q',
        text: 'Who?',
        split: 'test',
        hops: 1,
        type: null,
        localSuffices: null,
        supporting: [],
      },
    ];
    send(
      { type: 'questions', rows, problem: null },
      { type: 'updates', updates: [] },
      { type: 'unknown-names', runId: 'r', names: [] },
      policy('p'),
    );
    expect(heard).toEqual(['a updates', 'b updates', 'a unknown-names', 'b unknown-names']);
    expect(useSession.getState()).toMatchObject({ questions: rows, policy: { id: 'p' } });
  });

  it('says why there are no questions', () => {
    const { send } = connectFake();
    send({ type: 'questions', rows: [], problem: 'The collection is gone.' });
    expect(useSession.getState().questionsProblem).toBe('The collection is gone.');
  });

  it('lets the worker load what is chosen, as soon as it is chosen', async () => {
    const { callsOf } = connectFake();
    choosePolicy({ kind: 'checkpoint', id: 'c' });
    expect(callsOf('ask.use')).toEqual([
      [{ ...BUILT_IN_SETUP, policy: { kind: 'checkpoint', id: 'c' } }],
    ]);
    setKey('server', 'secret');
    expect(callsOf('ask.provide').at(-1)).toEqual([
      useSetup.getState().resources,
      { server: 'secret' },
    ]);
    setKey('server', '');
    expect(callsOf('ask.provide').at(-1)?.[1]).toEqual({});
    await settle();
  });

  it('asks for what a page needs, once, and asks every new worker for all of it', async () => {
    const fake = connectFake();
    expect(fake.callsOf('ask.need')).toEqual([]);
    need('sources');
    need('sources');
    expect(fake.callsOf('ask.need')).toEqual([[['sources']]]);
    need('policy', 'sources');
    expect(fake.callsOf('ask.need').at(-1)).toEqual([['sources', 'policy']]);
    reportLost(new Error('the worker died'));
    await retryLoading();
    expect(fake.opened()).toBe(2);
    expect(fake.callsOf('ask.need').slice(2)).toEqual([[['sources', 'policy']]]);
  });

  it('is set before it was opened, and then asks', () => {
    need('policy');
    expect(connectFake().callsOf('ask.need')).toEqual([[['policy']]]);
  });

  it('survives a worker that refuses what was chosen: it learns it when it is opened again', async () => {
    const gone = () => Promise.reject(new Error('gone'));
    connectFake({ ask: { use: gone, provide: gone } });
    choosePolicy({ kind: 'built-in' });
    setKey('server', 'x');
    await settle();
    expect(useSession.getState().labFailure).toBeNull();
  });

  it('tells every place that the worker is lost, and opens another on "Restart"', async () => {
    const lost: unknown[] = [];
    let connected = 0;
    const fake = connectFake({}, [
      { connected: () => connected++ },
      { lost: (error) => lost.push(error) },
    ]);
    const died = new Error('the worker died');
    reportLost(died);
    expect(lost).toEqual([died]);
    expect(firstFailure(useSession.getState())).toMatchObject({
      part: 'lab',
      failure: { message: 'The worker died.' },
    });
    await retryLoading();
    expect([fake.opened(), connected]).toEqual([2, 2]);
    expect(fake.callsOf('ask.retry')).toEqual([]);
    expect(useSession.getState().labFailure).toBeNull();
  });

  it('loads again what failed, without another worker', async () => {
    const fake = connectFake();
    await retryLoading();
    expect([fake.opened(), fake.callsOf('ask.retry')]).toEqual([1, [[]]]);
  });

  it('clears the texts of tokens for another policy, whose ids differ', async () => {
    const asked: number[][] = [];
    const pieces = (ids: number[]) => {
      asked.push(ids);
      return Promise.resolve(ids.map((id) => `piece ${id}`));
    };
    const fake = connectFake({ ask: { pieces } });
    fake.send(policy('first'));
    await requestPieces([7, 7, 8]);
    expect(useSession.getState().policy?.id).toBe('first');
    expect(useSession.getState().pieces).toEqual({ 7: 'piece 7', 8: 'piece 8' });
    await requestPieces([7]);
    expect(asked).toEqual([[7, 8]]);
    fake.send(policy('second'));
    expect(useSession.getState().policy?.id).toBe('second');
    expect(useSession.getState().pieces).toEqual({});
    await requestPieces([7]);
    expect(asked).toEqual([[7, 8], [7]]);
  });
});

describe('texts of tokens', () => {
  it('are asked for again after a call that failed, one text a token at most', async () => {
    let works = false;
    const pieces = () => (works ? Promise.resolve(['a']) : Promise.reject(new Error('busy')));
    const fake = connectFake({ ask: { pieces } });
    fake.send(policy('p'));
    await requestPieces([1, 2]);
    expect(useSession.getState().pieces).toEqual({});
    works = true;
    await requestPieces([1, 2]);
    // The lab knew one of two: the other is known to have no text.
    expect(useSession.getState().pieces).toEqual({ 1: 'a', 2: '' });
  });
});

describe('what is loaded', () => {
  it('is all there when every part is, and the first failure is named with its part', () => {
    const failure = { kind: 'missing', message: 'no index', detail: '' } as const;
    const state = (retrieval: PartState) => ({
      ...useSession.getState(),
      parts: { world: part(), retrieval, policy: part() },
    });
    expect(allReady(state(part()))).toBe(true);
    expect(allReady(state(part({ status: 'loading' })))).toBe(false);
    expect(firstFailure(state(part()))).toBeNull();
    expect(firstFailure(state(part({ status: 'failed', failure })))).toEqual({
      part: 'retrieval',
      failure,
    });
  });
});
