import { strToU8, zipSync, type Zippable } from 'fflate';
import { expect, test } from 'vitest';
import { readEvalLog } from '../../../src/formats/rollouts/eval-log.ts';
import { OTHER_SYSTEMS } from '../../fixtures/inspect/other-systems.ts';
import { readAll, rolloutsOf } from './helpers.ts';

/** Logs of Inspect AI, made here: a zip file with every sample as a document of its own. */

const SAMPLE = OTHER_SYSTEMS['Inspect AI']![0];

const sampleFile = (epoch: number, more: object = {}) =>
  strToU8(JSON.stringify({ ...SAMPLE, epoch, ...more }, null, 2));

const ENTRY = 'PK\u0001\u0002';

const zip = (files: Zippable): Blob => new Blob([zipSync(files).slice()]);

const log = (): Zippable => ({
  '_journal/start.json': strToU8('{}'),
  'samples/a-1_epoch_1.json': sampleFile(1),
  'samples/a-1_epoch_2.json': [
    sampleFile(2, { scores: { match: { value: 'I', answer: 'Oslo' } } }),
    { level: 0 },
  ],
  'summaries.json': strToU8('[]'),
  'header.json': strToU8('{"version": 2}'),
});

test('every sample is a rollout, deflated or stored; the journal is none', async () => {
  const rollouts = await rolloutsOf(zip(log()), 'a.eval');
  expect(rollouts.map(({ id, answer, reward }) => [id, answer, reward])).toEqual([
    ['a.eval:1', 'Ida Holm', 1],
    ['a.eval:2', 'Oslo', 0],
  ]);
});

test('the same samples as JSON lines read the same', async () => {
  const lines = new Blob([1, 2].map((epoch) => `${JSON.stringify({ ...SAMPLE, epoch })}\n`));
  const files = { 'samples/1.json': sampleFile(1), 'samples/2.json': sampleFile(2) };
  expect(await rolloutsOf(zip(files), 'x')).toEqual(await rolloutsOf(lines, 'x'));
});

test('a damaged sample is named, the others load', async () => {
  const bytes = zipSync(log());
  const at = new TextDecoder('latin1').decode(bytes).indexOf('samples/a-1_epoch_1.json');
  bytes.fill(0xff, at + 30, at + 60);
  const items = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(items.map(({ kind, line }) => [kind, line])).toEqual([
    ['fault', 1],
    ['rollout', 2],
  ]);
});

test('a sample that is not JSON, and one that states an impossible length', async () => {
  const files = { ...log(), 'samples/b.json': strToU8('{') };
  const items = await readAll(zip(files), 'a.eval');
  expect(items.at(-1)).toMatchObject({
    kind: 'fault',
    reason: expect.stringMatching(/^is not JSON/),
  });
  const bytes = zipSync({ 'samples/a.json': sampleFile(1) });
  // The length in the central directory: bytes 24 to 27 of the entry.
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf('PK\u0001\u0002');
  new DataView(bytes.buffer).setUint32(entry + 24, 0x0fff_ffff, true);
  const [item] = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(item).toMatchObject({ kind: 'fault', reason: 'states a length that it cannot have' });
});

test('a length is believed that deflate can make of the bytes, up to 256 MB', async () => {
  const bytes = zipSync({ 'samples/a.json': sampleFile(1) });
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf(ENTRY);
  const view = new DataView(bytes.buffer);
  const packed = view.getUint32(entry + 20, true);
  const stated = async (length: number, size = packed): Promise<unknown> => {
    view.setUint32(entry + 20, size, true);
    view.setUint32(entry + 24, length, true);
    const [item] = await readAll(new Blob([bytes.slice()]), 'a.eval');
    return item?.kind === 'fault' ? item.reason : item?.kind;
  };
  const most = 1040 * (packed + 64);
  expect(await stated(most + 1)).toBe('states a length that it cannot have');
  expect(await stated(most)).toBe('is damaged: it cannot be unpacked');
  expect(await stated(2 ** 28)).toBe('states a length that it cannot have');
  expect(await stated(2 ** 28 + 1)).toBe('is longer than 256 MB');
});

test('samples lie in their folder, and are text', async () => {
  const files = {
    'samples/a.json': sampleFile(1),
    'samples/b.json': Uint8Array.of(0x22, 0xff, 0x22),
    'samples/more/c.json': sampleFile(3),
    'old/samples/d.json': sampleFile(4),
    'samples/e.json.bak': sampleFile(5),
    'samples/f.json': [sampleFile(6), { level: 0 }],
  } satisfies Zippable;
  const file = zip(files);
  const found: unknown[] = [];
  for await (const sample of readEvalLog(file))
    found.push([sample.number, sample.text === null ? sample.fault : 'text', sample.bytes]);
  expect(found).toEqual([
    [1, 'text', Math.round(file.size / 3)],
    [2, 'is damaged: it cannot be unpacked', Math.round((2 * file.size) / 3)],
    [3, 'text', file.size],
  ]);
});

test('a compression that is not read says what to do', async () => {
  const bytes = zipSync({ 'samples/a.json': sampleFile(1) });
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf('PK\u0001\u0002');
  new DataView(bytes.buffer).setUint16(entry + 10, 95, true);
  const [item] = await readAll(new Blob([bytes.slice()]), 'a.eval');
  expect(item).toMatchObject({
    kind: 'fault',
    reason: expect.stringMatching(/zip method 95.*inspect log convert --to json/),
  });
});

test('a zip file of other things, and one cut short, are one clear error', async () => {
  await expect(readAll(zip({ 'a.txt': strToU8('x') }), 'a.zip')).rejects.toThrow(
    /^a\.zip is a zip archive\. Unpack it and open the rollout files .* it holds no samples\/\*\.json/,
  );
  const whole = zipSync(log());
  await expect(readAll(new Blob([whole.slice(0, 300)]), 'a.eval')).rejects.toThrow(
    /^a\.eval is a zip archive\. Unpack it .* it is damaged or cut short/,
  );
});

/** Every place of a mark in an archive. */
const placesOf = (bytes: Uint8Array, mark: string): number[] => {
  const text = new TextDecoder('latin1').decode(bytes);
  return [...text.matchAll(new RegExp(mark, 'g'))].map(({ index }) => index);
};

test('one damaged sample among very many costs no more than itself', async () => {
  const count = 5000;
  const one = strToU8(JSON.stringify(SAMPLE));
  const names = Array.from({ length: count }, (_, i) => `samples/${i}.json`);
  const bytes = zipSync(Object.fromEntries(names.map((name) => [name, one])), { level: 1 });
  const at = placesOf(bytes, 'samples/777\\.json')[0] ?? 0;
  bytes.fill(0xff, at + 16, at + 40);
  const start = process.cpuUsage();
  const faults: number[] = [];
  let samples = 0;
  for await (const { number, text } of readEvalLog(new Blob([bytes.slice()]))) {
    samples += 1;
    if (text === null) faults.push(number);
  }
  const { user, system } = process.cpuUsage(start);
  expect([samples, faults]).toEqual([count, [778]]);
  expect((user + system) / 1e6).toBeLessThan(4);
}, 120_000);

test('a sample under the name of an earlier one is named and not unpacked', async () => {
  const bytes = zipSync({ 'samples/a.json': sampleFile(1), 'samples/b.json': sampleFile(2) });
  for (const at of placesOf(bytes, 'samples/b\\.json')) bytes[at + 8] = 'a'.charCodeAt(0);
  const items = await readAll(new Blob([bytes.slice()]), 'x.eval');
  expect(items).toMatchObject([
    { kind: 'rollout' },
    { kind: 'fault', reason: 'has the name of an earlier sample, samples/a.json' },
  ]);
});

/** Entries that all stand for the same packed bytes: small as a file, long once unpacked. */
function overlapping(count: number, originalSize: number | null): Blob {
  const whole = zipSync({
    'samples/000.json': strToU8(' '.repeat(2 ** 23)),
    ...Object.fromEntries(
      Array.from({ length: count - 1 }, (_, i) => [
        `samples/${String(i + 1).padStart(3, '0')}.json`,
        new Uint8Array(),
      ]),
    ),
  });
  const view = new DataView(whole.buffer);
  const [first = 0, ...others] = placesOf(whole, ENTRY);
  if (originalSize !== null) view.setUint32(first + 24, originalSize, true);
  for (const at of others)
    for (const field of [10, 20, 24, 42])
      view.setUint32(at + field, view.getUint32(first + field, true), true);
  return new Blob([whole.slice()]);
}

test('samples that share their bytes are not a log, whatever length they state', async () => {
  for (const stated of [null, 1]) {
    const file = overlapping(40, stated);
    expect(file.size).toBeLessThan(2 ** 15);
    await expect(readAll(file, 'bomb.eval')).rejects.toThrow(
      /^bomb\.eval is a zip archive\. .* its samples unpack to more than 200 times its size/,
    );
  }
});

test('a log with lengths and places in 64 bits is read', async () => {
  const json = JSON.stringify(SAMPLE);
  const name = 'samples/a.json';
  const size = json.length;
  const pack = (parts: (string | [bytes: 2 | 4 | 8, value: number])[]): Uint8Array<ArrayBuffer> =>
    Uint8Array.from(
      Buffer.concat(
        parts.map((part) => {
          if (typeof part === 'string') return Buffer.from(part, 'latin1');
          const out = Buffer.alloc(8);
          out.writeBigUInt64LE(BigInt(part[1]));
          return out.subarray(0, part[0]);
        }),
      ),
    );
  const NONE = 0xffff_ffff;
  // As the format's description lays them out, field by field.
  const local = pack([
    'PK\u0003\u0004',
    [2, 45],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, 0],
    [4, NONE],
    [4, NONE],
    [2, name.length],
    [2, 20],
    name,
    [2, 1],
    [2, 16],
    [8, size],
    [8, size],
    json,
  ]);
  const entry = pack([
    ENTRY,
    [2, 45],
    [2, 45],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, 0],
    [4, NONE],
    [4, NONE],
    [2, name.length],
    [2, 28],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, 0],
    [4, NONE],
    name,
    [2, 1],
    [2, 24],
    [8, size],
    [8, size],
    [8, 0],
  ]);
  const end = pack([
    'PK\u0006\u0006',
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, 1],
    [8, 1],
    [8, entry.length],
    [8, local.length],
    'PK\u0006\u0007',
    [4, 0],
    [8, local.length + entry.length],
    [4, 1],
    'PK\u0005\u0006',
    [2, 0],
    [2, 0],
    [2, 0xffff],
    [2, 0xffff],
    [4, NONE],
    [4, NONE],
    [2, 0],
  ]);
  const [rollout] = await rolloutsOf(new Blob([local, entry, end]), 'wide.eval');
  expect(rollout?.answer).toBe('Ida Holm');
});
