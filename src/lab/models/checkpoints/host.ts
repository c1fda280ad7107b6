import { undoEnded } from '../../storage/free-deleted.ts';
import { heldLocks, holdLock } from '../../storage/locks.ts';
import { download, type DownloadOptions } from './download.ts';
import {
  type CheckpointMessage,
  type CheckpointsApi,
  type CheckpointView,
  type DownloadProgress,
  type Outcome,
  type PlanRequest,
  type PlanView,
} from '../../contract/checkpoints.ts';
import type { MatrixType, StoreType } from '../../../policy/ops/values.ts';
import { factsOf } from './facts.ts';
import { CheckpointFault } from './plan/fault.ts';
import { planLocal } from './plan/plan-folder.ts';
import { planHub, type HubPlan } from './plan/plan-hub.ts';
import { planUrl } from './plan/plan-url.ts';
import {
  type CheckpointPlan,
  type LocalFile,
  planBytes,
  planSchema,
  type Source,
} from '../../contract/records/checkpoints.ts';
import { parseHub, parseSource } from './plan/source.ts';
import type { CheckpointStore, StoredCheckpoint } from './store.ts';
import { folderTransport, httpTransport, type Transport } from './transport.ts';
import { READING, WRITING } from './locks.ts';
import { withToken, type Web } from './plan/web.ts';
import { asSentence, messageOf } from '../../../base/errors.ts';
import { STORAGE_FULL, storageFault } from '../../../base/storage-faults.ts';
import { CheckpointError } from '../../../policy/checkpoint/checkpoint-error.ts';

/** Errors as values: they lose their class on the way between workers. */

const UNEXPECTED = 'Try again; if that does not help, copy this text into a bug report.';

function toFault(error: unknown): CheckpointFault {
  if (error instanceof CheckpointFault) return error;
  if (error instanceof CheckpointError)
    return new CheckpointFault(
      'unsupported',
      error.message.slice(0, -(error.remedy.length + 1)),
      `${error.remedy}.`,
      { cause: error },
    );
  const fault = storageFault(error);
  if (fault)
    return new CheckpointFault(
      fault === STORAGE_FULL ? 'storage-full' : 'missing',
      asSentence(fault.what),
      asSentence(fault.todo),
      { cause: error },
    );
  const message = messageOf(error);
  // What a file of a folder says when it was moved or changed since it was chosen.
  if (error instanceof DOMException && ['NotReadableError', 'NotFoundError'].includes(error.name))
    return new CheckpointFault(
      'changed',
      `A file could not be read any more: ${message}`,
      'Choose the folder again.',
    );
  return new CheckpointFault('bad-answer', message, UNEXPECTED, { cause: error });
}

async function outcome<T>(act: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { status: 'ready', value: await act() };
  } catch (error) {
    return { status: 'failed', fault: toFault(error).toFault() };
  }
}

const busy = (): CheckpointFault =>
  new CheckpointFault(
    'busy',
    'Another tab is working on this checkpoint.',
    'Continue there, or pause it there first.',
  );

/** Messages to the same page in other tabs. */
type TabMessage = { type: 'changed' } | { type: 'progress'; progress: DownloadProgress };

export interface CheckpointsHostParts {
  store: CheckpointStore;
  web: Web;
  locks: LockManager;
  channel: BroadcastChannel;
  free: DownloadOptions['free'];
  /** For tests: sizes and waits of downloads. */
  download?: Pick<DownloadOptions, 'chunkBytes' | 'stallMs' | 'waits'>;
}

interface Job {
  abort: AbortController;
  ended: Promise<void>;
}

/** Keeps the checkpoints of this device; lives in the lab worker. */
export class CheckpointsHost implements CheckpointsApi {
  readonly #parts: CheckpointsHostParts;
  readonly #jobs = new Map<string, Job>();
  #listener: (message: CheckpointMessage) => void = () => undefined;
  /** By the address of the hub; never stored. */
  readonly #tokens = new Map<string, string>();
  #planning: AbortController | null = null;
  /** What is done once before anything is listed. */
  #ready: Promise<void> | null = null;

  constructor(parts: CheckpointsHostParts) {
    this.#parts = parts;
    parts.channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
      if (data.type === 'progress') this.#listener(data);
      else this.#sendSoon();
    });
  }

  async listen(listener: (message: CheckpointMessage) => void): Promise<void> {
    this.#listener = listener;
    await this.#sendList();
  }

  async list(): Promise<CheckpointView[]> {
    this.#ready ??= this.#tidy();
    await this.#ready;
    const [all, held] = await Promise.all([
      this.#parts.store.list(),
      heldLocks(WRITING, this.#parts.locks),
    ]);
    return all
      .filter(({ record }) => record.deletedAt === null)
      .map((stored) => this.#view(stored, held));
  }

  useToken(hub: string, token: string): Promise<void> {
    if (token.trim() === '') this.#tokens.delete(parseHub(hub));
    else this.#tokens.set(parseHub(hub), token.trim());
    return Promise.resolve();
  }

  plan(request: PlanRequest): Promise<Outcome<PlanView>> {
    this.#planning?.abort();
    const planning = new AbortController();
    this.#planning = planning;
    return outcome(async () => {
      const { plan, ggufs } = await this.#planOf(request, planning.signal);
      return {
        plan,
        ggufs,
        facts: factsOf(plan.config),
        bytes: planBytes(plan.files),
        unknownSizes: plan.files.filter(({ bytes }) => bytes === null).length,
        freeBytes: await this.#freeBytes(),
      };
    });
  }

  cancelPlan(): Promise<void> {
    this.#planning?.abort();
    return Promise.resolve();
  }

  add(plan: CheckpointPlan, name: string, files?: LocalFile[]): Promise<Outcome<{ id: string }>> {
    return outcome(async () => {
      const checked = planSchema.parse(plan);
      const transport = this.#transport(checked, files);
      const { id } = await this.#parts.store.create(checked, name.slice(0, 200));
      await this.#begin(id, transport);
      return { id };
    });
  }

  resume(id: string, files?: LocalFile[]): Promise<Outcome<null>> {
    return outcome(async () => {
      const transport = this.#transport(await this.#parts.store.record(id), files);
      await this.#begin(id, transport);
      return null;
    });
  }

  async pause(id: string): Promise<void> {
    const job = this.#jobs.get(id);
    job?.abort.abort();
    await job?.ended;
  }

  rename(id: string, name: string): Promise<Outcome<null>> {
    return this.#change(() =>
      this.#parts.store.change(id, { name: name.trim().slice(0, 200) || id }),
    );
  }

  holdAs(id: string, weights: MatrixType | null): Promise<Outcome<null>> {
    return this.#change(() => this.#parts.store.change(id, { weights: weights ?? undefined }));
  }

  holdContextsAs(id: string, keys: StoreType | null): Promise<Outcome<null>> {
    return this.#change(() => this.#parts.store.change(id, { keys: keys ?? undefined }));
  }

  remove(id: string): Promise<Outcome<null>> {
    return this.#change(async () => {
      await this.pause(id);
      const release = await holdLock(WRITING + id, this.#parts.locks);
      if (!release) throw busy();
      try {
        await this.#parts.store.remove(id);
      } finally {
        release();
      }
    });
  }

  restore(id: string): Promise<Outcome<null>> {
    return this.#change(() => this.#parts.store.restore(id));
  }

  #change(act: () => Promise<void>): Promise<Outcome<null>> {
    return outcome(async () => {
      await act();
      this.#sendChange();
      return null;
    });
  }

  async #planOf(request: PlanRequest, signal: AbortSignal): Promise<HubPlan> {
    if (request.kind === 'local') return { plan: await planLocal(request.files), ggufs: [] };
    const source = parseSource(request.text, parseHub(request.hub));
    const web = this.#webOf(source);
    if (source.kind === 'hub') return planHub(web, source, signal);
    return { plan: await planUrl(web, source, signal), ggufs: [] };
  }

  #webOf(source: Source): Web {
    const token = source.kind === 'hub' ? this.#tokens.get(source.base) : undefined;
    const { web } = this.#parts;
    return source.kind === 'hub' && token !== undefined ? withToken(web, source.base, token) : web;
  }

  #transport(
    { source }: Pick<CheckpointPlan, 'source'>,
    files: LocalFile[] | undefined,
  ): Transport {
    if (source.kind === 'hub' || source.kind === 'url')
      return httpTransport(this.#webOf(source), source.kind === 'hub' ? source.repository : null);
    if (files) return folderTransport(files);
    throw new CheckpointFault(
      'needs-files',
      `Pages may not keep access to files: choose "${source.name}" again.`,
      'Choose it to continue where it stopped.',
    );
  }

  /** Starts a download that continues by itself. @throws CheckpointFault of kind `busy` */
  async #begin(id: string, transport: Transport): Promise<void> {
    if (this.#jobs.has(id)) return;
    const abort = new AbortController();
    // Entered before the first wait, so that a second call finds it.
    let ended = (): void => undefined;
    this.#jobs.set(id, { abort, ended: new Promise((resolve) => (ended = resolve)) });
    const release = await holdLock(WRITING + id, this.#parts.locks);
    if (!release) {
      this.#jobs.delete(id);
      ended();
      throw busy();
    }
    await this.#parts.store.change(id, { failure: null });
    this.#sendChange();
    void this.#work(id, transport, abort.signal).finally(() => {
      this.#jobs.delete(id);
      release();
      ended();
      this.#sendChange();
    });
  }

  async #work(id: string, transport: Transport, signal: AbortSignal): Promise<void> {
    const { store, channel, free } = this.#parts;
    try {
      await this.#makeRoom(id);
      await download(id, {
        store,
        transport,
        signal,
        free,
        onProgress: (progress) => {
          this.#listener({ type: 'progress', progress });
          channel.postMessage({ type: 'progress', progress } satisfies TabMessage);
        },
        ...this.#parts.download,
      });
    } catch (error) {
      if (signal.aborted) return;
      // Where even this cannot be stored, the list says that it is not whole.
      await store.change(id, { failure: toFault(error).toFault() }).catch(() => undefined);
    }
  }

  #view({ record, rows }: StoredCheckpoint, held: ReadonlySet<string>): CheckpointView {
    const { format: _format, ...shown } = record;
    const working = held.has(record.id) ? 'elsewhere' : 'paused';
    return {
      ...shown,
      state:
        record.readyAt !== null ? 'ready' : this.#jobs.has(record.id) ? 'downloading' : working,
      facts: factsOf(record.config),
      files: rows.map(({ name, done, bytes, digest, sha256 }) => ({
        name,
        doneBytes: done,
        bytes,
        digest,
        checked: digest !== null && sha256 !== null,
      })),
      doneBytes: rows.reduce((sum, { done }) => sum + done, 0),
      totalBytes: planBytes(rows),
    };
  }

  #sendChange(): void {
    this.#parts.channel.postMessage({ type: 'changed' } satisfies TabMessage);
    this.#sendSoon();
  }

  /** Where the records cannot be read, the next call of the page says so. */
  #sendSoon(): void {
    this.#sendList().catch(() => undefined);
  }

  async #sendList(): Promise<void> {
    this.#listener({ type: 'list', checkpoints: await this.list() });
  }

  /** Bytes of deleted checkpoints: they make room when it is needed. */
  async #deletedBytes(): Promise<number> {
    const all = await this.#parts.store.list();
    return all
      .filter(({ record }) => record.deletedAt !== null)
      .flatMap(({ rows }) => rows)
      .reduce((sum, { done }) => sum + done, 0);
  }

  async #freeBytes(): Promise<number | null> {
    const free = await this.#parts.free();
    return free === null ? null : free + (await this.#deletedBytes());
  }

  /** Where a checkpoint does not fit, deleted ones go for good before it is refused. */
  async #makeRoom(id: string): Promise<void> {
    const rows = await this.#parts.store.rows(id);
    const needed = planBytes(rows) - rows.reduce((sum, { done }) => sum + done, 0);
    const free = await this.#parts.free();
    if (free !== null && needed > free) await this.purge(new Date().toISOString());
  }

  async purge(before: string): Promise<void> {
    const { store, locks } = this.#parts;
    let erased = 0;
    for (const { record } of await store.list()) {
      if (record.deletedAt === null || record.deletedAt > before) continue;
      const releases = await Promise.all([
        holdLock(WRITING + record.id, locks),
        holdLock(READING + record.id, locks),
      ]);
      try {
        if (releases.includes(null)) continue;
        await store.erase(record.id);
        erased++;
      } catch {
        // It is tried again at the next purge; `orphans` finds files whose record is gone.
      } finally {
        for (const release of releases) release?.();
      }
    }
    if (erased > 0) this.#sendChange();
  }

  /** Removes what was deleted a while ago, and bytes that nothing names. */
  async #tidy(): Promise<void> {
    const { store } = this.#parts;
    await this.purge(undoEnded());
    for (const id of await store.orphans())
      await store.files.remove(`checkpoints/${id}`).catch(() => undefined);
  }
}
