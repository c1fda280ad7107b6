import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { loadPolicy } from '../../../src/policy/open/load.ts';
import type { Generated, Policy, Sampling } from '../../../src/policy/policy.ts';

// Compiling kernels is quick, but not on a machine that does much else.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const fixture = new URL('../../fixtures/qwen3-tiny/', import.meta.url);
const files = (name: string): Promise<Uint8Array> => readFile(new URL(name, fixture));

const sampled: Sampling = { temperature: 1, topK: 0, topP: 1 };
const load = (maxSlots?: number): Promise<Policy> =>
  loadPolicy({ files, id: 'tiny', device: 'wasm', ...(maxSlots ? { maxSlots } : {}) });

let policy: Policy;
beforeAll(async () => {
  policy = await load();
});
afterAll(() => policy.dispose());

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const promptOf = (seed: number, length: number): number[] =>
  Array.from({ length }, (_, i) => 22 + ((seed * 7919 + i * 104729) % 256));

/** A rollout of three turns with text between them, as the agent makes them. */
async function rollout(p: Policy, seed: number, wait = 0): Promise<Generated[]> {
  const session = await p.open(seed);
  const turns: Generated[] = [];
  session.append(promptOf(seed, 3 + ((seed * 13) % 70)));
  for (let turn = 0; turn < 3; turn++) {
    turns.push(
      await session.generate({
        maxTokens: 4 + ((seed + turn * 5) % 25),
        stopIds: [],
        sampling: sampled,
      }),
    );
    if (wait > 0) await sleep((wait * (seed % 5)) / 5);
    session.append(promptOf(seed + turn, 1 + ((seed + turn * 11) % 40)));
  }
  session.close();
  return turns;
}

const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

describe('one seed, one rollout', () => {
  let alone: Generated[][];
  beforeAll(async () => {
    alone = [];
    for (const seed of seeds) alone.push(await rollout(policy, seed));
  });

  test('ragged batches give the tokens and log-probabilities of one at a time, bit for bit', async () => {
    expect(await Promise.all(seeds.map((seed) => rollout(policy, seed)))).toEqual(alone);
  });

  test('the order of arrival and the time that searches take change nothing', async () => {
    const shuffled = [...seeds].sort((a, b) => ((a * 7) % 20) - ((b * 7) % 20));
    const results = new Map<number, Generated[]>();
    await Promise.all(
      shuffled.map(async (seed) => {
        await sleep(seed % 4);
        results.set(seed, await rollout(policy, seed, 10));
      }),
    );
    expect(seeds.map((seed) => results.get(seed))).toEqual(alone);
  });

  test('more sessions than slots wait for each other and give the same', async () => {
    const narrow = await load(3);
    expect(await Promise.all(seeds.map((seed) => rollout(narrow, seed)))).toEqual(alone);
    narrow.dispose();
  });

  test('sessions that end early, and the smaller batch after them, change nothing for the rest', async () => {
    const long = async (seed: number, maxTokens: number): Promise<Generated> => {
      const session = await policy.open(seed);
      session.append(promptOf(seed, 30));
      const generated = await session.generate({ maxTokens, stopIds: [], sampling: sampled });
      session.close();
      return generated;
    };
    const lengths = seeds.slice(0, 12).map((seed) => (seed % 6 === 0 ? 150 : seed));
    const apart: Generated[] = [];
    for (const [i, length] of lengths.entries()) apart.push(await long(i + 1, length));
    const together = await Promise.all(lengths.map((length, i) => long(i + 1, length)));
    expect(together).toEqual(apart);
  });
});
