import { afterEach, describe, expect, it } from 'vitest';
import { CheckpointsHost } from '../../../../src/lab/models/checkpoints/host.ts';
import type {
  CheckpointMessage,
  CheckpointView,
} from '../../../../src/lab/contract/checkpoints.ts';
import { UNDO_MS } from '../../../../src/lab/contract/undo.ts';
import { undoEnded } from '../../../../src/lab/storage/free-deleted.ts';
import { openCheckpoint } from '../../../../src/lab/models/checkpoints/open.ts';
import { CHUNK, WEB, makeBench, type Bench } from './bench.ts';
import { shardedFiles } from './hub-server.ts';
import { TabLocks } from './tab-locks.ts';

const SHARD = 'model-00001-of-00002.safetensors';
const channels: BroadcastChannel[] = [];
let browsers = 0;

afterEach(() => channels.splice(0).forEach((channel) => channel.close()));

/** Tabs of one browser on one bench. */
async function browser(files?: Map<string, Uint8Array>) {
  const bench = await makeBench(files);
  const locks = new TabLocks();
  const name = `checkpoints-test-${++browsers}`;
  const room = { free: null as number | null };
  const tab = () => {
    const channel = new BroadcastChannel(name);
    channels.push(channel);
    return new CheckpointsHost({
      store: bench.reopened(),
      web: WEB,
      locks,
      channel,
      free: () => Promise.resolve(room.free),
      download: { chunkBytes: CHUNK, waits: [] },
    });
  };
  return { bench, locks, room, tab };
}

const request = ({ hub }: Bench) => ({ kind: 'named', text: 'forage/tiny', hub: hub.url }) as const;

const done = <T>(outcome: { status: 'ready'; value: T } | { status: 'failed' }): T => {
  if (outcome.status !== 'ready') throw new Error(JSON.stringify(outcome));
  return outcome.value;
};

const only = async (host: CheckpointsHost): Promise<CheckpointView> => {
  const list = await host.list();
  expect(list).toHaveLength(1);
  return list[0]!;
};

async function start(host: CheckpointsHost, bench: Bench, name = ''): Promise<string> {
  const { plan } = done(await host.plan(request(bench)));
  return done(await host.add(plan, name)).id;
}

const reaches = (host: CheckpointsHost, state: CheckpointView['state']) =>
  expect.poll(async () => (await only(host)).state, { timeout: 10_000 }).toBe(state);

it('plans, stores, tells of it, and opens for reading', async () => {
  const { bench, tab, room, locks } = await browser();
  room.free = 10e6;
  const host = tab();
  const told: CheckpointMessage[] = [];
  await host.listen((message) => told.push(message));
  const view = done(await host.plan(request(bench)));
  expect(view).toMatchObject({ freeBytes: 10e6, unknownSizes: 0, facts: { family: 'qwen2' } });
  const id = done(await host.add(view.plan, ' Mine ')).id;
  await reaches(host, 'ready');
  const stored = await only(host);
  expect(stored).toMatchObject({ id, name: 'Mine', failure: null, doneBytes: view.bytes });
  expect(stored.files.filter(({ checked }) => checked)).toHaveLength(2);
  const last = told.findLast(({ type }) => type === 'list');
  expect(last).toMatchObject({ checkpoints: [{ state: 'ready' }] });

  const open = await openCheckpoint(id, bench.reopened(), locks);
  expect(open.revision).toMatch(/^[0-9a-f]{12}$/);
  const shard = bench.hub.files.get(SHARD)!;
  expect(await open.files.readRange(SHARD, 10, 50)).toEqual(new Uint8Array(shard.slice(10, 50)));
  open.release();
});

it('keeps the reason of a stop, and what arrived, across tabs that are closed', async () => {
  const { bench, tab } = await browser();
  bench.hub.cutAt.set(SHARD, [100_000]);
  const first = tab();
  const id = await start(first, bench);
  await reaches(first, 'paused');
  const later = tab();
  const stopped = await only(later);
  expect(stopped.failure).toMatchObject({ kind: 'interrupted' });
  expect(stopped.doneBytes).toBeGreaterThan(100_000 - CHUNK);
  await expect(openCheckpoint(id, bench.reopened(), new TabLocks())).rejects.toThrow('as a whole');
  done(await later.resume(id));
  await reaches(later, 'ready');
  expect((await only(later)).failure).toBe(null);
});

it('pauses without a failure, and continues', async () => {
  const { bench, tab } = await browser();
  bench.hub.rate = 200_000;
  const host = tab();
  const id = await start(host, bench);
  await expect.poll(() => bench.hub.asked.some(({ name }) => name === SHARD)).toBe(true);
  await host.pause(id);
  expect(await only(host)).toMatchObject({ state: 'paused', failure: null });
  bench.hub.rate = null;
  done(await host.resume(id));
  await reaches(host, 'ready');
});

describe('two tabs', () => {
  it('never write one checkpoint together', async () => {
    const { bench, tab } = await browser();
    bench.hub.rate = 200_000;
    const [a, b] = [tab(), tab()];
    const id = await start(a, bench);
    expect((await only(b)).state).toBe('elsewhere');
    expect(await b.resume(id)).toMatchObject({ status: 'failed', fault: { kind: 'busy' } });
    expect(await b.remove(id)).toMatchObject({ status: 'failed', fault: { kind: 'busy' } });
    await a.pause(id);
    bench.hub.rate = null;
    done(await b.resume(id));
    await reaches(b, 'ready');
  });

  it('tell each other what happens', async () => {
    const { bench, tab } = await browser();
    const [a, b] = [tab(), tab()];
    const told: CheckpointMessage[] = [];
    await b.listen((message) => told.push(message));
    await start(a, bench);
    await expect
      .poll(() => told.findLast(({ type }) => type === 'list'), { timeout: 5000 })
      .toMatchObject({ checkpoints: [{ state: 'ready' }] });
    expect(told.some(({ type }) => type === 'progress')).toBe(true);
  });
});

describe('deleting', () => {
  it('stops a download, hides it, and can be undone', async () => {
    const { bench, tab } = await browser();
    bench.hub.rate = 200_000;
    const host = tab();
    const id = await start(host, bench);
    done(await host.remove(id));
    expect(await host.list()).toEqual([]);
    done(await host.restore(id));
    expect((await only(host)).state).toBe('paused');
    expect(await host.rename(id, ' New name ')).toMatchObject({ status: 'ready' });
    expect((await only(host)).name).toBe('New name');
    expect((await only(host)).weights).toBeUndefined();
    done(await host.holdAs(id, 'int4'));
    expect((await only(host)).weights).toBe('int4');
    done(await host.holdAs(id, null));
    expect((await only(host)).weights).toBeUndefined();
    done(await host.holdContextsAs(id, 'f16'));
    expect((await only(host)).keys).toBe('f16');
    done(await host.holdContextsAs(id, null));
    expect((await only(host)).keys).toBeUndefined();
    expect(await host.rename('other', 'x')).toMatchObject({ fault: { kind: 'missing' } });
  });

  it('gives its room to what needs it, but not under a reader', async () => {
    const { bench, tab, room, locks } = await browser();
    const host = tab();
    const id = await start(host, bench);
    await reaches(host, 'ready');
    const { doneBytes } = await only(host);
    done(await host.remove(id));
    room.free = doneBytes - 1;
    const view = done(await host.plan(request(bench)));
    // What was deleted counts as free.
    expect(view.freeBytes).toBe(2 * doneBytes - 1);
    const reader = await openCheckpoint(id, bench.reopened(), locks).catch(() => null);
    expect(reader).toBe(null);
    const { holdReading } = await import('../../../../src/lab/models/checkpoints/locks.ts');
    const release = await holdReading(id, locks);
    done(await host.add(view.plan, 'second'));
    await expect.poll(async () => (await only(host)).failure?.kind).toBe('storage-full');
    expect(await bench.files.size(`checkpoints/${id}/config.json`)).not.toBe(null);
    release();
    done(await host.resume((await only(host)).id));
    await expect.poll(() => bench.files.size(`checkpoints/${id}/config.json`)).toBe(null);
    expect(await host.restore(id)).toMatchObject({ fault: { kind: 'missing' } });
  });

  it('frees the disk when the undo is over, in another tab or after a reload too, and tells the pages', async () => {
    const { bench, tab } = await browser();
    const host = tab();
    const [first, second] = [await start(host, bench), await start(host, bench)];
    await expect
      .poll(async () => (await host.list()).map(({ state }) => state))
      .toEqual(['ready', 'ready']);
    const size = (id: string) => bench.files.size(`checkpoints/${id}/${SHARD}`);
    done(await host.remove(first));
    // The page was loaded again; the deletion is too recent.
    const later = tab();
    await later.purge(undoEnded());
    expect(await size(first)).not.toBe(null);
    const told: CheckpointMessage[] = [];
    await host.listen((message) => told.push(message));
    told.length = 0;
    await later.purge(undoEnded(Date.now() + UNDO_MS + 1));
    expect(await size(first)).toBe(null);
    expect(await size(second)).not.toBe(null);
    await expect.poll(() => told.map(({ type }) => type)).toContain('list');
    expect(await host.restore(first)).toMatchObject({ fault: { kind: 'missing' } });
  });

  it('frees what a page keeps open as soon as it is let go', async () => {
    const { bench, tab, locks } = await browser();
    const host = tab();
    const id = await start(host, bench);
    await reaches(host, 'ready');
    const reader = await openCheckpoint(id, bench.reopened(), locks);
    done(await host.remove(id));
    const now = new Date().toISOString();
    await host.purge(now);
    expect(await bench.files.size(`checkpoints/${id}/${SHARD}`)).not.toBe(null);
    reader.release();
    await expect
      .poll(async () => {
        await host.purge(now);
        return bench.files.size(`checkpoints/${id}/${SHARD}`);
      })
      .toBe(null);
  });

  it('leaves no bytes that nothing names', async () => {
    const { bench, tab } = await browser();
    const writer = await bench.files.open('checkpoints/lost/model.safetensors');
    writer.write(0, new Uint8Array(5));
    writer.close();
    await tab().list();
    expect(await bench.files.size('checkpoints/lost/model.safetensors')).toBe(null);
  });
});

describe('a folder of this machine', () => {
  const chosen = (files: Map<string, Uint8Array>) =>
    [...files].map(([name, bytes]) => ({
      path: `tiny/${name}`,
      file: new File([new Uint8Array(bytes)], name, { lastModified: 1 }),
    }));

  it('is copied, and wants to be chosen again to go on', async () => {
    const { bench, tab } = await browser();
    const host = tab();
    const files = chosen(shardedFiles());
    const { plan } = done(await host.plan({ kind: 'local', files }));
    bench.files.quota = 100_000;
    const { id } = done(await host.add(plan, '', files));
    await expect.poll(async () => (await only(host)).failure?.kind).toBe('storage-full');
    bench.files.quota = Infinity;
    expect(await host.resume(id)).toMatchObject({ fault: { kind: 'needs-files' } });
    const kept = (await only(host)).doneBytes;
    expect(kept).toBeGreaterThan(60_000);
    done(await host.resume(id, files));
    await reaches(host, 'ready');
    const open = await bench.store.open(id);
    const shard = shardedFiles().get(SHARD)!;
    expect(await open.readRange(SHARD, 0, shard.length)).toEqual(new Uint8Array(shard));
  });
});

it('sends an access token to its hub alone, and stores it nowhere', async () => {
  const { bench, tab } = await browser();
  bench.hub.token = 'hf_secret';
  const host = tab();
  expect(await host.plan(request(bench))).toMatchObject({ fault: { kind: 'gated' } });
  await host.useToken('http://localhost:1', 'hf_secret');
  expect(await host.plan(request(bench))).toMatchObject({ fault: { kind: 'gated' } });
  await host.useToken(`${bench.hub.url}/`, ' hf_secret ');
  await start(host, bench);
  await reaches(host, 'ready');
  const { record, rows } = (await bench.store.list())[0]!;
  expect(JSON.stringify([record, rows])).not.toContain('hf_secret');
  await host.useToken(bench.hub.url, '');
  expect(await host.plan(request(bench))).toMatchObject({ fault: { kind: 'gated' } });
});

it('answers what cannot be planned with a fault, and a name that is none', async () => {
  const { bench, tab } = await browser();
  const host = tab();
  const named = (text: string) => host.plan({ ...request(bench), text });
  expect(await named('no/such')).toMatchObject({ fault: { kind: 'not-found' } });
  expect(await named('a b')).toMatchObject({ fault: { kind: 'address' } });
  expect(await host.plan({ kind: 'local', files: [] })).toMatchObject({
    fault: { kind: 'incomplete' },
  });
});
