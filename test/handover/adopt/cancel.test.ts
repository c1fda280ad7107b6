import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { expect, test } from 'vitest';
import { adopt } from '../../../src/handover/adopt/adopt.ts';
import { openArchive } from '../../../src/handover/adopt/open-archive.ts';
import type { AdoptFile } from '../../../src/handover/adopt/folder.ts';
import { ARCHIVE, config, filesOf, returned, without, type Files } from './returned.ts';

/** Reading stops where it is told to, with what it was told, and not with a note on a damaged file. */

const REASON = new Error('cancelled by its user');

/** Files that tell each time when one is read, also a part of it. */
class Watched extends Blob {
  readonly #source: Blob;
  readonly #onRead: () => void;

  constructor(source: Blob, onRead: () => void) {
    super([source]);
    this.#source = source;
    this.#onRead = onRead;
  }

  override text(): Promise<string> {
    this.#onRead();
    return this.#source.text();
  }

  override arrayBuffer(): Promise<ArrayBuffer> {
    this.#onRead();
    return this.#source.arrayBuffer();
  }

  override stream() {
    this.#onRead();
    return this.#source.stream();
  }

  override slice(start?: number, end?: number, type?: string): Blob {
    return new Watched(this.#source.slice(start, end, type), this.#onRead);
  }
}

/** Stops at a read, counted from 1. @returns how many reads were made, and what came of it */
async function stoppedAt<T>(
  nth: number,
  act: (watched: (blob: Blob) => Blob, signal: AbortSignal) => Promise<T>,
): Promise<{ reads: number; outcome: unknown }> {
  const controller = new AbortController();
  let reads = 0;
  const onRead = (): void => {
    reads += 1;
    if (reads === nth) controller.abort(REASON);
  };
  const outcome = await act((blob) => new Watched(blob, onRead), controller.signal).catch(
    (error: unknown) => error,
  );
  return { reads, outcome };
}

/**
 * Stops at every read in turn.
 * @param ahead reads that may still be made: files that are read at once are begun together
 * @returns how many reads there are
 */
async function alwaysStops<T>(
  act: (watched: (blob: Blob) => Blob, signal: AbortSignal) => Promise<T>,
  ahead = 2,
): Promise<number> {
  const { reads: all, outcome } = await stoppedAt(Infinity, act);
  expect(outcome).not.toBeInstanceOf(Error);
  for (let nth = 1; nth <= all; nth++) {
    const { reads, outcome: stopped } = await stoppedAt(nth, act);
    expect(stopped, `read ${nth} of ${all}`).toBe(REASON);
    expect(reads).toBeLessThanOrEqual(nth + ahead);
  }
  return all;
}

const reading = (files: Files) => (watched: (blob: Blob) => Blob, signal: AbortSignal) =>
  adopt(
    filesOf(files).map(({ path, blob }): AdoptFile => ({ path, blob: watched(blob) })),
    { base: () => Promise.resolve({ config }), now: '', signal },
  );

test('a folder, with the environment’s rollouts and with the trainer’s dumps', async () => {
  const files = await returned();
  expect(await alwaysStops(reading(files))).toBeGreaterThan(6);
  const dumps = without(files, /(?:^|\/)rollouts[^/]*\.jsonl$/);
  // The columns of a parquet file are read before its first record.
  const columns = 24;
  expect(await alwaysStops(reading(dumps), columns)).toBeGreaterThan(2 * columns);
});

test('the rollouts of a step', async () => {
  const controller = new AbortController();
  const adopted = await adopt(filesOf(await returned()), {
    base: () => Promise.resolve({ config }),
    now: '',
    signal: controller.signal,
  });
  expect(await adopted.rollouts(1)).not.toEqual([]);
  controller.abort(REASON);
  await expect(adopted.rollouts(2)).rejects.toBe(REASON);
});

const opening = (blob: Blob) => (watched: (blob: Blob) => Blob, signal: AbortSignal) =>
  openArchive('x', watched(blob), signal);

test.each([
  ['tar', (gz: Buffer) => gunzipSync(gz)],
  ['tar.gz', (gz: Buffer) => gz],
  ['zip', () => zipSync({ 'experiment.json': new Uint8Array(9), 'b.txt': new Uint8Array(9) })],
] as const)('an archive: %s', async (_, pack) => {
  const bytes = new Uint8Array(pack(readFileSync(ARCHIVE)));
  await alwaysStops(opening(new Blob([bytes])));
});
