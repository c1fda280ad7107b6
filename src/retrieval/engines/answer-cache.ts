import { z } from 'zod';
import type { Found } from './kinds/passages.ts';

/** Answers of search engines that were given before: bounded in memory, kept longer where told how. */

/** Where answers outlive the page: any store of texts by key. Its failures never fail a search. */
export interface TextStore {
  get(key: string): Promise<string | undefined>;
  set(key: string, value: string): Promise<void>;
}

export interface AnswerCacheOptions {
  entries?: number;
  /** Of all texts together, in UTF-16 units. */
  chars?: number;
  /** Age at which an answer is asked for again. */
  maxAgeMs?: number;
  store?: TextStore | null;
  /** Unix time in milliseconds: ages are compared between visits. */
  clock?: () => number;
}

interface Entry {
  at: number;
  found: Found[];
}

const entrySchema = z.object({
  at: z.number(),
  found: z.array(
    z.object({
      passage: z.object({
        id: z.string(),
        title: z.string(),
        text: z.string(),
        sentences: z.array(z.string()),
        url: z.url({ protocol: /^https?$/ }).optional(),
      }),
      score: z.number().nullable(),
    }),
  ),
});

/** Titles and texts, twice for the sentences. */
const sizeOf = (found: readonly Found[]): number =>
  found.reduce((sum, { passage }) => sum + passage.title.length + 2 * passage.text.length, 200);

function readStored(text: string): Entry | null {
  try {
    const { at, found } = entrySchema.parse(JSON.parse(text));
    return {
      at,
      found: found.map(({ score, passage: { url, ...rest } }) => ({
        score,
        passage: { ...rest, ...(url === undefined ? {} : { url }) },
      })),
    };
  } catch {
    return null;
  }
}

export class AnswerCache {
  readonly #entries = new Map<string, Entry>();
  readonly #options: Required<AnswerCacheOptions>;
  #chars = 0;

  constructor(options: AnswerCacheOptions = {}) {
    this.#options = {
      entries: 512,
      chars: 8 * 2 ** 20,
      maxAgeMs: 24 * 3600_000,
      store: null,
      clock: Date.now,
      ...options,
    };
  }

  /** UTF-16 units that are held. */
  get chars(): number {
    return this.#chars;
  }

  get size(): number {
    return this.#entries.size;
  }

  async get(key: string): Promise<Found[] | null> {
    const held = this.#entries.get(key) ?? (await this.#stored(key));
    if (!held || this.#options.clock() - held.at > this.#options.maxAgeMs) {
      this.#drop(key);
      return null;
    }
    this.#keep(key, held);
    return held.found;
  }

  set(key: string, found: Found[]): void {
    const entry = { at: this.#options.clock(), found };
    this.#keep(key, entry);
    void this.#options.store?.set(key, JSON.stringify(entry)).catch(() => undefined);
  }

  clear(): void {
    this.#entries.clear();
    this.#chars = 0;
  }

  async #stored(key: string): Promise<Entry | null> {
    const text = await this.#options.store?.get(key).catch(() => undefined);
    return text === undefined ? null : readStored(text);
  }

  #keep(key: string, entry: Entry): void {
    this.#drop(key);
    this.#entries.set(key, entry);
    this.#chars += sizeOf(entry.found);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#options.entries && this.#chars <= this.#options.chars) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#chars -= sizeOf(entry.found);
  }
}
