import type { LocalSpec } from '../../../records/setup.ts';
import type { Passage } from '../../../records/records.ts';
import type { OpenedLocal, OpenedVectors } from '../../../retrieval/open-local.ts';

/** A local source that is open: what searches it, what it holds, and what can be looked into. */
export interface OpenLocalSource extends Omit<OpenedLocal, 'memory'> {
  spec: LocalSpec;
  passages: readonly Passage[];
  /** Null for the built-in world. */
  memory: OpenedLocal['memory'] | null;
  /** Vectors where the method has none of its own, by the encoder that is chosen beside it. */
  encoded(): Promise<OpenedVectors>;
  /** Gives back what was opened for it alone. */
  dispose(): Promise<void>;
}

/** The right to use a local source until it is given back. */
export interface LocalLease {
  local: Promise<OpenLocalSource>;
  release: () => void;
}

interface Entry {
  local: Promise<OpenLocalSource>;
  abort: AbortController;
  leases: number;
}

/**
 * Local sources by their specification, each open once however many use it: the same index answers a
 * question of the page and a training run, with whatever web beside it.
 */
export class LocalSourcePool {
  readonly #open: (spec: LocalSpec, signal: AbortSignal) => Promise<OpenLocalSource>;
  readonly #entries = new Map<string, Entry>();

  constructor(open: (spec: LocalSpec, signal: AbortSignal) => Promise<OpenLocalSource>) {
    this.#open = open;
  }

  /** Opens it or finds it open; one that failed is opened again. */
  lease(spec: LocalSpec): LocalLease {
    const key = keyOf(spec);
    const entry = this.#entries.get(key) ?? this.#start(key, spec);
    entry.leases++;
    let held = true;
    return {
      local: entry.local,
      release: () => {
        if (!held) return;
        held = false;
        if (--entry.leases === 0) this.#close(key, entry);
      },
    };
  }

  /** The source where it is open or being opened. */
  find(spec: LocalSpec): Promise<OpenLocalSource> | null {
    return this.#entries.get(keyOf(spec))?.local ?? null;
  }

  /** Ends an opening that is under way: it rejects with `reason`. */
  stop(spec: LocalSpec, reason: Error): void {
    this.#entries.get(keyOf(spec))?.abort.abort(reason);
  }

  #start(key: string, spec: LocalSpec): Entry {
    const abort = new AbortController();
    const entry = { local: this.#open(spec, abort.signal), abort, leases: 0 };
    this.#entries.set(key, entry);
    entry.local.catch(() => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key);
    });
    return entry;
  }

  #close(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    entry.abort.abort(new Error('these sources were closed'));
    entry.local.then((local) => local.dispose()).catch(() => undefined);
  }
}

const keyOf = (spec: LocalSpec): string => JSON.stringify(spec);
