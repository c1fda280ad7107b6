import { readFile } from 'node:fs/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { connectPolicy, type RemotePolicy } from '../../../src/policy/generation/connect.ts';
import { PolicyPool } from '../../../src/policy/generation/pool.ts';
import { servePolicy } from '../../../src/policy/generation/serve.ts';
import { loadPolicy } from '../../../src/policy/load.ts';
import type { Generated, Policy, Sampling } from '../../../src/policy/policy.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const sampling: Sampling = { temperature: 1, topK: 0, topP: 1 };
const load = (): Promise<Policy> => loadPolicy({ files, id: 'tiny', device: 'wasm' });

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** A policy at the far end of a message channel, as if in a worker. */
async function remote(onSampled?: (count: number) => void): Promise<RemotePolicy> {
  const policy = await load();
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  servePolicy(policy, port1);
  return connectPolicy(port2, policy.tokenizer, onSampled);
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
  const policy = await remote();
  const session = await policy.open(3);
  session.append([30, 31, 32]);
  const abort = new AbortController();
  const streamed: number[] = [];
  const result = await session.generate({
    maxTokens: 200,
    stopIds: [],
    sampling,
    signal: abort.signal,
    onTokens: ({ ids }) => {
      streamed.push(...ids);
      if (streamed.length >= 5) abort.abort();
    },
  });
  expect(result.finish).toBe('abort');
  expect(result.ids.length).toBeLessThan(200);
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

test('members of a pool must have the same weights', async () => {
  const policy = await load();
  const other: Policy = Object.create(policy, {
    info: { value: { ...policy.info, revision: 'other' } },
  }) as Policy;
  expect(() => new PolicyPool([policy, other])).toThrow(/different weights/);
  expect(() => new PolicyPool([])).toThrow(/no members/);
  policy.dispose();
});
