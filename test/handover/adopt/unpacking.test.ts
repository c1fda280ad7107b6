import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { zipSync, type Zippable } from 'fflate';
import { beforeEach, expect, test, vi } from 'vitest';
import { readEvalLog } from '../../../src/formats/rollouts/eval-log.ts';
import { adopt } from '../../../src/handover/adopt/adopt.ts';
import { openArchive, isRead } from '../../../src/handover/adopt/open-archive.ts';
import { changed, config, filesOf, returned, without, type Files } from './returned.ts';

/** How much of an archive is unpacked: files that are read, and never more than 256 MB of them. */

const unpacked = vi.hoisted(() => ({ bytes: 0 }));
vi.mock('fflate', async (importOriginal) => {
  const fflate = await importOriginal<typeof import('fflate')>();
  const counted =
    (made: (part: Uint8Array, last: boolean) => void) => (part: Uint8Array, last: boolean) => {
      unpacked.bytes += part.length;
      made(part, last);
    };
  type Made = (part: Uint8Array, last: boolean) => void;
  class Inflate extends fflate.Inflate {
    constructor(made: Made) {
      super(counted(made));
    }
  }
  class Gunzip extends fflate.Gunzip {
    constructor(made: Made) {
      super(counted(made));
    }
  }
  return { ...fflate, Inflate, Gunzip };
});
beforeEach(() => {
  unpacked.bytes = 0;
});

const MB = 2 ** 20;
/** Bytes that do not shrink: with these an archive may unpack to all of 256 MB. */
const noise = new Uint8Array(randomBytes(MB));
const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const zip = (files: Zippable): Blob => new Blob([zipSync(files, { level: 1 }).slice()]);

const refusal = async (name: string, archive: Blob): Promise<string> => {
  const error: unknown = await openArchive(name, archive).catch((caught: unknown) => caught);
  return (error as Error).message;
};

const ENTRY = 'PK\u0001\u0002';

/** An archive of `count` files that all stand for the same packed 8 MB, and of 1 MB that does not shrink unless it is left out. */
function sharing(count: number, nameOf: (place: string) => string, more = noise): Blob {
  const names = Array.from({ length: count }, (_, i) => nameOf(String(i).padStart(3, '0')));
  const [first = '', ...others] = names;
  const whole = zipSync({
    'noise.bin': [more, { level: 0 }],
    [first]: text(' '.repeat(8 * MB)),
    ...Object.fromEntries(others.map((name) => [name, new Uint8Array()])),
  });
  const view = new DataView(whole.buffer);
  const directory = new TextDecoder('latin1').decode(whole);
  const found = directory.matchAll(new RegExp(ENTRY, 'g'));
  const [, entry = 0, ...same] = [...found].map(({ index }) => index);
  for (const at of same)
    for (const field of [10, 20, 24, 42])
      view.setUint32(at + field, view.getUint32(entry + field, true), true);
  return new Blob([whole.slice()]);
}

test('of a zip archive only what is read is unpacked', async () => {
  const experiment = text('{}');
  const archive = zip({
    'f/experiment.json': experiment,
    'f/optimizer.bin': new Uint8Array(9 * MB),
    'f/corpus/passages.jsonl': new Uint8Array(9 * MB),
    'f/out/global_step_1/actor/model.pt': new Uint8Array(9 * MB),
  });
  const files = await openArchive('x.zip', archive);
  expect(files?.map(({ path, blob }) => [path, blob.size])).toEqual([
    ['f/experiment.json', 2],
    ['f/out/global_step_1/actor/model.pt', 0],
  ]);
  expect(unpacked.bytes).toBe(experiment.length);
});

test('of files that unpack to over 256 MB together, none is unpacked', async () => {
  const archive = sharing(40, (place) => `rollouts-${place}.jsonl`);
  expect(await refusal('x.zip', archive)).toBe(
    'x.zip is an archive that cannot be read: the files of it that are read unpack to more than 256 MB. Unpack it and import the folder.',
  );
  expect(unpacked.bytes).toBe(0);
  const some = await openArchive(
    'x.zip',
    sharing(4, (place) => `rollouts-${place}.jsonl`),
  );
  expect(some?.map(({ blob }) => blob.size)).toEqual([8, 8, 8, 8].map((size) => size * MB));
  expect(unpacked.bytes).toBe(32 * MB);
});

test('nor of a small archive that unpacks to over 200 times its size and 64 MB', async () => {
  const bomb = sharing(10, (place) => `rollouts-${place}.jsonl`, new Uint8Array());
  expect(bomb.size).toBeLessThan(MB);
  expect(await refusal('x.zip', bomb)).toMatch(
    /unpack to more than 200 times its size\. Unpack it/,
  );
  expect(unpacked.bytes).toBe(0);
});

test('a length that is not true ends the unpacking at once', async () => {
  const bytes = zipSync({ 'rollouts.jsonl': new Uint8Array(30 * MB) });
  const entry = new TextDecoder('latin1').decode(bytes).lastIndexOf(ENTRY);
  new DataView(bytes.buffer).setUint32(entry + 24, 1, true);
  expect(await refusal('x.zip', new Blob([bytes.slice()]))).toMatch(/not as long as stated/);
  expect(unpacked.bytes).toBeLessThan(20 * MB);
});

/** A file of a tar archive (ustar). @param size as its header states it */
function tarFile(path: string, content: Uint8Array, size = content.length): Uint8Array[] {
  const header = new Uint8Array(512);
  const put = (at: number, value: string): void => header.set(text(value), at);
  put(0, path);
  put(124, `${size.toString(8).padStart(11, '0')}\0`);
  put(148, '        ');
  put(156, '0');
  put(257, 'ustar\u000000');
  const sum = header.reduce((all, byte) => all + byte, 0);
  put(148, `${sum.toString(8).padStart(6, '0')}\0 `);
  const padding = new Uint8Array(Math.ceil(content.length / 512) * 512 - content.length);
  return [header, content, padding];
}
const tarGz = (...files: Uint8Array[][]): Blob =>
  new Blob([gzipSync(Buffer.concat([...files.flat(), new Uint8Array(1024)]))]);

test('of a tar.gz archive only what is read is kept, and it ends at 256 MB', async () => {
  const whole = tarGz(
    tarFile('f/optimizer.bin', new Uint8Array(9 * MB)),
    tarFile('f/experiment.json', text('{}')),
    tarFile('f/global_step_1/actor/model.pt', new Uint8Array(8 * MB)),
    tarFile('f/rollouts.jsonl', text('x'.repeat(700))),
  );
  const files = await openArchive('x.tgz', whole);
  expect(files?.map(({ path, blob }) => [path, blob.size])).toEqual([
    ['f/experiment.json', 2],
    ['f/global_step_1/actor/model.pt', 0],
    ['f/rollouts.jsonl', 700],
  ]);
  expect(await files?.at(-1)?.blob.text()).toBe('x'.repeat(700));
  unpacked.bytes = 0;
  const large = tarGz(
    tarFile('noise.bin', noise),
    tarFile('rollouts.jsonl', new Uint8Array(randomBytes(4 * MB)), 300 * MB),
  );
  expect(await refusal('x.tgz', large)).toMatch(/read unpack to more than 256 MB\. Unpack it/);
  // The file itself is never begun, except for the rest of a piece that was read.
  expect(unpacked.bytes).toBeLessThan(2 * MB);
  const bomb = tarGz(tarFile('optimizer.bin', new Uint8Array(100 * MB)));
  unpacked.bytes = 0;
  expect(await refusal('x.tgz', bomb)).toMatch(
    /what is not read of it unpacks to more than 20 times its size\. Unpack it and import the folder/,
  );
  expect(unpacked.bytes).toBeLessThan(40 * MB);
});

test('of a log of Inspect only samples are unpacked, and at most 256 MB', async () => {
  const sample = text('{"id": 1}');
  const log = zip({
    'samples/a.json': sample,
    'samples/b.json': sample,
    '_journal/summaries/1.json': new Uint8Array(9 * MB),
    'reductions.json': new Uint8Array(9 * MB),
  });
  const read = async (file: Blob): Promise<(string | null)[]> => {
    const texts: (string | null)[] = [];
    for await (const one of readEvalLog(file)) texts.push(one.text);
    return texts;
  };
  expect(await read(log)).toEqual(['{"id": 1}', '{"id": 1}']);
  expect(unpacked.bytes).toBe(2 * sample.length);
  unpacked.bytes = 0;
  const many = sharing(40, (place) => `samples/${place}.json`);
  await expect(read(many)).rejects.toThrow('its samples unpack to more than 256 MB');
  expect(unpacked.bytes).toBe(0);
});

test('every file that is read of a folder is one that an archive unpacks', async () => {
  const files = await returned();
  const named = new Set<string>();
  const read = async (given: Files): Promise<void> => {
    const watched = filesOf(given).map(({ path, blob }) => {
      for (const how of ['text', 'arrayBuffer', 'stream', 'slice'] as const) {
        const real = blob[how].bind(blob) as (...args: never[]) => unknown;
        Object.defineProperty(blob, how, {
          value: (...args: never[]) => {
            named.add(path);
            return real(...args);
          },
        });
      }
      return { path, blob };
    });
    const base = () => Promise.resolve({ config });
    const adopted = await adopt(watched, { base, now: '' }).catch(() => ({ steps: [] }) as const);
    if ('rollouts' in adopted) for (const { step } of adopted.steps) await adopted.rollouts(step);
  };
  await read(files);
  // The trainer's dumps, where the environment's records did not come back; then verl's files.
  await read(without(files, /(?:^|\/)rollouts[^/]*\.jsonl$/));
  const line = JSON.stringify({ step: 1, data: { 'actor/loss': 0.5 } });
  const experiment = changed(files, 'experiment.json', (file) => {
    file['trainer'] = { name: 'verl' };
  })['experiment.json']!;
  await read({ 'experiment.json': experiment, 'metrics.jsonl': line, 'rollouts/1.jsonl': '' });
  await read({ 'experiment.json': experiment, 'train.log': 'step:1 - actor/loss:0.5' });
  expect([...named].toSorted()).toEqual([...named].filter(isRead).toSorted());
  for (const name of ['experiment.json', 'metrics.jsonl', 'rollouts/1.jsonl', 'train.log'])
    expect(named).toContain(name);
});
