import { beforeEach, describe, expect, it } from 'vitest';
import { BUILT_IN_SETUP } from '../../../../src/records/setup.ts';
import type {
  CheckpointMessage,
  Outcome,
  PlanView,
} from '../../../../src/lab/contract/checkpoints.ts';
import type { Fault } from '../../../../src/lab/contract/records/checkpoints.ts';
import {
  storePreviewed,
  dismissCheckpointProblem,
  freeRemovedCheckpoints,
  dropLook,
  giveToken,
  lookLocal,
  lookNamed,
  modelsLabUser,
  pauseCheckpoint,
  refreshCheckpoints,
  removeCheckpoint,
  renameCheckpoint,
  restoreCheckpoint,
  resumeCheckpoint,
} from '../../../../src/ui/models/store/checkpoint-actions.ts';
import { EMPTY_CHECKPOINTS, useModels } from '../../../../src/ui/models/store/models-store.ts';
import { choosePolicy, useSetup } from '../../../../src/ui/setup/setup-store.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { checkpoint, planView } from '../views.ts';

const state = () => useModels.getState();
const died = () => Promise.reject(new Error('the worker died'));
const fault: Fault = { kind: 'gated', message: 'It is gated.', next: 'Give a token.' };
const failed = { status: 'failed', fault } as const;
const done = { status: 'ready', value: null } as const;

let tell: (message: CheckpointMessage) => void = () => undefined;

const connect = (checkpoints: Partial<Answers['checkpoints']> = {}) =>
  connectFake(
    {
      checkpoints: {
        listen: (listener) => {
          tell = listener;
          return Promise.resolve();
        },
        remove: () => Promise.resolve(done),
        restore: () => Promise.resolve(done),
        ...checkpoints,
      },
    },
    [modelsLabUser],
  );

const ready = (view = planView()): Outcome<PlanView> => ({ status: 'ready', value: view });

beforeEach(() => {
  stubPage();
  useModels.setState(EMPTY_CHECKPOINTS);
  useSetup.setState({ setup: BUILT_IN_SETUP });
});

describe('the list of checkpoints', () => {
  it('follows the lab: downloads go on while other pages are shown', () => {
    connect();
    tell({ type: 'list', checkpoints: [checkpoint('a')] });
    expect(state()).toMatchObject({ status: 'ready', checkpoints: [{ id: 'a' }] });
  });

  it('says what to do where the lab does not answer', async () => {
    connect({ listen: died, list: died });
    await settle();
    const problem = {
      message: 'the worker died',
      next: 'Reload the page; stored data is kept.',
    };
    expect(state()).toMatchObject({ status: 'failed', problem });
    dismissCheckpointProblem();
    await refreshCheckpoints();
    expect(state().problem).toEqual(problem);
  });

  it('is read again for what no message tells', async () => {
    connect({ list: () => Promise.resolve([checkpoint('b')]) });
    await refreshCheckpoints();
    expect(state().checkpoints.map(({ id }) => id)).toEqual(['b']);
  });
});

describe('a look at a source', () => {
  it('shows what it would bring, and stores nothing', async () => {
    const fake = connect({ plan: () => Promise.resolve(ready()) });
    const looking = lookNamed(' Qwen/Qwen3 ', 'https://hub');
    expect(state().look).toEqual({ status: 'looking', what: 'Qwen/Qwen3' });
    await looking;
    expect(state().look).toEqual({ status: 'ready', view: planView(), files: null });
    expect(fake.callsOf('checkpoints.plan')).toEqual([
      [{ kind: 'named', text: ' Qwen/Qwen3 ', hub: 'https://hub' }],
    ]);
    expect(fake.callsOf('checkpoints.add')).toEqual([]);
  });

  it('that fails says why and what to do', async () => {
    connect({ plan: () => Promise.resolve(failed) });
    await lookNamed('x', 'h');
    expect(state().look).toEqual({ status: 'failed', fault });
    connect({ plan: died });
    await lookNamed('x', 'h');
    expect(state().look).toMatchObject({
      status: 'failed',
      fault: { message: 'the worker died', next: 'Reload the page; stored data is kept.' },
    });
  });

  it('counts only where it is the last one, and not once it was given up', async () => {
    const answers = [deferred<Outcome<PlanView>>(), deferred<Outcome<PlanView>>()];
    let at = 0;
    const fake = connect({ plan: () => answers[at++]?.promise ?? died() });
    const first = lookNamed('first', 'h');
    const second = lookNamed('second', 'h');
    answers[1]?.resolve(ready(planView({}, 'second')));
    await second;
    answers[0]?.reject(new Error('late'));
    await first;
    expect(state().look).toMatchObject({ status: 'ready', view: { plan: { title: 'second' } } });
    at = 0;
    answers[0] = deferred();
    const given = lookNamed('third', 'h');
    dropLook();
    answers[0].resolve(ready());
    await given;
    expect(state().look).toEqual({ status: 'none' });
    expect(fake.callsOf('checkpoints.cancelPlan')).toHaveLength(1);
  });
});

describe('adding what was looked at', () => {
  const files = [{ path: 'tiny/config.json', file: new File(['{}'], 'config.json') }];

  it('stores it under its name, with the files of a folder', async () => {
    const fake = connect({
      plan: () => Promise.resolve(ready()),
      add: () => Promise.resolve({ status: 'ready', value: { id: 'n' } }),
    });
    await storePreviewed('nothing was looked at');
    expect(fake.callsOf('checkpoints.add')).toEqual([]);
    await lookLocal(files);
    await storePreviewed('Mine');
    expect(fake.callsOf('checkpoints.add')).toEqual([[planView().plan, 'Mine', files]]);
    expect(state().look).toEqual({ status: 'none' });
  });

  it('that fails keeps what was looked at', async () => {
    connect({ plan: () => Promise.resolve(ready()), add: () => Promise.resolve(failed) });
    await lookNamed('x', 'h');
    await storePreviewed('Mine');
    expect(state().problem).toEqual(fault);
    expect(state().look.status).toBe('ready');
  });

  it('does not put away what is looked at by the time it is stored', async () => {
    const added = deferred<Outcome<{ id: string }>>();
    connect({
      plan: ({ kind }) => Promise.resolve(ready(planView({}, kind))),
      add: () => added.promise,
    });
    await lookNamed('x', 'h');
    const adding = storePreviewed('Mine');
    await lookLocal(files);
    added.resolve({ status: 'ready', value: { id: 'n' } });
    await adding;
    expect(state().look).toMatchObject({ status: 'ready', view: { plan: { title: 'local' } } });
  });
});

describe('a checkpoint', () => {
  beforeEach(() => useModels.setState({ checkpoints: [checkpoint('a', { name: 'Tiny' })] }));

  it.each<[string, () => Promise<unknown>, unknown[]]>([
    ['resume', () => resumeCheckpoint('a'), ['a', undefined]],
    ['pause', () => pauseCheckpoint('a'), ['a']],
    ['rename', () => renameCheckpoint('a', 'B'), ['a', 'B']],
  ])('is told to %s', async (name, act, args) => {
    const fake = connect({ [name]: () => Promise.resolve(done) });
    await act();
    expect(fake.callsOf(`checkpoints.${name}`)).toEqual([args]);
    expect(state().problem).toBeNull();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['resume', () => resumeCheckpoint('a')],
    ['rename', () => renameCheckpoint('a', 'B')],
    ['remove', () => removeCheckpoint('a')],
  ])('says why it could not: %s', async (name, act) => {
    connect({ [name]: () => Promise.resolve(failed) });
    choosePolicy({ kind: 'checkpoint', id: 'a' });
    await act();
    expect(state().problem).toEqual(fault);
    expect(state().removed).toEqual([]);
    // Runs continue with it: it is still there.
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'checkpoint', id: 'a' });
    connect({ [name]: died, pause: died });
    await act();
    expect(state().problem?.message).toBe('the worker died');
    dismissCheckpointProblem();
    await pauseCheckpoint('a');
    expect(state().problem?.message).toBe('the worker died');
  });

  it('stops being the policy when deleted, and is the policy again when restored', async () => {
    connect();
    choosePolicy({ kind: 'checkpoint', id: 'a' });
    await removeCheckpoint('a');
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'built-in' });
    expect(state().removed).toMatchObject([{ id: 'a', name: 'Tiny', uses: ['policy'] }]);
    await restoreCheckpoint('a');
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'checkpoint', id: 'a' });
    expect(state().removed).toEqual([]);
  });

  it('that did not come back can be tried again', async () => {
    connect({ restore: died });
    choosePolicy({ kind: 'checkpoint', id: 'a' });
    await removeCheckpoint('a');
    await restoreCheckpoint('a');
    expect(state().removed.map(({ id }) => id)).toEqual(['a']);
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'built-in' });
    connect();
    await restoreCheckpoint('a');
    expect(state().removed).toEqual([]);
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'checkpoint', id: 'a' });
  });

  it('that comes back does not take the place of what was chosen instead', async () => {
    connect();
    choosePolicy({ kind: 'checkpoint', id: 'a' });
    await removeCheckpoint('a');
    choosePolicy({ kind: 'webllm', id: 'other' });
    await restoreCheckpoint('a');
    expect(useSetup.getState().setup.policy).toEqual({ kind: 'webllm', id: 'other' });
    await removeCheckpoint('a');
  });

  it('is freed at a click, and cannot be brought back then', async () => {
    const fake = connect();
    await removeCheckpoint('a');
    const before = Date.now();
    await freeRemovedCheckpoints();
    expect(state().removed).toEqual([]);
    const [[time]] = fake.callsOf('checkpoints.purge') as [[string]];
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    connect({ purge: died });
    await freeRemovedCheckpoints();
    expect(state().problem?.message).toContain('died');
  });
});

it('gives a token only to its hub, and keeps it only in memory', async () => {
  const fake = connect({ useToken: died });
  giveToken('https://hub', 'hf_x');
  await settle();
  expect(fake.callsOf('checkpoints.useToken')).toEqual([['https://hub', 'hf_x']]);
  expect(state()).toMatchObject({ token: 'hf_x', problem: null });
});
