import type { ByteProgress, PartName, Parts, PartShare, PartState } from '../contract/progress.ts';
import { describeFailure } from '../contract/failures.ts';

const WAITING: PartState = {
  status: 'waiting',
  note: 'waiting',
  loadedBytes: 0,
  totalBytes: 0,
  failure: null,
};

/** What is loaded and how far; `report` is called with every change. */
export class PartTracker {
  #parts: Parts = { world: WAITING, retrieval: WAITING, policy: WAITING };
  readonly #report: (parts: Parts) => void;

  constructor(report: (parts: Parts) => void) {
    this.#report = report;
  }

  get parts(): Parts {
    return this.#parts;
  }

  /** @param progress what is known of it; without, that of before stays */
  loading(part: PartName, note: string, progress?: ByteProgress | PartShare): void {
    const { loadedBytes, totalBytes, share } = this.#parts[part];
    const state = { status: 'loading', note, failure: null } as const;
    if (!progress)
      return this.#set(part, {
        ...state,
        loadedBytes,
        totalBytes,
        ...(share !== undefined && { share }),
      });
    if ('share' in progress)
      return this.#set(part, { ...state, ...progress, loadedBytes: 0, totalBytes: 0 });
    this.#set(part, { ...state, loadedBytes: progress.loaded, totalBytes: progress.total });
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
    this.#report(this.#parts);
  }
}
