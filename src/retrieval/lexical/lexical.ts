import type { Passage } from '../../records/records.ts';
import { PostingsBuilder, type Postings } from './postings.ts';
import { byScoreThenId, type Ranked } from './ranked.ts';
import { terms } from './text.ts';
import { createTurns } from '../../base/turns.ts';
import { finish, paced } from '../cluster/partition/steps.ts';
import { itemAt } from '../../base/items.ts';

export interface LexicalOptions {
  /** How much more a term in the title counts than one in the text. */
  titleBoost: number;
}

const DEFAULTS: LexicalOptions = { titleBoost: 2 };

/** Abort signal and progress callback of a long build. */
export interface BuildSignals {
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

const REPORT_EVERY = 64;
const FIELDS = 2;

/** BM25+ (Lv and Zhai, 2011). */
const [K1, B, DELTA] = [1.2, 0.7, 0.5];

const idf = (documents: number, holding: number): number =>
  Math.log(1 + (documents - holding + 0.5) / (holding + 0.5));

const fieldsOf = ({ title, text }: Passage): string[][] => [terms(title), terms(text)];

/** What one field of one passage adds to a term's score, before IDF and boost. */
const gain = (tf: number, length: number, meanLength: number): number =>
  DELTA + (tf * (K1 + 1)) / (tf + K1 * (1 - B + (B * length) / meanLength));

/**
 * BM25+ over title and text, k1 = 1.2, b = 0.7, δ = 0.5. Lengths count different terms, and the sum
 * over the query's terms is multiplied by how many of them a passage has, as minisearch does. Unlike
 * there, a term's IDF counts the passages that hold it in either field: words of a question ("what",
 * "in", "state") are rare in titles, and a title that holds one by chance would win by it.
 */
export class LexicalIndex {
  readonly #passages: readonly Passage[];
  readonly #postings: Postings;
  readonly #boosts: readonly number[];
  /** Of the query under way; all zero between queries. */
  readonly #scores: Float64Array;
  readonly #matched: Uint16Array;
  /** The last term of the query that a passage was found by, from 1. */
  readonly #seen: Uint16Array;

  constructor(
    passages: readonly Passage[],
    options: Partial<LexicalOptions> = {},
    postings = indexed(passages),
  ) {
    this.#passages = passages;
    this.#postings = postings;
    this.#boosts = [options.titleBoost ?? DEFAULTS.titleBoost, 1];
    this.#scores = new Float64Array(passages.length);
    this.#matched = new Uint16Array(passages.length);
    this.#seen = new Uint16Array(passages.length);
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
    const builder = new PostingsBuilder(FIELDS);
    const turn = createTurns(signal);
    for (const [done, passage] of passages.entries()) {
      builder.add(fieldsOf(passage));
      if (done % REPORT_EVERY === 0) {
        onProgress?.(done, passages.length);
        await turn();
      }
    }
    const postings = await paced(builder.build(), turn);
    onProgress?.(passages.length, passages.length);
    return new LexicalIndex(passages, options, postings);
  }

  /** Bytes of the index; those of its words are estimated. */
  get bytes(): number {
    const { byteLength } = this.#scores;
    return this.#postings.bytes + byteLength + this.#matched.byteLength + this.#seen.byteLength;
  }

  /** The k passages that score highest; fewer where fewer share a term with the query. */
  search(query: string, k: number): Ranked[] {
    const found: number[] = [];
    const words = new Map<string, number>();
    for (const word of terms(query)) {
      // A word that is there again scores again, and counts once as found.
      const again = words.has(word);
      if (!again) words.set(word, words.size + 1);
      const weight = idf(this.#passages.length, this.#postings.documentFrequency(word));
      for (let field = 0; field < FIELDS; field++)
        this.#score(word, field, weight, again ? 0 : words.size, found);
    }
    const top = this.#best(found, k);
    for (const document of found) {
      this.#scores[document] = 0;
      this.#matched[document] = 0;
      this.#seen[document] = 0;
    }
    return top;
  }

  /**
   * The score that a passage would have beside those of the index: lengths and document frequencies
   * stay those of the index.
   */
  scoreOf(query: string, passage: Passage): number {
    const words = terms(query);
    const fields = fieldsOf(passage).map(countsOf);
    const matched = new Set(words.filter((word) => fields.some((counts) => counts.has(word))));
    let sum = 0;
    for (const word of words) {
      const rarity = idf(this.#passages.length, this.#postings.documentFrequency(word));
      for (const [field, counts] of fields.entries()) {
        const mean = itemAt(this.#postings.meanLengths, field);
        const tf = counts.get(word);
        if (tf) sum += itemAt(this.#boosts, field) * rarity * gain(tf, counts.size, mean);
      }
    }
    return sum * matched.size;
  }

  /**
   * @param rarity the word's IDF
   * @param nth of the different words of the query, from 1; 0 where it was there before
   */
  #score(word: string, field: number, rarity: number, nth: number, found: number[]): void {
    const list = this.#postings.list(word, field);
    if (!list) return;
    const { documents, times, lengths, meanLengths } = this.#postings;
    const weight = itemAt(this.#boosts, field) * rarity;
    const ofLength = itemAt(lengths, field, 'lengths by field');
    const mean = itemAt(meanLengths, field);
    for (let at = list.from; at < list.to; at++) {
      const document = documents[at] ?? NaN;
      if (this.#matched[document] === 0) found.push(document);
      if (nth > 0 && this.#seen[document] !== nth) {
        this.#seen[document] = nth;
        this.#matched[document] = (this.#matched[document] ?? NaN) + 1;
      }
      this.#scores[document] =
        (this.#scores[document] ?? NaN) +
        weight * gain(times[at] ?? NaN, ofLength[document] ?? NaN, mean);
    }
  }

  /** The k best of what was found, best first, ties by passage id. */
  #best(found: readonly number[], k: number): Ranked[] {
    const top: Ranked[] = [];
    for (const document of found) {
      const score = (this.#scores[document] ?? NaN) * (this.#matched[document] ?? NaN);
      const last = top[k - 1];
      if (last && score < last.score) continue;
      const entry = { passage: itemAt(this.#passages, document, 'corpus'), score };
      const before = top.findLastIndex((other) => byScoreThenId(entry, other) >= 0);
      top.splice(before + 1, 0, entry);
      if (top.length > k) top.length = Math.max(0, k);
    }
    return top;
  }
}

function countsOf(words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function indexed(passages: readonly Passage[]): Postings {
  const builder = new PostingsBuilder(FIELDS);
  for (const passage of passages) builder.add(fieldsOf(passage));
  return finish(builder.build());
}
