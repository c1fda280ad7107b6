import type { DownloadProgress } from '../../contract/checkpoints.ts';
import { createRateMeter } from '../../workers/rate-meter.ts';
import { isQuotaError, megabytes } from '../../storage/quota.ts';
import {
  type CheckpointRecord,
  type FaultKind,
  planBytes,
} from '../../contract/records/checkpoints.ts';
import type { FileRow } from './database.ts';
import { CheckpointFault } from './plan/fault.ts';
import { fetchFile } from './fetch-file.ts';
import { pathOf, type CheckpointStore } from './store.ts';
import type { Transport } from './transport.ts';
import { isGgufName } from '../../../formats/gguf.ts';
import { CheckpointError } from '../../../policy/checkpoint/checkpoint-error.ts';
import { MAX_HEADER_BYTES } from '../../../policy/checkpoint/checkpoint.ts';
import type { RangeFiles } from '../../storage/range-files.ts';
import { isWeights } from './plan/file-names.ts';
import { parseObject } from './plan/web.ts';

const MOST_TEXT_BYTES = 200_000_000;

const damaged = (name: string, problem: string): CheckpointFault =>
  new CheckpointFault(
    'damaged',
    `${name} ${problem}; it was deleted.`,
    'Resume to fetch it again. If that does not help, the file is damaged at its source.',
  );

/** Bytes that a safetensors file has by its own header: prefix, header, and the furthest tensor. */
function bytesByHeader(header: Record<string, unknown>, headerBytes: number): number | null {
  let data = 0;
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (typeof entry !== 'object' || entry === null || !('data_offsets' in entry)) return null;
    const offsets: unknown = entry.data_offsets;
    const end: unknown = Array.isArray(offsets) ? offsets[1] : undefined;
    if (typeof end !== 'number' || !Number.isSafeInteger(end) || end < 0) return null;
    data = Math.max(data, end);
  }
  return 8 + headerBytes + data;
}

async function checkWeights(
  files: RangeFiles,
  path: string,
  name: string,
  bytes: number,
): Promise<void> {
  if (bytes < 8) throw damaged(name, `has ${bytes} bytes, too few for safetensors`);
  const prefix = await files.readRange(path, 0, 8);
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES) || length > BigInt(bytes - 8)) {
    const text = new TextDecoder().decode(prefix);
    throw damaged(
      name,
      text === 'version '
        ? 'is a Git LFS pointer, not the file itself'
        : 'is not a safetensors file',
    );
  }
  let header;
  try {
    header = parseObject(await files.readRange(path, 8, 8 + Number(length)), name);
  } catch (error) {
    if (error instanceof CheckpointFault) throw damaged(name, 'is not a safetensors file');
    throw error;
  }
  const expected = bytesByHeader(header, Number(length));
  if (expected === null) throw damaged(name, 'has a header that is not of safetensors');
  if (expected !== bytes)
    throw damaged(name, `has ${bytes} bytes; by its own header it has ${expected}`);
}

/** A header that can be read, and a file that has all tensors that it names. */
async function checkGguf(
  files: RangeFiles,
  path: string,
  name: string,
  size: number,
): Promise<void> {
  const { readGgufHeader } = await import('../../../policy/gguf/header.ts');
  const read = (start: number, end: number) => files.readRange(path, start, end);
  try {
    await readGgufHeader({ name, size, read });
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw damaged(name, `is damaged or incomplete (${error.message})`);
  }
}

/**
 * Checks that a stored file is what its name says, as far as possible without a hash: JSON
 * that parses, weights as long as their header says.
 * @throws CheckpointFault of kind `damaged`
 */
async function checkFile(
  files: RangeFiles,
  path: string,
  name: string,
  bytes: number,
): Promise<void> {
  if (isGgufName(name)) return checkGguf(files, path, name, bytes);
  if (isWeights(name)) return checkWeights(files, path, name, bytes);
  if (!name.endsWith('.json')) return;
  if (bytes > MOST_TEXT_BYTES) throw damaged(name, `has ${bytes} bytes, too many for such a file`);
  try {
    parseObject(await files.readRange(path, 0, bytes), name);
  } catch (error) {
    if (error instanceof CheckpointFault) throw damaged(name, 'is no JSON');
    throw error;
  }
}

/** Bytes after which what arrived is written and counts: what a killed tab loses at most. */
const CHUNK_BYTES = 16 * 1024 * 1024;
const STALL_MS = 30_000;
const TELL_MS = 250;
const RATE_WINDOW_MS = 8000;
/** Waits before a broken connection is tried again, s; from the first again once a byte arrived. */
const WAITS = [1, 2, 4, 8, 15];
const LONGEST_WAIT = 60;
const PASSING: readonly FaultKind[] = [
  'interrupted',
  'unreachable',
  'offline',
  'rate-limited',
  'server',
];

export interface DownloadOptions {
  store: CheckpointStore;
  transport: Transport;
  signal: AbortSignal;
  onProgress(progress: DownloadProgress): void;
  /** Bytes that this origin may still store; null where the browser does not tell. */
  free(): Promise<number | null>;
  now?: () => number;
  chunkBytes?: number;
  stallMs?: number;
  waits?: readonly number[];
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = () => {
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = setTimeout(done, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(new DOMException('stopped', 'AbortError'));
    };
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Where no file has been begun, a checkpoint that cannot fit is not begun either. */
async function checkRoom(rows: readonly FileRow[], options: DownloadOptions): Promise<void> {
  const needed = planBytes(rows) - rows.reduce((sum, row) => sum + row.done, 0);
  const free = await options.free();
  if (free !== null && needed > free) throw full(needed, free);
}

const full = (needed: number, free: number | null): CheckpointFault =>
  new CheckpointFault(
    'storage-full',
    `This needs ${megabytes(needed)} more; the browser gives this site ` +
      `${free === null ? 'no more' : `${megabytes(Math.max(0, free))} more`}.`,
    'Delete checkpoints or runs that you do not need, then resume: downloaded parts are kept.',
  );

/** Throws a file away, so that it is fetched again from its begin. */
async function throwAway(store: CheckpointStore, row: FileRow): Promise<void> {
  await store.putRow({ ...row, done: 0, tag: null, hash: null, digest: null });
  await store.files.remove(pathOf(row.checkpointId, row.name));
}

/** Downloads one checkpoint; made for one run of it. */
class Download {
  readonly #options: DownloadOptions;
  readonly #record: CheckpointRecord;
  readonly #rate;
  readonly #now: () => number;
  #rows: FileRow[];
  #told = -Infinity;

  constructor(record: CheckpointRecord, rows: FileRow[], options: DownloadOptions) {
    this.#record = record;
    this.#rows = rows;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#rate = createRateMeter(this.#now, RATE_WINDOW_MS);
  }

  async run(): Promise<void> {
    const { store } = this.#options;
    await this.#dropChanged();
    await checkRoom(this.#rows, this.#options);
    for (const row of this.#rows) if (row.digest === null) await this.#whole(row);
    await store.finish(this.#record.id);
  }

  /**
   * Files of an earlier run that have become others since, so that shards of two versions do not mix.
   * Those of a hub are of one commit.
   */
  async #dropChanged(): Promise<void> {
    const { transport, signal, store } = this.#options;
    for (const row of this.#rows) {
      if (row.digest === null || row.sha256 !== null || row.tag === null) continue;
      const now = await transport.tag(row, signal);
      if (now === null || now === row.tag) continue;
      await throwAway(store, row);
      this.#rows = await store.rows(row.checkpointId);
    }
  }

  /** Fetches and checks a file, over as many connections as it takes. */
  async #whole(first: FileRow): Promise<void> {
    const { store, signal } = this.#options;
    const path = pathOf(first.checkpointId, first.name);
    const writer = await store.files.open(path);
    let row: FileRow;
    try {
      row = await this.#fetch(first, writer);
    } finally {
      writer.close();
    }
    signal.throwIfAborted();
    try {
      if (row.sha256 !== null && row.digest !== row.sha256)
        throw new CheckpointFault(
          'damaged',
          `${row.name} is not the file that the hub names (SHA-256 ${row.digest?.slice(0, 12)}… instead of ${row.sha256.slice(0, 12)}…); it was deleted.`,
          'Resume to fetch it again. If it happens twice, a mirror or a proxy changes the file.',
        );
      await checkFile(store.files, path, row.name, row.done);
    } catch (error) {
      if (error instanceof CheckpointFault && error.kind === 'damaged') await throwAway(store, row);
      throw error;
    }
    await this.#commit({ ...row, bytes: row.done, hash: null });
  }

  async #fetch(first: FileRow, writer: Awaited<ReturnType<CheckpointStore['files']['open']>>) {
    const options = this.#options;
    const waits = options.waits ?? WAITS;
    let row = first;
    let failures = 0;
    for (;;) {
      try {
        return await fetchFile(
          {
            transport: options.transport,
            signal: options.signal,
            chunkBytes: options.chunkBytes ?? CHUNK_BYTES,
            stallMs: options.stallMs ?? STALL_MS,
            writer,
            commit: async (next) => {
              await this.#commit(next);
              row = next;
            },
            onBytes: (done, arrived) => {
              failures = 0;
              this.#rate.add(arrived);
              this.#report(row, done, null);
            },
          },
          row,
        );
      } catch (error) {
        options.signal.throwIfAborted();
        if (isQuotaError(error)) throw full(planBytes([row]) - row.done, await options.free());
        if (!(error instanceof CheckpointFault) || !PASSING.includes(error.kind)) throw error;
        const wait = Math.max(waits[failures++] ?? -1, error.retryAfter ?? -1);
        if (failures > waits.length || wait > LONGEST_WAIT) throw error;
        this.#report(row, row.done, `${error.message} Trying again in ${wait} s.`, true);
        await sleep(wait * 1000, options.signal);
      }
    }
  }

  async #commit(row: FileRow): Promise<void> {
    await this.#options.store.putRow(row);
    this.#rows = this.#rows.map((other) => (other.name === row.name ? row : other));
  }

  #report(row: FileRow, done: number, waiting: string | null, now = false): void {
    const t = this.#now();
    if (!now && t - this.#told < TELL_MS) return;
    this.#told = t;
    const before = this.#rows.reduce(
      (sum, each) => sum + (each.name === row.name ? 0 : each.done),
      0,
    );
    const totalBytes = planBytes(this.#rows);
    const doneBytes = before + done;
    const bytesPerSecond = this.#rate.perSecond();
    const known = this.#rows.every(({ bytes }) => bytes !== null);
    const left = Math.max(0, totalBytes - doneBytes);
    this.#options.onProgress({
      id: this.#record.id,
      file: row.name,
      doneBytes,
      totalBytes,
      bytesPerSecond,
      secondsLeft: known && bytesPerSecond > 0 ? left / bytesPerSecond : null,
      waiting,
    });
  }
}

/**
 * Fetches what is missing of a checkpoint and marks it ready. What arrived stays, however it ends.
 * @throws CheckpointFault; the signal's reason where it was stopped
 */
export async function download(id: string, options: DownloadOptions): Promise<void> {
  const { store } = options;
  await new Download(await store.record(id), await store.rows(id), options).run();
}
