import { beforeEach, describe, expect, it } from 'vitest';
import type { QuestionRow } from '../../../../src/lab/contract/ask.ts';
import { DEFAULT_SETTINGS, type RunRequest } from '../../../../src/lab/contract/settings.ts';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type { Question } from '../../../../src/records/records.ts';
import { ask, cancelRun, runFromStart, startRun } from '../../../../src/ui/ask/store/actions.ts';
import { askLabUser } from '../../../../src/ui/ask/store/lab-user.ts';
import { parseAddress } from '../../../../src/ui/ask/store/permalink.ts';
import { isRunning, useAsk } from '../../../../src/ui/ask/store/ask-store.ts';
import { reportLost } from '../../../../src/ui/lab/connection.ts';
import { useSession } from '../../../../src/ui/kit/session-store.ts';
import { emptyRollout, search } from '../../../fixtures/rollouts.ts';
import { connectFake, deferred, settle, stubPage } from '../../lab/fake-lab.ts';

const row = (id: string, rest: Partial<QuestionRow> = {}): QuestionRow => ({
  id,
  text: `text of ${id}`,
  split: 'test',
  hops: 2,
  type: 'bridge',
  localSuffices: null,
  supporting: [],
  ...rest,
});

const question = (id: string): Question => ({ id, text: id, answers: ['x'], supporting: [] });

const request = (runId: string): RunRequest => ({
  runId,
  asked: { kind: 'world', id: 'q' },
  settings: DEFAULT_SETTINGS,
  setup: BUILT_IN_SETUP,
});

const open = (search: string): void => {
  useAsk.setState({
    address: parseAddress(search).address,
    playing: false,
    replay: null,
    selection: null,
  });
};

const state = () => useAsk.getState();
const runId = (): string => state().run?.runId ?? '';

beforeEach(() => {
  stubPage();
  useAsk.setState(useAsk.getInitialState(), true);
  useSession.setState({
    questions: [row('hard', { hops: 4 }), row('train', { split: 'train' }), row('q1')],
  });
  open('');
});

describe('a run', () => {
  it('asks what the address says, with its settings, and shows the question’s gold', async () => {
    const fake = connectFake({ ask: { question: (id) => Promise.resolve(question(id)) } });
    open('?q=q7&n=3&seed=5&rollout=2&step=4');
    await startRun();
    expect(fake.callsOf('ask.run')).toEqual([[state().request]]);
    expect(state().request).toMatchObject({
      asked: { kind: 'world', id: 'q7' },
      settings: { rollouts: 3, seed: 5 },
    });
    expect(state().question).toEqual(question('q7'));
    // The address now says that this was run, so that it does so again where it is opened.
    expect(useAsk.getState().address).toMatchObject({ run: true, rollout: 1, step: 3 });
  });

  it('from its start forgets the rollout and step of the last one', async () => {
    connectFake();
    open('?q=q7&rollout=2&step=4');
    await runFromStart();
    expect(useAsk.getState().address).toMatchObject({ rollout: 0, step: null });
  });

  it('of a typed question asks nobody for gold', async () => {
    const fake = connectFake();
    open('?ask=Who%3F');
    await startRun();
    expect(fake.calls.map(([name]) => name)).toEqual(['ask.provide', 'ask.run']);
    expect(state().question).toBeNull();
  });

  it('begins with an example of two hops that was not trained on, where nothing was chosen', async () => {
    connectFake();
    await startRun();
    expect(useAsk.getState().address.asked).toEqual({ kind: 'world', id: 'q1' });
    useAsk.setState(useAsk.getInitialState(), true);
    open('');
    useSession.setState({ questions: [row('only', { hops: 1 })] });
    await startRun();
    expect(useAsk.getState().address.asked).toEqual({ kind: 'world', id: 'only' });
  });

  it('takes blanks for no question', async () => {
    connectFake();
    useAsk.getState().setAddress({ asked: { kind: 'typed', text: '  ' } });
    await startRun();
    expect(state().request?.asked).toEqual({ kind: 'world', id: 'q1' });
  });

  it('is one at a time', async () => {
    const fake = connectFake();
    open('?q=q1');
    await startRun();
    await startRun();
    expect(fake.callsOf('ask.run')).toHaveLength(1);
  });

  it('that the lab refuses says why, and another can be asked', async () => {
    const fake = connectFake({
      ask: { run: () => Promise.reject(new Error('No policy is loaded.')) },
    });
    open('?q=q1');
    await startRun();
    expect(state().run).toMatchObject({
      status: 'failed',
      failure: { message: 'No policy is loaded.' },
    });
    expect(isRunning(state().run)).toBe(false);
    await startRun();
    expect(fake.callsOf('ask.run')).toHaveLength(2);
  });

  it('is cancelled only while it runs', async () => {
    const fake = connectFake();
    await cancelRun();
    expect(fake.callsOf('ask.cancel')).toEqual([]);
    open('?q=q1');
    await startRun();
    await cancelRun();
    expect(fake.callsOf('ask.cancel')).toEqual([[]]);
  });

  it('has failed where nobody is there to cancel it', async () => {
    const gone = () => Promise.reject(new Error('The lab worker was lost.'));
    connectFake({ ask: { cancel: gone } });
    open('?q=q1');
    await startRun();
    expect(isRunning(state().run)).toBe(true);
    await expect(cancelRun()).resolves.toBeUndefined();
    expect(state().run).toMatchObject({
      status: 'failed',
      failure: { message: 'The lab worker was lost.' },
    });
  });
});

describe('while the world is still loaded', () => {
  beforeEach(() => useSession.setState({ questions: [] }));

  it('an example waits for it, once', async () => {
    const fake = connectFake();
    const runs = [startRun(), startRun()];
    expect(state().runRequested).toBe(true);
    useSession.setState({ questions: [row('q1')] });
    await Promise.all(runs);
    expect(fake.callsOf('ask.run')).toHaveLength(1);
    expect(state().runRequested).toBe(false);
  });

  it('what is chosen meanwhile is run, not the example', async () => {
    const fake = connectFake();
    const run = startRun();
    ask({ kind: 'typed', text: 'Mine?' });
    useSession.setState({ questions: [row('q1')] });
    await run;
    expect(fake.callsOf('ask.run')).toEqual([[state().request]]);
    expect(state().request?.asked).toEqual({ kind: 'typed', text: 'Mine?' });
    expect(useAsk.getState().address.asked).toEqual({ kind: 'typed', text: 'Mine?' });
  });

  it('a question that needs no world runs at once, and the example never', async () => {
    const fake = connectFake();
    const waiting = startRun();
    ask({ kind: 'typed', text: 'Mine?' });
    await startRun();
    expect(state().request?.asked).toEqual({ kind: 'typed', text: 'Mine?' });
    useAsk.setState({ run: null });
    useSession.setState({ questions: [row('q1')] });
    await waiting;
    expect(fake.callsOf('ask.run')).toHaveLength(1);
  });
});

describe('what comes too late', () => {
  it('does not show a question’s gold with other rollouts', async () => {
    const gold = deferred<Question | null>();
    const fake = connectFake({ ask: { question: () => gold.promise } });
    open('?q=q1');
    const run = startRun();
    state().begin(request('other'), question('other'));
    gold.resolve(question('q1'));
    await run;
    expect(state().question?.id).toBe('other');
    expect(fake.callsOf('ask.run')).toEqual([]);
  });

  it('a failure does not mark another run as failed', async () => {
    const answer = deferred();
    connectFake({ ask: { run: () => answer.promise } });
    open('?q=q1');
    const run = startRun();
    await settle();
    state().begin(request('other'), null);
    answer.reject(new Error('late'));
    await run;
    expect(state().run).toMatchObject({ runId: 'other', status: 'waiting', failure: null });
  });

  it('drops states and names of an earlier run', () => {
    const fake = connectFake({}, [askLabUser]);
    state().begin(request('now'), null);
    const past = {
      runId: 'past',
      status: 'done',
      tokens: 9,
      tokensPerSecond: 1,
      failure: null,
    } as const;
    fake.send(
      { type: 'run', run: past },
      { type: 'unknown-names', runId: 'past', names: ['Atlantis'] },
    );
    expect(state().run?.status).toBe('waiting');
    expect(state().unknownNames).toEqual([]);
    fake.send(
      { type: 'run', run: { ...past, runId: 'now' } },
      { type: 'unknown-names', runId: 'now', names: ['Atlantis'] },
      { type: 'sources', facts: { localPassages: 1, webPassages: 1, web: null, memory: null } },
    );
    expect(state().run).toMatchObject({ status: 'done', tokens: 9 });
    expect(state().unknownNames).toEqual(['Atlantis']);
  });
});

describe('messages of the lab', () => {
  it('build the rollouts on the screen; a new run begins with none', async () => {
    const fake = connectFake({}, [askLabUser]);
    open('?q=q1');
    await startRun();
    fake.send({
      type: 'updates',
      updates: [
        { rolloutId: 'a', type: 'started', rollout: emptyRollout('a') },
        { rolloutId: 'a', type: 'event', index: 0, event: search(1, 'who') },
      ],
    });
    expect(state().table.byId['a']?.events).toEqual([search(1, 'who')]);
    fake.send({
      type: 'run',
      run: { runId: runId(), status: 'done', tokens: 1, tokensPerSecond: 0, failure: null },
    });
    await startRun();
    expect(state().table.order).toEqual([]);
  });

  it('that end with the worker end a run that runs, and no other', async () => {
    const fake = connectFake({}, [askLabUser]);
    open('?q=q1');
    await startRun();
    reportLost(new Error('out of memory'));
    expect(state().run).toMatchObject({ status: 'failed', failure: { message: 'out of memory' } });
    useAsk.setState((now) => ({ run: now.run && { ...now.run, status: 'done', failure: null } }));
    reportLost(new Error('again'));
    expect(state().run?.status).toBe('done');
    expect(fake.callsOf('ask.run')).toHaveLength(1);
  });
});
