import MiniSearch from 'minisearch';
import type { Passage } from '../data/records.ts';
import { best, type Ranked } from './ranked.ts';
import { terms } from './text.ts';

export interface LexicalOptions {
  /** How much more a term in the title counts than one in the text. */
  titleBoost: number;
}

const DEFAULTS: LexicalOptions = { titleBoost: 2 };

/** BM25+ (minisearch, its defaults k = 1.2, b = 0.7, d = 0.5) over title and text. */
export class LexicalIndex {
  readonly #index: MiniSearch;
  readonly #passages: readonly Passage[];

  constructor(passages: readonly Passage[], options: Partial<LexicalOptions> = {}) {
    const { titleBoost } = { ...DEFAULTS, ...options };
    this.#passages = passages;
    this.#index = new MiniSearch({
      fields: ['title', 'text'],
      tokenize: terms,
      processTerm: (term) => term,
      searchOptions: { boost: { title: titleBoost }, combineWith: 'OR' },
    });
    this.#index.addAll(passages.map((p, id) => ({ id, title: p.title, text: p.text })));
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
