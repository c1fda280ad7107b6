import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { reaches } from '../../../src/ui/lab/service-worker-stage.ts';

/** A worker that tells of its changes, unless it is silent. */
class FakeWorker extends EventTarget {
  state = 'installing';

  become(state: string): void {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }
}

type Places = Partial<Record<'installing' | 'waiting' | 'active', FakeWorker>>;

/** A registration, and how waiting for a stage of it has come out so far. */
const waits = (places: Places, stage: 'installed' | 'active', signal?: AbortSignal) => {
  const registration = { installing: null, waiting: null, active: null, ...places };
  const found = { outcome: 'waiting' };
  reaches(registration as unknown as ServiceWorkerRegistration, stage, 'given up', signal).then(
    () => (found.outcome = 'reached'),
    (error: Error) => (found.outcome = error.message),
  );
  return { registration, found };
};

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());
const soon = () => vi.advanceTimersByTimeAsync(1000);

describe('a service worker that tells of its changes', () => {
  test('is stored once it is installed, and answers once it is activated', async () => {
    const installing = new FakeWorker();
    const [stored, answers] = [
      waits({ installing }, 'installed').found,
      waits({ installing }, 'active').found,
    ];
    await soon();
    expect([stored.outcome, answers.outcome]).toEqual(['waiting', 'waiting']);
    installing.become('installed');
    await soon();
    expect([stored.outcome, answers.outcome]).toEqual(['reached', 'waiting']);
    installing.become('activated');
    await soon();
    expect(answers.outcome).toBe('reached');
  });

  test('is given up when the browser gives it up', async () => {
    const installing = new FakeWorker();
    const { found } = waits({ installing }, 'installed');
    installing.become('redundant');
    await soon();
    expect(found.outcome).toBe('given up');
  });
});

describe('a service worker that is silent', () => {
  test('has the stage of its registration', async () => {
    const installing = new FakeWorker();
    const { registration, found } = waits({ installing }, 'installed');
    const { registration: other, found: answers } = waits({ installing }, 'active');
    for (const one of [registration, other])
      Object.assign(one, { installing: null, waiting: installing });
    await soon();
    expect([found.outcome, answers.outcome]).toEqual(['reached', 'waiting']);
    Object.assign(other, { waiting: null, active: installing });
    await soon();
    expect(answers.outcome).toBe('reached');
  });

  test('is given up when its registration has it no more', async () => {
    const { registration, found } = waits({ installing: new FakeWorker() }, 'installed');
    registration.installing = null;
    await soon();
    expect(found.outcome).toBe('given up');
  });
});

test('stops waiting after the timeout', async () => {
  const late = new AbortController();
  const { found } = waits({ installing: new FakeWorker() }, 'active', late.signal);
  await soon();
  expect(vi.getTimerCount()).toBe(1);
  late.abort(new Error('too late'));
  await soon();
  expect([found.outcome, vi.getTimerCount()]).toEqual(['too late', 0]);
});

test('one that an earlier visit left is there at once', async () => {
  const active = new FakeWorker();
  active.state = 'activated';
  const { found } = waits({ active }, 'installed');
  await soon();
  expect(found.outcome).toBe('reached');
});
