import { readFile } from 'node:fs/promises';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  connectPolicy,
  type Gone,
  type RemotePolicy,
} from '../../../src/policy/serving/connect.ts';
import type { FromPolicy, ToPolicy } from '../../../src/policy/serving/messages.ts';
import { PolicyPool } from '../../../src/policy/serving/pool.ts';
import { servePolicy } from '../../../src/policy/serving/serve.ts';
import type { Work } from '../../../src/policy/watchdog.ts';
import { loadPolicy } from '../../../src/policy/open/load.ts';
import type { Generated, Policy, Sampling } from '../../../src/policy/policy.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const sampling: Sampling = { temperature: 1, topK: 0, topP: 1 };
const load = (): Promise<Policy> => loadPolicy({ files, id: 'tiny', device: 'wasm' });

/** The fixture with room for long texts: its own 256 positions are full before a message arrives. */
async function roomy(name: string): Promise<Uint8Array> {
  const bytes = await files(name);
  if (name !== 'config.json') return bytes;
  const config = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...config, max_position_embeddings: 8192 }));
}

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A policy at the far end of a message channel, as if in a worker. */
async function remote(
  onSampled = (_count: number): void => undefined,
  from = load,
): Promise<RemotePolicy> {
  const policy = await from();
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  servePolicy(policy, port1);
  return connectPolicy(port2, policy.tokenizer, { onSampled });
}

async function rollout(policy: Policy, seed: number): Promise<Generated[]> {
  const session = await policy.open(seed);
  session.append(Array.from({ length: 20 + seed * 3 }, (_, i) => 22 + ((i * 7 + seed) % 250)));
  const first = await session.generate({ maxTokens: 8, stopIds: [], sampling });
  const fork = await session.fork(seed + 100);
  session.append([60, 61, 62]);
  const [second, third] = await Promise.all([
    session.generate({ maxTokens: 8, stopIds: [], sampling }),
    fork.generate({ maxTokens: 4, stopIds: [], sampling }),
  ]);
  const { length } = session;
  expect(length).toBe(20 + seed * 3 + 8 + 3 + 8);
  session.close();
  fork.close();
  return [first, second, third];
}

const seeds = [1, 2, 3, 4, 5, 6, 7];

test('one engine, or several over messages, generate the same', async () => {
  const direct = await load();
  const expected = await Promise.all(seeds.map((seed) => rollout(direct, seed)));
  const pool = new PolicyPool([await remote(), await remote(), await remote()]);
  expect(await Promise.all(seeds.map((seed) => rollout(pool, seed)))).toEqual(expected);
  expect(pool.load).toEqual([0, 0, 0]);
  pool.dispose();
  direct.dispose();
});

test('tokens stream and aborts arrive through the channel', async () => {
  const policy = await remote(undefined, () =>
    loadPolicy({ files: roomy, id: 'tiny', device: 'wasm' }),
  );
  const session = await policy.open(3);
  session.append([30, 31, 32]);
  const abort = new AbortController();
  const streamed: number[] = [];
  const result = await session.generate({
    maxTokens: 8000,
    stopIds: [],
    sampling,
    signal: abort.signal,
    onTokens: ({ ids }) => {
      streamed.push(...ids);
      if (streamed.length >= 5) abort.abort();
    },
  });
  expect(result.finish).toBe('abort');
  expect(result.ids.length).toBeLessThan(8000);
  expect(streamed).toEqual(result.ids);
  expect(session.length).toBe(3 + result.ids.length);
  policy.dispose();
});

test('every token is handed on once, to the call that it belongs to', async () => {
  let sampled = 0;
  const policy = await remote((count) => (sampled += count));
  const sessions = await Promise.all(seeds.map((seed) => policy.open(seed)));
  let expected = 0;
  for (let call = 0; call < 3; call++)
    await Promise.all(
      sessions.map(async (session) => {
        session.append([30, 31 + call]);
        const streamed: number[] = [];
        const { ids } = await session.generate({
          maxTokens: 7,
          stopIds: [],
          sampling,
          onTokens: (added) => streamed.push(...added.ids),
        });
        expect(streamed).toEqual(ids);
        expected += ids.length;
      }),
    );
  expect(sampled).toBe(expected);
  policy.dispose();
});

test('text that cannot be appended fails the call that would read it', async () => {
  const policy = await remote();
  const session = await policy.open(1);
  session.append([30]);
  session.append([1_000_000]);
  await expect(session.generate({ maxTokens: 1, stopIds: [], sampling })).rejects.toThrow(
    /token id 1000000/,
  );
  session.close();
  policy.dispose();
});

test('an error at the far end rejects the call, a lost worker all calls', async () => {
  const policy = await remote();
  const empty = await policy.open(1);
  await expect(empty.generate({ maxTokens: 1, stopIds: [], sampling })).rejects.toThrow(
    /context is empty/,
  );
  const session = await policy.open(2);
  session.append([40]);
  const running = session.generate({ maxTokens: 200, stopIds: [], sampling });
  policy.lost(new Error('the worker stopped'));
  await expect(running).rejects.toThrow(/the worker stopped/);
  await expect(policy.open(3)).rejects.toThrow(/the worker stopped/);
  await expect(session.generate({ maxTokens: 1, stopIds: [], sampling })).rejects.toThrow(
    /the worker stopped/,
  );
  session.close();
});

test('a further engine starts with the first session that finds no other free, and generates the same', async () => {
  const direct = await load();
  const expected = await Promise.all(seeds.map((seed) => rollout(direct, seed)));
  const start = vi.fn(() => remote());
  const pool = new PolicyPool([await remote()], [start]);
  // One after another need one.
  for (const seed of [1, 2]) expect(await rollout(pool, seed)).toEqual(expected[seed - 1]);
  expect(start).not.toHaveBeenCalled();
  const all = Promise.all(seeds.map((seed) => rollout(pool, seed)));
  expect(await all).toEqual(expected);
  expect(start).toHaveBeenCalledTimes(1);
  expect(pool.load).toEqual([0, 0]);
  const sessions = await Promise.all(seeds.slice(0, 4).map((seed) => pool.open(seed)));
  expect(pool.load).toEqual([2, 2]);
  for (const session of sessions) session.close();
  pool.dispose();
  direct.dispose();
});

test('a further engine that cannot be started is done without, and not tried again', async () => {
  const warned = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const start = vi.fn(() => Promise.reject(new Error('the server is gone')));
  const pool = new PolicyPool([await remote()], [start]);
  const sessions = await Promise.all([1, 2, 3].map((seed) => pool.open(seed)));
  expect(pool.load).toEqual([3]);
  expect(start).toHaveBeenCalledTimes(1);
  expect(warned).toHaveBeenCalledTimes(1);
  warned.mockRestore();
  for (const session of sessions) session.close();
  pool.dispose();
});

test('members of a pool must have the same weights', async () => {
  const policy = await load();
  const other: Policy = Object.create(policy, {
    info: { value: { ...policy.info, revision: 'other' } },
  }) as Policy;
  expect(() => new PolicyPool([policy, other])).toThrow(/different weights/);
  expect(() => new PolicyPool([])).toThrow(/no members/);
  policy.dispose();
});

describe('a far end that is stuck', () => {
  const patience = { compiling: 400, computing: 150 };

  /** The far end of a policy whose signs and tokens are those that the test sends. */
  async function scripted() {
    const { tokenizer, info } = await load();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    const asked = new Promise<number>((resolve) => {
      port1.addEventListener('message', ({ data }: MessageEvent<ToPolicy>) => {
        if (data.type === 'generate') resolve(data.session);
      });
    });
    port1.start();
    const say = (message: FromPolicy): void => port1.postMessage(message);
    const onGone = vi.fn<(error: Gone) => void>();
    const connected = connectPolicy(port2, tokenizer, { patience, onGone });
    say({ type: 'ready', info, adapts: false });
    const policy = await connected;
    const opened = await policy.open(1);
    const started = performance.now();
    const failed = opened
      .generate({ maxTokens: 9, stopIds: [], sampling })
      .then(String, String)
      .then((outcome) => ({ outcome, afterMs: performance.now() - started }));
    return { policy, say, onGone, failed, session: await asked };
  }
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  test('loses all calls with what happened and what to do, and is told once', async () => {
    const { policy, say, onGone, failed } = await scripted();
    say({ type: 'working', work: 'computing' });
    expect((await failed).outcome).toMatch(/no progress for .* while generating.*choose the CPU/);
    expect(onGone).toHaveBeenCalledTimes(1);
    await expect(policy.open(2)).rejects.toThrow(/made no progress/);
    await wait(2 * patience.computing);
    expect(onGone).toHaveBeenCalledTimes(1);
  });

  test('is given longer to compile, and signs count from the last one', async () => {
    const { say, onGone, failed } = await scripted();
    // Silent for longer than a step may take, but not than kernels may; then slow, but at work.
    await wait(patience.computing + 100);
    for (let i = 0; i < 5; i++) {
      say({ type: 'working', work: 'computing' });
      await wait(patience.computing / 2);
    }
    expect(onGone).not.toHaveBeenCalled();
    const { outcome, afterMs } = await failed;
    expect(outcome).toMatch(/made no progress/);
    expect(afterMs).toBeGreaterThan(2 * patience.computing + 5 * (patience.computing / 2));
  });

  test('is of no use either where its engine cannot go on', async () => {
    const { policy, say, onGone, failed, session } = await scripted();
    say({
      type: 'failed',
      session,
      name: 'EngineFault',
      reason: 'policy: a step failed (no memory)',
    });
    expect((await failed).outcome).toMatch(/a step failed \(no memory\)/);
    expect(onGone).toHaveBeenCalledTimes(1);
    await expect(policy.open(2)).rejects.toThrow(/a step failed/);
  });

  test('may be silent while nothing is asked of it', async () => {
    const direct = await load();
    const { port1, port2 } = new MessageChannel();
    ports.push(port1, port2);
    servePolicy(direct, port1);
    const onGone = vi.fn();
    const policy = await connectPolicy(port2, direct.tokenizer, {
      patience: { compiling: 20_000, computing: 150 },
      onGone,
    });
    const session = await policy.open(1);
    session.append([30]);
    await session.generate({ maxTokens: 2, stopIds: [], sampling });
    await wait(400);
    await session.generate({ maxTokens: 2, stopIds: [], sampling });
    expect(onGone).not.toHaveBeenCalled();
    policy.dispose();
  });
});

test('an engine says that it compiles before a first step, and that it computes after it', async () => {
  const policy = await load();
  const signs: Work[] = [];
  policy.onWork!((work) => signs.push(work));
  const session = await policy.open(1);
  session.append([30, 31]);
  await session.generate({ maxTokens: 1, stopIds: [], sampling });
  expect(signs[0]).toBe('compiling');
  expect(signs.at(-1)).toBe('computing');
  signs.length = 0;
  await session.generate({ maxTokens: 1, stopIds: [], sampling });
  expect(new Set(signs)).toEqual(new Set(['computing']));
  session.close();
  policy.dispose();
});

test('a listener at the near end that throws ends its own call; the session can go on', async () => {
  const policy = await remote();
  const [bad, good] = [await policy.open(1), await policy.open(2)];
  for (const session of [bad, good]) session.append([30, 31, 32]);
  const running = good.generate({ maxTokens: 20, stopIds: [], sampling });
  const onTokens = vi.fn(() => {
    throw new Error('the page could not show it');
  });
  await expect(bad.generate({ maxTokens: 200, stopIds: [], sampling, onTokens })).rejects.toThrow(
    'the page could not show it',
  );
  expect(onTokens).toHaveBeenCalledTimes(1);
  expect((await running).ids.length).toBe(20);
  const length = bad.length;
  expect(length).toBeLessThan(203);
  expect((await bad.generate({ maxTokens: 2, stopIds: [], sampling })).ids.length).toBe(2);
  expect(bad.length).toBe(length + 2);
  policy.dispose();
});
