import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadPolicy } from '../../../src/policy/open/load.ts';
import type { Policy, SampledTokens, Sampling } from '../../../src/policy/policy.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));
const sampling: Sampling = { temperature: 1, topK: 0, topP: 1 };
const prompt = Array.from({ length: 40 }, (_, i) => 30 + i);

/** The fixture with room for long texts: its own 256 positions are full before a message arrives. */
async function roomy(name: string): Promise<Uint8Array> {
  const bytes = await files(name);
  if (name !== 'config.json') return bytes;
  const config = JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  return Buffer.from(JSON.stringify({ ...config, max_position_embeddings: 8192 }));
}

let policy: Policy;
beforeAll(async () => {
  policy = await loadPolicy({ files, id: 'tiny', device: 'wasm' });
});
afterAll(() => policy.dispose());

async function opened(seed: number, ids: readonly number[] = prompt) {
  const session = await policy.open(seed);
  session.append(ids);
  return session;
}

test('length counts what was read and written', async () => {
  const session = await opened(1);
  expect(session.length).toBe(40);
  const { ids, logprobs, entropies, finish } = await session.generate({
    maxTokens: 5,
    stopIds: [],
    sampling,
  });
  expect([ids.length, logprobs.length, entropies.length, finish]).toEqual([5, 5, 5, 'length']);
  expect(session.length).toBe(45);
  session.close();
});

test('a stop id ends generation and is part of the output', async () => {
  const first = await opened(2);
  const free = await first.generate({ maxTokens: 8, stopIds: [], sampling });
  first.close();
  const second = await opened(2);
  const stopId = free.ids[3]!;
  const stopped = await second.generate({ maxTokens: 8, stopIds: [stopId], sampling });
  second.close();
  expect(stopped.finish).toBe('stop');
  expect(stopped.ids).toEqual(free.ids.slice(0, free.ids.indexOf(stopId) + 1));
});

test('tokens are streamed as they come, each once', async () => {
  const session = await opened(3);
  const streamed: SampledTokens[] = [];
  const result = await session.generate({
    maxTokens: 6,
    stopIds: [],
    sampling,
    onTokens: (added) => streamed.push(added),
  });
  expect(streamed.length).toBe(6);
  expect(streamed.flatMap((added) => added.ids)).toEqual(result.ids);
  expect(streamed.flatMap((added) => added.logprobs)).toEqual(result.logprobs);
  expect(streamed.flatMap((added) => added.entropies)).toEqual(result.entropies);
  session.close();
});

test('generating in two calls gives the tokens of one', async () => {
  const whole = await opened(4);
  const all = await whole.generate({ maxTokens: 40, stopIds: [], sampling });
  whole.close();
  const parts = await opened(4);
  const ids: number[] = [];
  for (const maxTokens of [1, 13, 26])
    ids.push(...(await parts.generate({ maxTokens, stopIds: [], sampling })).ids);
  parts.close();
  expect(ids).toEqual(all.ids);
});

describe('the context is full', () => {
  test('generation ends with `context` at the last position', async () => {
    const session = await opened(
      5,
      Array.from({ length: 250 }, (_, i) => 22 + i),
    );
    const { ids, finish } = await session.generate({ maxTokens: 50, stopIds: [], sampling });
    expect([ids.length, finish, session.length]).toEqual([6, 'context', 256]);
    session.close();
  });

  test('more text than fits gives no token', async () => {
    const session = await opened(
      5,
      Array.from({ length: 300 }, (_, i) => 22 + (i % 200)),
    );
    const { ids, finish } = await session.generate({ maxTokens: 5, stopIds: [], sampling });
    expect([ids.length, finish]).toEqual([0, 'context']);
    session.close();
  });
});

describe('abort', () => {
  test('keeps what was written, and the session can go on as if nothing happened', async () => {
    const whole = await opened(6);
    const all = await whole.generate({ maxTokens: 30, stopIds: [], sampling });
    whole.close();
    const session = await opened(6);
    const abort = new AbortController();
    const first = await session.generate({
      maxTokens: 30,
      stopIds: [],
      sampling,
      signal: abort.signal,
      onTokens: (added) => {
        if (added.ids[0] === all.ids[6]) abort.abort();
      },
    });
    expect(first.finish).toBe('abort');
    const second = await session.generate({
      maxTokens: 30 - first.ids.length,
      stopIds: [],
      sampling,
    });
    expect([...first.ids, ...second.ids]).toEqual(all.ids);
    session.close();
  });

  test('a timer can abort between steps, long before the end', async () => {
    const long = await loadPolicy({ files: roomy, id: 'tiny', device: 'wasm' });
    const session = await long.open(7);
    session.append(prompt);
    const result = await session.generate({
      maxTokens: 8000,
      stopIds: [],
      sampling,
      signal: AbortSignal.timeout(20),
    });
    expect(result.finish).toBe('abort');
    expect(result.ids.length).toBeLessThan(2000);
    session.close();
    long.dispose();
  });

  test('closing a session that generates ends its call', async () => {
    const session = await opened(8);
    const running = session.generate({
      maxTokens: 100,
      stopIds: [],
      sampling,
      onTokens: () => session.close(),
    });
    expect((await running).finish).toBe('abort');
    expect(() => session.append([30])).toThrow(/closed/);
  });
});

test('maxTokens 0 reads what was appended and draws nothing', async () => {
  const plan = { maxTokens: 6, stopIds: [], sampling };
  const direct = await opened(14);
  const expected = await direct.generate(plan);
  direct.close();
  const session = await opened(14);
  const read = await session.generate({ ...plan, maxTokens: 0 });
  expect([read.ids, read.finish, session.length]).toEqual([[], 'length', 40]);
  const fork = await session.fork(14);
  expect(await fork.generate(plan)).toEqual(expected);
  expect(await session.generate(plan)).toEqual(expected);
  fork.close();
  session.close();
});

describe('fork', () => {
  test('has the same past and draws of its own; the parent goes on as if alone', async () => {
    const plan = { maxTokens: 12, stopIds: [], sampling };
    const alone = await opened(9);
    const before = await alone.generate(plan);
    const after = await alone.generate(plan);
    alone.close();

    const parent = await opened(9);
    expect(await parent.generate(plan)).toEqual(before);
    const [one, two] = [await parent.fork(9_000), await parent.fork(9_001)];
    const [a, b, c] = await Promise.all([
      one.generate(plan),
      two.generate(plan),
      parent.generate(plan),
    ]);
    expect(c).toEqual(after);
    expect(a.ids).not.toEqual(b.ids);
    // The first log-probability is of the same distribution: the fork read the same past.
    expect(a.entropies[0]).toBe(c.entropies[0]);
    for (const session of [parent, one, two]) session.close();
  });

  test('of text not yet read, and after the parent is closed', async () => {
    const parent = await opened(10);
    const child = await parent.fork(11);
    parent.close();
    const direct = await opened(11);
    const plan = { maxTokens: 6, stopIds: [], sampling };
    expect(await child.generate(plan)).toEqual(await direct.generate(plan));
    child.close();
    direct.close();
  });
});

describe('misuse has a clear message', () => {
  test('calls that overlap', async () => {
    const session = await opened(12);
    const running = session.generate({ maxTokens: 3, stopIds: [], sampling });
    expect(() => session.append([30])).toThrow(/must not overlap/);
    await running;
    session.close();
  });

  test('an empty context, and ids outside the vocabulary', async () => {
    const session = await policy.open(13);
    await expect(session.generate({ maxTokens: 3, stopIds: [], sampling })).rejects.toThrow(
      /context is empty/,
    );
    expect(() => session.append([288])).toThrow(/288 is not in \[0, 288\)/);
    session.close();
  });
});
