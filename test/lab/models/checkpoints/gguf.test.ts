import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { CheckpointsHost } from '../../../../src/lab/models/checkpoints/host.ts';
import type { PlanRequest } from '../../../../src/lab/contract/checkpoints.ts';
import { openCheckpoint } from '../../../../src/policy/checkpoint/checkpoint.ts';
import { openReader } from '../../../../src/policy/open/reader.ts';
import { CHUNK, WEB, makeBench } from './bench.ts';
import { shardedFiles } from './hub-server.ts';
import { TabLocks } from './tab-locks.ts';

/** A Llama with random weights and a tokenizer: make.py beside it. */
const MODEL = new Uint8Array(
  readFileSync(join(import.meta.dirname, '../../../fixtures/gguf-tokenizer/asks.gguf')),
);
const TYPES = { stored: { Q8_0: 15 }, held: 'int8' };
const channels: BroadcastChannel[] = [];
let hosts = 0;

afterEach(() => channels.splice(0).forEach((channel) => channel.close()));

async function open(files?: Map<string, Uint8Array>) {
  const bench = await makeBench(files);
  const channel = new BroadcastChannel(`gguf-test-${++hosts}`);
  channels.push(channel);
  const host = new CheckpointsHost({
    store: bench.store,
    web: WEB,
    locks: new TabLocks(),
    channel,
    free: () => Promise.resolve(null),
    download: { chunkBytes: CHUNK, waits: [] },
  });
  return { bench, host };
}

const local = (...names: string[]): Extract<PlanRequest, { kind: 'local' }> => ({
  kind: 'local',
  files: names.map((name) => ({ path: name, file: new File([MODEL], name, { lastModified: 1 }) })),
});

async function view(host: CheckpointsHost, request: PlanRequest) {
  const outcome = await host.plan(request);
  if (outcome.status !== 'ready') throw new Error(JSON.stringify(outcome));
  return outcome.value;
}

const settled = (host: CheckpointsHost) =>
  expect
    .poll(async () => (await host.list())[0]?.state, { timeout: 10_000 })
    .not.toBe('downloading');

it('a file of this machine is shown, stored, and opens like a folder', async () => {
  const { bench, host } = await open();
  const request = local('My model (1).gguf');
  const { plan, facts, bytes, ggufs } = await view(host, request);
  expect(plan).toMatchObject({
    source: { kind: 'file', name: 'My-model-1-.gguf' },
    title: 'My-model-1-',
    gguf: TYPES,
  });
  expect(facts).toMatchObject({ family: 'llama', layers: 2, hidden: 32, context: 4096 });
  expect([bytes, ggufs]).toEqual([MODEL.length, []]);
  await host.add(plan, 'Mine', request.files);
  await settled(host);
  const [stored] = await host.list();
  expect(stored).toMatchObject({ name: 'Mine', state: 'ready', gguf: TYPES });
  const files = await bench.store.open(stored!.id);
  const reads = vi.spyOn(bench.files, 'readRange');
  expect(await bench.store.open(stored!.id)).toBe(files);
  expect(reads).not.toHaveBeenCalled();
  const { packing, config } = await openCheckpoint(files);
  expect([packing?.storedAs('model.embed_tokens.weight'), config.layers]).toEqual(['Q8_0', 2]);
  const { tokenizer, chat } = await openReader(files);
  const text = chat?.render([{ role: 'user', content: 'In which city?' }]) ?? '';
  expect(text).toBe('user: In which city?<end>assistant: ');
  expect(tokenizer.decode(tokenizer.encodeTemplate?.(text) ?? [])).toBe(text);
});

it('a split model is opened from all its parts, in any order', async () => {
  const { bench, host } = await open();
  const part = (n: number) => {
    const name = `parts-0000${n}-of-00002.gguf`;
    const bytes = readFileSync(join(import.meta.dirname, '../../../fixtures/gguf-tokenizer', name));
    return { path: name, file: new File([bytes], name) };
  };
  const files = [part(2), part(1)];
  expect(await host.plan({ kind: 'local', files: files.slice(1) })).toMatchObject({
    fault: {
      message: 'parts-00002-of-00002.gguf is missing.',
      next: 'Choose all 2 parts of the model together.',
    },
  });
  const { plan } = await view(host, { kind: 'local', files });
  expect(plan).toMatchObject({ title: 'parts', gguf: TYPES, source: { name: files[1]!.path } });
  await host.add(plan, '', files);
  await settled(host);
  const [stored] = await host.list();
  const source = await openCheckpoint(await bench.store.open(stored!.id));
  expect(await source.read('model.norm.weight')).toEqual(new Float32Array(32).fill(1));
});

it('wants to be chosen again to be resumed', async () => {
  const { bench, host } = await open();
  const request = local('a.gguf');
  const { plan } = await view(host, request);
  bench.files.quota = 40_000;
  await host.add(plan, '', request.files);
  await expect.poll(async () => (await host.list())[0]?.failure?.kind).toBe('storage-full');
  bench.files.quota = Infinity;
  const [{ id } = { id: '' }] = await host.list();
  expect(await host.resume(id)).toMatchObject({ fault: { kind: 'needs-files' } });
  await host.resume(id, request.files);
  await settled(host);
  expect((await host.list())[0]?.state).toBe('ready');
});

it('several models at once, or a file that is none, are refused by name', async () => {
  const { host } = await open();
  const fault = async (request: PlanRequest) => {
    const outcome = await host.plan(request);
    return outcome.status === 'failed' ? `${outcome.fault.message} ${outcome.fault.next}` : '';
  };
  expect(await fault(local('a.gguf', 'b.gguf'))).toBe(
    'These are 2 GGUF models: a.gguf, b.gguf. Open one of them, or all parts of one.',
  );
  const short = { path: 'x.gguf', file: new File([MODEL.slice(0, 20_000)], 'x.gguf') };
  expect(await fault({ kind: 'local', files: [short] })).toMatch(
    /^x\.gguf: .*20000.*It is not complete: download it again\.$/,
  );
  const broken = Buffer.from(
    Buffer.from(MODEL).toString('latin1').replace('{% endfor %}', '{% endif  %}'),
    'latin1',
  );
  const unrendered = { path: 'z.gguf', file: new File([broken], 'z.gguf') };
  expect(await fault({ kind: 'local', files: [unrendered] })).toMatch(
    /^z\.gguf: its chat template does not render \(.+\)\. Use another file of this model\.$/,
  );
  const text = { path: 'y.gguf', file: new File(['# A model, in words'], 'y.gguf') };
  expect(await fault({ kind: 'local', files: [text] })).toMatch(/^y\.gguf: it is not a GGUF file/);
});

const GGUFS = ['tiny-F16.gguf', 'tiny-Q8_0.gguf', 'sub/tiny-Q2_K.gguf', 'mmproj-tiny.gguf'];
const repository = (base = new Map<string, Uint8Array>()) =>
  new Map([...base, ...GGUFS.map((name) => [name, MODEL] as const)]);

it('a repository lists its GGUF files with sizes, and any of them can be taken', async () => {
  const { bench, host } = await open(repository());
  const named = (text: string) => view(host, { kind: 'named', text, hub: bench.hub.url });
  const first = await named('forage/tiny');
  expect(first.ggufs.map(({ path, bytes }) => [path, bytes])).toEqual(
    GGUFS.slice(0, 3).map((path) => [path, MODEL.length]),
  );
  expect(first.plan.source).toMatchObject({ kind: 'hub', file: 'tiny-Q8_0.gguf' });
  expect(first.plan.files.map(({ sha256 }) => sha256 !== null)).toEqual([true]);
  const other = await named(first.ggufs[2]!.address);
  expect(other.plan).toMatchObject({
    source: { repository: 'forage/tiny', file: 'sub/tiny-Q2_K.gguf' },
    title: 'tiny-Q2_K',
    files: [{ name: 'tiny-Q2_K.gguf', bytes: MODEL.length }],
    gguf: TYPES,
  });
  await host.add(other.plan, '');
  await settled(host);
  expect(await host.list()).toMatchObject([{ state: 'ready', files: [{ checked: true }] }]);
});

it('a repository with safetensors too brings these, and lists the others', async () => {
  const { bench, host } = await open(repository(shardedFiles(100)));
  const { plan, ggufs } = await view(host, {
    kind: 'named',
    text: 'forage/tiny',
    hub: bench.hub.url,
  });
  expect(plan.gguf).toBeUndefined();
  expect(ggufs).toHaveLength(3);
});

it('a file on a server is read by range before it is downloaded', async () => {
  const large = new Uint8Array(5_000_000);
  large.set(MODEL);
  const { bench, host } = await open(new Map([['large.gguf', large]]));
  const text = `${bench.hub.url}/folder/large.gguf`;
  const request = { kind: 'named', text, hub: '' } as const;
  const { plan } = await view(host, request);
  expect(plan).toMatchObject({ source: { kind: 'url', url: text }, title: 'large' });
  expect(bench.hub.asked.reduce((sum, { sent }) => sum + sent, 0)).toBeLessThan(3_000_000);
  await host.add(plan, '');
  await settled(host);
  expect((await host.list())[0]).toMatchObject({ state: 'ready', doneBytes: large.length });
  bench.hub.ranges = false;
  expect(await host.plan(request)).toMatchObject({
    fault: { next: 'Download the file, then open it from this machine.' },
  });
});

it('a download that is cut short is deleted, and the reason is shown', async () => {
  const { bench, host } = await open(new Map([['m.gguf', MODEL]]));
  const text = `${bench.hub.url}/folder/m.gguf`;
  const { plan } = await view(host, { kind: 'named', text, hub: '' });
  bench.hub.files.set('m.gguf', MODEL.slice(0, 30_000));
  await host.add(plan, '');
  await expect.poll(async () => (await host.list())[0]?.failure?.kind).toBe('damaged');
  expect((await host.list())[0]).toMatchObject({ state: 'paused', doneBytes: 0 });
});
