import type { Remote } from 'comlink';
import { describe, expect, it, vi } from 'vitest';
import type { Generated, SampledTokens } from '../../../src/policy/policy.ts';
import type { PolicyHostApi, TokenMessage } from '../../../src/runs/conductor/policy-host.ts';
import { RemotePolicy } from '../../../src/runs/conductor/remote-policy.ts';
import { tokenizer } from '../../agent/tokenizer.ts';

const tokens = (...ids: number[]): SampledTokens => ({
  ids,
  logprobs: ids.map((id) => -id),
  entropies: ids.map((id) => id / 2),
});

const info = {
  id: 'test',
  revision: '0',
  parameters: 1,
  maxContext: 64,
  device: 'wasm' as const,
  dtype: 'f16' as const,
};

/** The other side of the messages, answered by hand. */
const setUp = () => {
  const answers: ((generated: Generated) => void)[] = [];
  const host = {
    open: vi.fn(() => Promise.resolve(1)),
    generate: vi.fn(() => new Promise<Generated>((resolve) => answers.push(resolve))),
    abort: vi.fn(() => Promise.resolve()),
    fork: vi.fn(() => Promise.resolve(2)),
    close: vi.fn(() => Promise.resolve()),
  };
  const count = vi.fn();
  const policy = new RemotePolicy(
    {
      call: (use) => use(host as unknown as Remote<PolicyHostApi>),
      terminate: () => undefined,
    },
    info,
    tokenizer,
    count,
  );
  return { policy, host, answers, count };
};

const options = { maxTokens: 8, stopIds: [9], sampling: { temperature: 1, topK: 0, topP: 1 } };
const message = (call: number, added: SampledTokens): TokenMessage => ({
  session: 1,
  call,
  ...added,
});

describe('the policy behind messages', () => {
  it('sends what was appended with the next call, and counts the length itself', async () => {
    const { policy, host, answers } = setUp();
    const session = await policy.open(7);
    session.append([1, 2]);
    session.append([3]);
    expect(session.length).toBe(3);
    const running = session.generate(options);
    expect(host.generate.mock.calls[0]).toEqual([
      1,
      1,
      [1, 2, 3],
      { maxTokens: 8, stopIds: [9], sampling: options.sampling },
    ]);
    answers[0]?.({ ...tokens(4, 9), finish: 'stop' });
    expect((await running).ids).toEqual([4, 9]);
    expect(session.length).toBe(5);
  });

  it('hands every token on exactly once, whichever way it came first', async () => {
    const { policy, answers, count } = setUp();
    const session = await policy.open(7);
    session.append([1]);
    const seen: number[] = [];
    const running = session.generate({ ...options, onTokens: ({ ids }) => seen.push(...ids) });
    policy.receive([message(1, tokens(4, 5))]);
    answers[0]?.({ ...tokens(4, 5, 6, 9), finish: 'stop' });
    await running;
    // The batch that was still on its way is known already.
    policy.receive([message(1, tokens(6, 9))]);
    expect(seen).toEqual([4, 5, 6, 9]);
    expect(count.mock.calls.map(([n]) => Number(n)).reduce((a, b) => a + b, 0)).toBe(4);
  });

  it('does not take a late batch of one call for the next', async () => {
    const { policy, answers } = setUp();
    const session = await policy.open(7);
    session.append([1]);
    const first = session.generate(options);
    answers[0]?.({ ...tokens(9), finish: 'stop' });
    await first;
    const seen: number[] = [];
    const second = session.generate({ ...options, onTokens: ({ ids }) => seen.push(...ids) });
    policy.receive([message(1, tokens(9))]);
    answers[1]?.({ ...tokens(5), finish: 'length' });
    await second;
    expect(seen).toEqual([5]);
  });

  it('forks with what was appended, and hands aborts on', async () => {
    const { policy, host, answers } = setUp();
    const session = await policy.open(7);
    session.append([1, 2]);
    const fork = await session.fork(3);
    expect(host.fork).toHaveBeenCalledWith(1, [1, 2], 3);
    expect(fork.length).toBe(2);
    const abort = new AbortController();
    const running = session.generate({ ...options, signal: abort.signal });
    abort.abort();
    expect(host.abort).toHaveBeenCalledWith(1);
    answers[0]?.({ ...tokens(4), finish: 'abort' });
    expect((await running).finish).toBe('abort');
  });
});
