import type { ByteProgress } from './fetch-progress.ts';
import { describeFailure } from './failures.ts';
import type { PartName, Parts, PartState } from './messages.ts';

const WAITING: PartState = {
  status: 'waiting',
  note: 'waiting',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
};

/** What is loaded and how far; every change is told. */
export class PartsBoard {
  #parts: Parts = { world: WAITING, retrieval: WAITING, policy: WAITING };
  readonly #tell: (parts: Parts) => void;

  constructor(tell: (parts: Parts) => void) {
    this.#tell = tell;
  }

  get parts(): Parts {
    return this.#parts;
  }

  loading(part: PartName, note: string, bytes?: ByteProgress): void {
    const { loadedBytes, totalBytes } = this.#parts[part];
    this.#set(part, {
      status: 'loading',
      note,
      loadedBytes: bytes?.loaded ?? loadedBytes,
      totalBytes: bytes?.total ?? totalBytes,
      failure: null,
    });
  }

  ready(part: PartName, note: string): void {
    this.#set(part, { ...this.#parts[part], status: 'ready', note, failure: null });
  }

  failed(part: PartName, error: unknown): void {
    this.#set(part, {
      ...this.#parts[part],
      status: 'failed',
      note: 'failed',
      failure: describeFailure(error),
    });
  }

  #set(part: PartName, state: PartState): void {
    this.#parts = { ...this.#parts, [part]: state };
    this.#tell(this.#parts);
  }
}
