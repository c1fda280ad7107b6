import { describe, expect, it } from 'vitest';
import type { DownloadProgress } from '../../../../src/lab/contract/checkpoints.ts';
import { planHub } from '../../../../src/lab/models/checkpoints/plan/plan-hub.ts';
import { planUrl } from '../../../../src/lab/models/checkpoints/plan/plan-url.ts';
import { parseSource } from '../../../../src/lab/models/checkpoints/plan/source.ts';
import { httpTransport } from '../../../../src/lab/models/checkpoints/transport.ts';
import { CHUNK, WEB, faultOf, makeBench, type Bench } from './bench.ts';
import { weights } from './hub-server.ts';

const FIRST = 'model-00001-of-00002.safetensors';
const SECOND = 'model-00002-of-00002.safetensors';

async function added({ hub, store }: Bench, from: 'hub' | 'url' = 'hub'): Promise<string> {
  const source = parseSource(from === 'hub' ? 'forage/tiny' : `${hub.url}/folder`, hub.url);
  const plan =
    source.kind === 'hub' ? (await planHub(WEB, source)).plan : await planUrl(WEB, source);
  hub.asked.length = 0;
  return (await store.create(plan, '')).id;
}

/** All that was stored equals what the server has. */
async function expectWhole({ hub, store }: Bench, id: string): Promise<void> {
  const files = await store.open(id);
  expect(await files.size('README.md')).toBe(null);
  for (const row of await store.rows(id)) {
    const bytes = hub.files.get(row.name)!;
    expect(await files.size(row.name)).toBe(bytes.length);
    expect(Buffer.compare(await files.readRange(row.name, 0, bytes.length), bytes)).toBe(0);
  }
}

/** Bytes that the server was asked for again though they had arrived or could have. */
const again = ({ hub }: Bench, name: string): number[] => {
  const asked = hub.asked.filter((request) => request.name === name);
  return asked.slice(1).map(({ from }, i) => asked[i]!.from + asked[i]!.sent - from);
};

it('stores a sharded checkpoint of a hub, whole and checked', async () => {
  const bench = await makeBench();
  const id = await added(bench);
  const told: DownloadProgress[] = [];
  await bench.run(id, { onProgress: (progress) => told.push(progress) });
  await expectWhole(bench, id);
  expect((await bench.store.record(id)).readyAt).not.toBe(null);
  expect(told.length).toBeGreaterThan(0);
  const all = [...(await bench.store.rows(id))].reduce((sum, { done }) => sum + done, 0);
  for (const { doneBytes, totalBytes } of told) {
    expect(totalBytes).toBe(all);
    expect(doneBytes).toBeLessThanOrEqual(all);
  }
  await expect(bench.store.open('other')).rejects.toThrow('no checkpoint other');
});

describe('the network dies at 20 points of a shard', () => {
  it('continues with at most one chunk fetched again, manually or automatically', async () => {
    for (const waits of [[], [0]]) {
      const bench = await makeBench();
      const id = await added(bench);
      const { length } = bench.hub.files.get(FIRST)!;
      const cuts = Array.from({ length: 20 }, (_, i) => Math.floor(((i + 0.4) * length) / 20));
      bench.hub.cutAt.set(FIRST, [...cuts]);
      let stops = 0;
      for (;;) {
        try {
          await bench.run(id, { waits });
          break;
        } catch (error) {
          expect(error).toMatchObject({ kind: 'interrupted' });
          expect(await bench.store.open(id).catch((e: Error) => e.message)).toContain('whole');
          stops++;
        }
      }
      expect(stops).toBe(waits.length === 0 ? 20 : 0);
      const twice = again(bench, FIRST);
      expect(twice).toHaveLength(20);
      for (const bytes of twice) expect(bytes).toBeLessThanOrEqual(CHUNK);
      await expectWhole(bench, id);
    }
  });

  it('continues in a new page after the tab was killed in the middle of a write', async () => {
    const bench = await makeBench();
    const id = await added(bench);
    let kills = 0;
    for (; kills < 100; kills++) {
      bench.files.lives = 1;
      const store = bench.reopened();
      const ended = await bench.run(id, { store }).catch((error: Error) => error.message);
      if (ended === undefined) break;
      expect(ended).toBe('killed');
    }
    // One chunk was written in each life, and none of them ever again.
    const rows = await bench.store.rows(id);
    const chunks = rows.reduce((sum, { done }) => sum + Math.ceil(done / CHUNK), 0);
    expect(chunks).toBeGreaterThan(16);
    expect(kills).toBe(chunks - 1);
    for (const { from } of bench.hub.asked) expect(from % CHUNK).toBe(0);
    await expectWhole(bench, id);
  });
});

it('stops on request, keeps the received bytes, and continues from there', async () => {
  const bench = await makeBench();
  const id = await added(bench);
  bench.hub.rate = 400_000;
  const stop = new AbortController();
  const run = bench.run(id, {
    signal: stop.signal,
    onProgress: ({ doneBytes }) => doneBytes > 100_000 && stop.abort(),
  });
  await expect(run).rejects.toMatchObject({ name: 'AbortError' });
  const kept = (await bench.store.rows(id)).reduce((sum, { done }) => sum + done, 0);
  expect(kept).toBeGreaterThan(100_000);
  bench.hub.rate = null;
  await bench.run(id);
  expect(bench.hub.asked.at(-2)?.from).toBeGreaterThan(0);
  await expectWhole(bench, id);
});

describe('a file that changed meanwhile', () => {
  it.each(['If-Range', 'the tag of the answer'])('begins again, told by %s', async (how) => {
    const bench = await makeBench();
    const id = await added(bench, 'url');
    bench.hub.cutAt.set(FIRST, [100_000]);
    expect((await faultOf(bench.run(id))).kind).toBe('interrupted');
    bench.hub.files.set(FIRST, weights('a', 40_000, 9));
    const origin = how === 'If-Range' ? null : 'http://page.example';
    await bench.run(id, { transport: httpTransport({ ...WEB, origin }, null) });
    const asked = bench.hub.asked.filter(({ name }) => name === FIRST);
    expect(asked[1]?.ifRange !== null).toBe(how === 'If-Range');
    expect(asked.at(-1)?.from).toBe(0);
    await expectWhole(bench, id);
  });
});

it('fetches a whole file again that became another one before the rest came', async () => {
  const bench = await makeBench();
  const id = await added(bench, 'url');
  bench.hub.cutAt.set(SECOND, [100_000]);
  expect((await faultOf(bench.run(id))).kind).toBe('interrupted');
  bench.hub.files.set(FIRST, weights('a', 50_000, 9));
  bench.hub.asked.length = 0;
  await bench.run(id);
  expect(bench.hub.asked.map(({ name, from }) => [name, from > 0])).toEqual([
    [FIRST, false],
    [SECOND, true],
  ]);
  await expectWhole(bench, id);
});

it('begins a file again where the server knows no ranges, or nothing names its state', async () => {
  for (const lack of ['ranges', 'etags'] as const) {
    const bench = await makeBench();
    bench.hub[lack] = false;
    const id = await added(bench, 'url');
    bench.hub.cutAt.set(FIRST, [100_000]);
    expect((await faultOf(bench.run(id))).kind).toBe('interrupted');
    await bench.run(id);
    const asked = bench.hub.asked.filter(({ name }) => name === FIRST);
    expect(asked).toHaveLength(2);
    await expectWhole(bench, id);
  }
});

describe('a damaged file', () => {
  it('that is not what the hub says is thrown away alone, and fetched again', async () => {
    const bench = await makeBench();
    const id = await added(bench);
    const good = bench.hub.files.get(SECOND)!;
    const bad = good.slice();
    bad[bad.length - 5]! ^= 1;
    bench.hub.files.set(SECOND, bad);
    const fault = await faultOf(bench.run(id));
    expect(fault).toMatchObject({ kind: 'damaged' });
    expect(fault.message).toContain(SECOND);
    expect(await bench.files.size(`checkpoints/${id}/${SECOND}`)).toBe(null);
    bench.hub.files.set(SECOND, good);
    bench.hub.asked.length = 0;
    await bench.run(id);
    expect(bench.hub.asked.map(({ name, from }) => [name, from])).toEqual([[SECOND, 0]]);
    await expectWhole(bench, id);
  });

  it.each([
    ['shorter than its header says', (bytes: Uint8Array) => bytes.slice(0, -4)],
    ['an LFS pointer', () => new TextEncoder().encode('version https://git-lfs.github.com/spec')],
    ['a web page', () => new TextEncoder().encode('<!doctype html><title>Sign in</title>')],
  ])('is refused without a hash too: %s', async (_, spoil) => {
    const bench = await makeBench();
    bench.hub.files.set(FIRST, spoil(bench.hub.files.get(FIRST)!));
    const id = await added(bench, 'url');
    expect(await faultOf(bench.run(id))).toMatchObject({ kind: 'damaged' });
    expect((await bench.store.rows(id)).find(({ name }) => name === FIRST)?.done).toBe(0);
  });
});

it('says before the first byte that it does not fit, and stops with a reason when the disk is full', async () => {
  const bench = await makeBench();
  const id = await added(bench);
  const early = await faultOf(bench.run(id, { free: () => Promise.resolve(300_000) }));
  expect(early).toMatchObject({ kind: 'storage-full' });
  expect(early.message).toMatch(/needs 0\.4 MB more; .* 0\.3 MB more/);
  expect(bench.hub.asked).toHaveLength(0);
  bench.files.quota = 120_000;
  expect(await faultOf(bench.run(id))).toMatchObject({ kind: 'storage-full' });
  bench.files.quota = Infinity;
  await bench.run(id);
  expect(again(bench, FIRST).every((bytes) => bytes >= 0)).toBe(true);
  await expectWhole(bench, id);
});

it('notices a connection that stays open and says nothing', async () => {
  const bench = await makeBench();
  const id = await added(bench);
  bench.hub.rate = 1;
  expect(await faultOf(bench.run(id, { stallMs: 20 }))).toMatchObject({ kind: 'interrupted' });
  bench.hub.rate = null;
  await bench.run(id);
  await expectWhole(bench, id);
});
