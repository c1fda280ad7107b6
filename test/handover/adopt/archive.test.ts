import { readFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { openArchive, readTar } from '../../../src/handover/adopt/open-archive.ts';
import { tarOf } from '../../../src/lab/train/tar.ts';
import { ARCHIVE } from './returned.ts';

/** Archives of a folder: those of GNU tar and of others, whole and damaged. */

const contents = async (files: readonly { path: string; blob: Blob }[]) =>
  Promise.all(files.map(async ({ path, blob }) => [path, await blob.text()]));

const text = (value: string) => new TextEncoder().encode(value);

test('what our own writer packs is read back, tar and tar.gz', async () => {
  const file = (name: string, content: string) => ({
    name,
    bytes: text(content).length,
    pieces: async function* () {
      yield await Promise.resolve(text(content));
    },
  });
  const tar = await tarOf(
    'forage-trl',
    [file('a.txt', 'one'), file('b/c.txt', 'ü'.repeat(600))],
    0,
  );
  const expected = [
    ['forage-trl/a.txt', 'one'],
    ['forage-trl/b/c.txt', 'ü'.repeat(600)],
  ];
  expect(await contents((await openArchive('x.tar', tar))!)).toEqual(expected);
  const packed = new Blob([gzipSync(Buffer.from(await tar.arrayBuffer()))]);
  expect(await contents((await openArchive('x.tgz', packed))!)).toEqual(expected);
});

test('an archive of GNU tar', async () => {
  const files = await readTar(new Blob([gunzipSync(readFileSync(ARCHIVE))]));
  expect(files.map(({ path }) => path)).toContain(
    'forage-trl/out/adapter/adapter_model.safetensors',
  );
  expect(files.every(({ path }) => !path.endsWith('/'))).toBe(true);
});

/** A header of the ustar format, by its table of fields (POSIX.1-1988). */
function header(path: string, kind: string, size: number, prefix = ''): Uint8Array {
  const block = new Uint8Array(512);
  const put = (at: number, value: string): void => block.set(text(value), at);
  put(0, path);
  put(100, '0000644\0');
  put(124, `${size.toString(8).padStart(11, '0')}\0`);
  put(148, '        ');
  put(156, kind);
  put(257, 'ustar\u000000');
  put(345, prefix);
  put(
    148,
    `${block
      .reduce((sum, byte) => sum + byte, 0)
      .toString(8)
      .padStart(6, '0')}\0 `,
  );
  return block;
}
const padded = (value: string): Uint8Array => {
  const block = new Uint8Array(Math.ceil(text(value).length / 512) * 512);
  block.set(text(value));
  return block;
};
const archive = (...parts: Uint8Array[]): Blob =>
  new Blob([...parts, new Uint8Array(1024)].map((part) => new Uint8Array(part)));

test('long names: a prefix, GNU’s own entry, and pax', async () => {
  const long = `deep/${'x'.repeat(120)}.json`;
  // The length counts the whole record, itself too.
  const body = ` path=${long}\n`;
  const record = `${body.length + 3}${body}`;
  const tar = archive(
    header('end.json', '0', 1, 'a/long/prefix'),
    padded('1'),
    header('././@LongLink', 'L', long.length + 1),
    padded(`${long}\0`),
    header(long.slice(0, 99), '0', 1),
    padded('2'),
    header('pax', 'x', record.length),
    padded(record),
    header('short', '0', 1),
    padded('3'),
    header('folder/', '5', 0),
    header('link', '2', 0),
  );
  expect(await contents(await readTar(tar))).toEqual([
    ['a/long/prefix/end.json', '1'],
    [long, '2'],
    [long, '3'],
  ]);
});

test('a zip archive, without the checkpoints that nothing reads', async () => {
  const zip = new Blob([
    zipSync({ 'f/experiment.json': text('{}'), 'f/optimizer.pt': text('xx') }).slice(),
  ]);
  expect(await contents((await openArchive('x.zip', zip))!)).toEqual([['f/experiment.json', '{}']]);
});

test('damaged archives are one clear sentence; another file is none', async () => {
  const tar = gunzipSync(readFileSync(ARCHIVE));
  const cut = new Blob([tar.subarray(0, 40_000)]);
  await expect(openArchive('x.tar', cut)).rejects.toThrow(
    /^x\.tar is an archive that cannot be read: it ends within an entry\. Pack the folder again/,
  );
  const broken = Buffer.from(tar);
  broken[3] = 1;
  await expect(openArchive('x.tar', new Blob([broken]))).rejects.toThrow(/a header is damaged/);
  const half = readFileSync(ARCHIVE).subarray(0, 20_000);
  await expect(openArchive('x.tar.gz', new Blob([half]))).rejects.toThrow(/cannot be read/);
  expect(await openArchive('x.txt', new Blob(['hello']))).toBeNull();
  expect(await openArchive('x.gz', new Blob([gzipSync('hello')]))).toBeNull();
});
