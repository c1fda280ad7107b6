import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunRecord } from '../../../../src/lab/contract/records/runs.ts';
import type { TrainMessage } from '../../../../src/lab/contract/training.ts';
import type { TrainStep } from '../../../../src/records/training.ts';
import {
  openSteps,
  reloadRuns,
  trainLabUser,
} from '../../../../src/ui/train/store/train-actions.ts';
import {
  EMPTY_TRAIN,
  runById,
  trainingRun,
  useTrain,
  visibleRuns,
} from '../../../../src/ui/train/store/train-store.ts';
import { runRecord } from '../../../fixtures/train-runs.ts';
import { trainStep } from '../../../fixtures/train-steps.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';

const state = () => useTrain.getState();

let tell: (...messages: TrainMessage[]) => void = () => undefined;

const connect = (train: Partial<Answers['train']> = {}) =>
  connectFake(
    {
      train: {
        listen: (listener) => {
          tell = (...messages) => listener(messages);
          return Promise.resolve();
        },
        runs: () => Promise.resolve([runRecord('a'), runRecord('b')]),
        ...train,
      },
    },
    [trainLabUser],
  );

beforeEach(() => {
  stubPage();
  vi.useRealTimers();
  useTrain.setState(EMPTY_TRAIN, true);
});

describe('the pages of training', () => {
  it('listen first and read then, so that nothing is missed', async () => {
    const fake = connect();
    expect(state().status).toBe('waiting');
    await settle();
    expect(fake.calls.slice(-2)).toEqual([['train.listen', expect.any(Function)], ['train.runs']]);
    expect(state()).toMatchObject({ status: 'ready' });
    expect(state().runs.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('say why the runs cannot be read, and read them again when asked to', async () => {
    connect({ runs: () => Promise.reject(new Error('the database is damaged')) });
    await settle();
    expect(state().status).toBe('failed');
    expect(state().problem?.text).toBe('The runs could not be read: the database is damaged');
    await reloadRuns();
    expect(state().status).toBe('failed');
    connect();
    await reloadRuns();
    expect(state().status).toBe('ready');
  });

  it('keep a run that appeared while the list was read', async () => {
    const list = deferred<RunRecord[]>();
    connect({ runs: () => list.promise });
    await settle();
    tell({ type: 'run', run: runRecord('new') });
    list.resolve([runRecord('a')]);
    await settle();
    expect(state().runs.map(({ id }) => id)).toEqual(['new', 'a']);
  });

  it('follow what arrives', async () => {
    connect();
    await settle();
    tell(
      { type: 'here', runId: 'a' },
      { type: 'run', run: runRecord('a', { step: 4, status: 'finished' }) },
      { type: 'storage', usedBytes: 1, quotaBytes: 2, persisted: true },
    );
    expect(state().here).toBe('a');
    expect(runById(state(), 'a')).toMatchObject({ step: 4, status: 'finished' });
    expect(runById(state(), null)).toBeUndefined();
    expect(trainingRun(state())?.id).toBe('b');
  });

  it('neither show a deleted run nor say that it trains', () => {
    const runs = [
      runRecord('a', { deletedAt: '2026-01-02T00:00:00Z' }),
      runRecord('b', { status: 'paused' }),
    ];
    expect(visibleRuns(runs).map(({ id }) => id)).toEqual(['b']);
    expect(trainingRun({ runs })).toBeUndefined();
  });
});

describe('the steps of a run', () => {
  const steps = (...numbers: number[]): TrainStep[] => numbers.map((n) => trainStep(n, 'a'));
  const numbers = () => state().steps['a']?.map(({ step }) => step);

  it('are read once, and those that arrive meanwhile are kept', async () => {
    const read = deferred<TrainStep[]>();
    const fake = connect({ steps: () => read.promise });
    await settle();
    const opening = openSteps('a');
    expect(state().reading).toEqual(['a']);
    await openSteps('a');
    tell({ type: 'step', step: trainStep(4, 'a') });
    read.resolve(steps(1, 2, 3));
    await opening;
    expect(numbers()).toEqual([1, 2, 3, 4]);
    expect(state().reading).toEqual([]);
    expect(fake.callsOf('train.steps')).toEqual([['a']]);
  });

  it('can be read again after they could not be', async () => {
    connect({ steps: () => Promise.reject(new Error('disk')) });
    await settle();
    await openSteps('a');
    expect(state().problem?.text).toBe('The steps of the run could not be read: disk');
    expect(state()).toMatchObject({ steps: {}, reading: [] });
    connect({ steps: () => Promise.resolve(steps(1)) });
    await openSteps('a');
    expect(numbers()).toEqual([1]);
  });

  it('are read again when the worker was started again: some may have been missed', async () => {
    connect({ steps: () => Promise.resolve(steps(1)) });
    await settle();
    await openSteps('a');
    connect({ steps: () => Promise.resolve(steps(1, 2, 3)) });
    await settle();
    expect(numbers()).toEqual([1, 2, 3]);
  });
});

describe('a tab that the browser froze', () => {
  const START = Date.parse('2026-01-01T00:00:00Z');

  /** Something arrives this many seconds later. */
  const after = (seconds: number): void => {
    vi.setSystemTime(Date.now() + seconds * 1000);
    tell({ type: 'here', runId: 'a' });
  };

  beforeEach(async () => {
    connect();
    await settle();
    vi.useFakeTimers({ now: START, toFake: ['Date'] });
    after(0);
    useTrain.setState({ frozen: null });
  });

  it('is noticed afterwards, in seconds', () => {
    stubPage({ visible: false });
    after(1);
    after(60);
    expect(state().frozen).toContain('Nothing arrived for 60 s');
    expect(state().frozen).toContain('keep the tab in front');
  });

  it('is not blamed for a silence while the tab was seen, or a short one', () => {
    after(60);
    stubPage({ visible: false });
    after(1);
    after(19);
    expect(state().frozen).toBeNull();
  });

  it('is no matter while nothing trains here', () => {
    stubPage({ visible: false });
    after(1);
    useTrain.setState({ here: null });
    after(60);
    expect(state().frozen).toBeNull();
  });
});
