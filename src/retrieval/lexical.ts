import MiniSearch from 'minisearch';
import type { Passage } from '../data/records.ts';
import { best, type Ranked } from './ranked.ts';
import { terms } from './text.ts';
import { createTurns } from './turns.ts';

export interface LexicalOptions {
  /** How much more a term in the title counts than one in the text. */
  titleBoost: number;
}

const DEFAULTS: LexicalOptions = { titleBoost: 2 };

/** What a long build is told and tells. */
export interface BuildSignals {
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

const TOLD_EVERY = 64;

/**
 * Heap that a term of a text takes, measured in Node on the 994 passages of HotpotQA's sample
 * (NODE_OPTIONS=--expose-gc, bench/retrieval/local.ts). Large corpora repeat words and take less.
 */
const BYTES_PER_TERM = 110;

/** BM25+ (minisearch, its defaults k = 1.2, b = 0.7, d = 0.5) over title and text. */
export class LexicalIndex {
  readonly #index: MiniSearch;
  #passages: readonly Passage[];
  /** Terms of all titles and texts, repeats counted. */
  #terms = 0;

  constructor(passages: readonly Passage[], options: Partial<LexicalOptions> = {}) {
    const { titleBoost } = { ...DEFAULTS, ...options };
    this.#passages = passages;
    this.#index = new MiniSearch({
      fields: ['title', 'text'],
      tokenize: (text, field) => {
        const found = terms(text);
        // Queries come without a field.
        if (field !== undefined) this.#terms += found.length;
        return found;
      },
      processTerm: (term) => term,
      searchOptions: { boost: { title: titleBoost }, combineWith: 'OR' },
    });
    for (const [id, { title, text }] of passages.entries()) this.#index.add({ id, title, text });
  }

  /**
   * As the constructor, with turns for the event loop between passages.
   * @throws the signal's reason when aborted
   */
  static async build(
    passages: readonly Passage[],
    options: Partial<LexicalOptions> = {},
    { onProgress, signal }: BuildSignals = {},
  ): Promise<LexicalIndex> {
    const lexical = new LexicalIndex([], options);
    lexical.#passages = passages;
    const turn = createTurns(signal);
    for (const [id, { title, text }] of passages.entries()) {
      lexical.#index.add({ id, title, text });
      if (id % TOLD_EVERY === 0) {
        onProgress?.(id, passages.length);
        await turn();
      }
    }
    onProgress?.(passages.length, passages.length);
    return lexical;
  }

  /** Bytes of the index, estimated: engines do not tell what an object takes. */
  get bytes(): number {
    return this.#terms * BYTES_PER_TERM;
  }

  /** The k passages that score highest; fewer where fewer share a term with the query. */
  search(query: string, k: number): Ranked[] {
    const found = this.#index.search(query).flatMap(({ id, score }): Ranked[] => {
      const passage = this.#passages[Number(id)];
      return passage ? [{ passage, score }] : [];
    });
    return best(found, k);
  }
}
