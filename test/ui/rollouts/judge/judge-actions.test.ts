import { beforeEach, describe, expect, it } from 'vitest';
import type { JudgeOutcome } from '../../../../src/evaluate/judge/run.ts';
import type { LabConnection } from '../../../../src/ui/lab/connection.ts';
import {
  judgingLeft,
  startJudging,
  stopJudging,
} from '../../../../src/ui/rollouts/judge/judge-actions.ts';
import { useRollouts } from '../../../../src/ui/rollouts/store/rollouts-store.ts';
import { connectFake, deferred, settle, stubPage, type Answers } from '../../lab/fake-lab.ts';
import { fileRecord } from '../views.ts';

type Ask = LabConnection['ask']['judge'];
type Verdict = 'right' | 'wrong' | 'unreadable';

const JUDGE = { kind: 'endpoint', id: 'e' } as const;

const judged = (id: string, verdict: Verdict): JudgeOutcome => ({
  id,
  status: 'judged',
  judgement: { verdict, by: 'm', said: verdict, cached: false },
});
const items = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `r${i}`,
    question: 'who',
    golds: ['Ida'],
    prediction: 'Ida',
  }));

/** A lab of a file with this many answers, whose judge does as it is told. */
const connect = (count: number, judge: Ask, rollouts: Partial<Answers['rollouts']> = {}) =>
  connectFake({
    rollouts: {
      files: () => Promise.resolve([fileRecord('f')]),
      toJudge: () => Promise.resolve(items(count)),
      keepVerdicts: () => Promise.resolve(),
      ...rollouts,
    },
    ask: { judge },
  });

/** Says all answers right, one after another. */
const allRight: Ask = (_ref, asked, onOutcome) => {
  for (const { id } of asked) void onOutcome(judged(id, 'right'), 'm');
  return Promise.resolve('complete');
};

const job = () => useRollouts.getState().judging;
const keptIn = (fake: ReturnType<typeof connect>): string[][] =>
  fake
    .callsOf('rollouts.keepVerdicts')
    .map(([, , outcomes]) => (outcomes as JudgeOutcome[]).map(({ id }) => id));

beforeEach(() => {
  stubPage();
  useRollouts.setState(useRollouts.getInitialState(), true);
});

describe('a judge over a file', () => {
  it('is counted as it answers, and what it said is kept with the file', async () => {
    const outcomes: JudgeOutcome[] = [
      judged('r0', 'right'),
      judged('r1', 'wrong'),
      judged('r2', 'unreadable'),
      { id: 'r3', status: 'failed', message: 'busy' },
      { id: 'r4', status: 'skipped', why: 'no-gold' },
    ];
    const counts: unknown[] = [];
    const fake = connect(5, (_ref, _items, onOutcome) => {
      for (const outcome of outcomes) {
        void onOutcome(outcome, 'm');
        const { done, total, right, wrong, notJudged } = job() ?? {};
        counts.push([done, total, right, wrong, notJudged]);
      }
      return Promise.resolve('complete');
    });
    await startJudging('f', JUDGE, false);
    expect(counts).toEqual([
      [1, 5, 1, 0, 0],
      [2, 5, 1, 1, 0],
      [3, 5, 1, 1, 1],
      [4, 5, 1, 1, 2],
      [5, 5, 1, 1, 3],
    ]);
    expect(fake.callsOf('rollouts.toJudge')).toEqual([['f', false]]);
    expect(fake.callsOf('rollouts.keepVerdicts')).toEqual([['f', 'm', outcomes]]);
    expect(job()).toMatchObject({ status: 'ended', words: 'Every answer was judged.' });
    // Who shows the standing and the list of files reads them again.
    expect(useRollouts.getState().verdictsKept).toBe(1);
    expect(useRollouts.getState().files.map(({ id }) => id)).toEqual(['f']);
  });

  it('has its answers kept in parts, each once and in order', async () => {
    const fake = connect(70, async (_ref, asked, onOutcome) => {
      for (const { id } of asked) {
        void onOutcome(judged(id, 'right'), 'm');
        await settle();
      }
      return 'complete';
    });
    await startJudging('f', JUDGE, true);
    expect(keptIn(fake).map(({ length }) => length)).toEqual([32, 32, 6]);
    expect(keptIn(fake).flat()).toEqual(items(70).map(({ id }) => id));
    expect(job()).toMatchObject({ done: 70, right: 70 });
  });

  it('that is gone in the middle leaves what it had said, and says why it ended', async () => {
    const fake = connect(9, (_ref, _items, onOutcome) => {
      void onOutcome(judged('r0', 'right'), 'm');
      void onOutcome(judged('r1', 'wrong'), 'm');
      return Promise.reject(new Error('no server answers at localhost'));
    });
    await startJudging('f', JUDGE, false);
    expect(keptIn(fake)).toEqual([['r0', 'r1']]);
    expect(job()).toMatchObject({ status: 'ended', done: 2, total: 9, right: 1, wrong: 1 });
    expect(job()?.words).toBe('The judge could not be called: no server answers at localhost');
  });

  it('can be asked again after it failed', async () => {
    connect(2, () => Promise.reject(new Error('gone')));
    await startJudging('f', JUDGE, false);
    const fake = connect(2, allRight);
    await startJudging('f', JUDGE, false);
    expect(keptIn(fake)).toEqual([['r0', 'r1']]);
    expect(job()).toMatchObject({ right: 2, words: 'Every answer was judged.' });
  });

  it('says so where nothing could be read, and where nothing could be kept', async () => {
    const full = () => Promise.reject(new Error('the storage is full'));
    connect(2, allRight, { toJudge: full });
    await startJudging('f', JUDGE, false);
    expect(job()?.words).toContain('the storage is full');
    connect(2, allRight, { keepVerdicts: full });
    await startJudging('f', JUDGE, false);
    expect(job()).toMatchObject({ status: 'ended', done: 2 });
    expect(job()?.words).toContain('the storage is full');
    expect(useRollouts.getState().verdictsKept).toBe(0);
  });

  it('that outlives a failure of the storage has every verdict kept, each once', async () => {
    let times = 0;
    const stored: string[] = [];
    connect(100, allRight, {
      keepVerdicts: (_file, _by, outcomes) => {
        if (++times === 1) return Promise.reject(new Error('the storage is full'));
        stored.push(...outcomes.map(({ id }) => id));
        return Promise.resolve();
      },
    });
    await startJudging('f', JUDGE, false);
    expect(stored).toEqual(items(100).map(({ id }) => id));
    expect(job()).toMatchObject({ right: 100, words: 'Every answer was judged.' });
  });

  it('whose verdicts cannot be stored says how many, and that it was not the judge', async () => {
    connect(3, allRight, { keepVerdicts: () => Promise.reject(new Error('the storage is full')) });
    await startJudging('f', JUDGE, false);
    expect(job()?.words).toBe(
      'Every answer was judged. 3 verdicts could not be stored (the storage is full); judge again to request them again.',
    );
  });

  it('that gave up says so, and that one may go on', async () => {
    connect(2, () => Promise.resolve('gave-up'));
    await startJudging('f', JUDGE, false);
    expect(job()?.words).toMatch(/failed several times in a row.*continue with the rest\.$/);
  });
});

describe('one judge at a time', () => {
  it('another one is not begun while it runs', async () => {
    const { promise, resolve } = deferred<'complete'>();
    const fake = connect(1, () => promise);
    const first = startJudging('f', JUDGE, false);
    await settle();
    await startJudging('g', JUDGE, false);
    expect(fake.callsOf('rollouts.toJudge')).toEqual([['f', false]]);
    expect(job()?.fileId).toBe('f');
    resolve('complete');
    await first;
    await startJudging('g', JUDGE, false);
    expect(job()?.fileId).toBe('g');
  });

  it.each(['answers that it was cancelled', 'rejects'])(
    'is stopped where the lab %s, and keeps what was judged',
    async (how) => {
      const fake = connect(3, (_ref, _items, onOutcome, signal) => {
        void onOutcome(judged('r0', 'wrong'), 'm');
        return new Promise((resolve, reject) =>
          signal.addEventListener('abort', () =>
            how === 'rejects' ? reject(new Error('aborted')) : resolve('cancelled'),
          ),
        );
      });
      const running = startJudging('f', JUDGE, false);
      await settle();
      stopJudging();
      expect(job()?.status).toBe('stopping');
      await running;
      expect(job()).toMatchObject({ status: 'ended', done: 1, wrong: 1 });
      expect(job()?.words).toMatch(/^Stopped\. The verdicts so far are kept/);
      expect(keptIn(fake)).toEqual([['r0']]);
    },
  );
});

it('the time to the end follows from what was done', async () => {
  connect(4, allRight);
  await startJudging('f', JUDGE, false);
  const done = job();
  if (!done) throw new Error('a job was done');
  const { startedAt } = done;
  expect(judgingLeft({ ...done, done: 1, total: 4 }, startedAt + 2000)).toBeCloseTo(6);
  expect(judgingLeft({ ...done, done: 4, total: 4 }, startedAt + 2000)).toBe(0);
  expect(judgingLeft({ ...done, done: 0 }, startedAt + 2000)).toBeNull();
});
