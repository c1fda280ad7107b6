import { itemAt } from '../../base/items.ts';
import type { Passage } from '../../records/records.ts';
import { issueOf } from '../../base/errors.ts';
import { parseJson, type FetchFile } from '../../base/fetch-file.ts';
import { BestK } from '../dense/best-k.ts';
import type { Neighbour } from '../dense/dense.ts';
import type { Ranked } from '../lexical/ranked.ts';
import { terms, compareCodeUnits } from '../lexical/text.ts';
import {
  LENGTHS_FILE,
  passageShardFile,
  termShard,
  termShardFile,
  WEB_HEADER_FILE,
  webHeaderSchema,
  type WebHeader,
} from './format.ts';
import { decodeLengths, decodePassages } from './passages.ts';
import { decodePostings, type Postings } from './postings.ts';
import { ShardStore, type Meter, type WebSearchOptions } from './shard-store.ts';

/** `requests` files of `bytes` in all were fetched by the call. */
export interface WebResult extends Meter {
  ranked: Ranked[];
}

/** At most this many decoded shards of a kind are kept. */
const CACHED_SHARDS = 256;

/** Okapi BM25 with the never-negative idf that Lucene uses. */

interface Bm25Options {
  /** Saturation of the term frequency. */
  k1: number;
  /** Strength of the length normalisation, 0 to 1. */
  b: number;
}

const BM25_DEFAULTS: Bm25Options = { k1: 1.2, b: 0.75 };

/** ln(1 + (N − df + ½) / (df + ½)). */
export const idf = (documents: number, documentFrequency: number): number =>
  Math.log(1 + (documents - documentFrequency + 0.5) / (documentFrequency + 0.5));

/** tf (k1 + 1) / (tf + k1 (1 − b + b · length / averageLength)). */
export const termWeight = (
  tf: number,
  length: number,
  averageLength: number,
  { k1, b }: Bm25Options,
): number => (tf * (k1 + 1)) / (tf + k1 * (1 - b + (b * length) / averageLength));

/** Terms of a query with their counts, in the one order in which scores are summed. */
export function queryTerms(words: readonly string[]): [term: string, count: number][] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => compareCodeUnits(a, b));
}

/** The client of the static web index: fetches the shards that a query needs and scores them here. */
export class WebIndex {
  readonly header: WebHeader;
  readonly #lengths: Uint16Array;
  readonly #bm25: Bm25Options;
  readonly #termShards: ShardStore<Map<string, Postings>>;
  readonly #passageShards: ShardStore<Passage[]>;

  private constructor(
    header: WebHeader,
    lengths: Uint16Array,
    fetchFile: FetchFile,
    bm25: Bm25Options,
  ) {
    this.header = header;
    this.#lengths = lengths;
    this.#bm25 = bm25;
    const postings = (file: Uint8Array, name: string): Map<string, Postings> =>
      decodePostings(file, name, header.documents);
    this.#termShards = new ShardStore(fetchFile, postings, CACHED_SHARDS);
    this.#passageShards = new ShardStore(fetchFile, decodePassages, CACHED_SHARDS);
  }

  /** Fetches the header and the document lengths, once; throws where they are missing or broken. */
  static async open(fetchFile: FetchFile, bm25: Bm25Options = BM25_DEFAULTS): Promise<WebIndex> {
    const [headerFile, lengthsFile] = await Promise.all([
      fetchFile(WEB_HEADER_FILE),
      fetchFile(LENGTHS_FILE),
    ]);
    const parsed = webHeaderSchema.safeParse(parseJson(headerFile, WEB_HEADER_FILE));
    if (!parsed.success) throw new Error(`${WEB_HEADER_FILE}: ${issueOf(parsed.error)}`);
    const lengths = decodeLengths(lengthsFile, LENGTHS_FILE, parsed.data.documents);
    return new WebIndex(parsed.data, lengths, fetchFile, bm25);
  }

  /** The k best passages by BM25; ties by passage id. Rejects with the signal's reason on abort. */
  async search(query: string, k: number, options: WebSearchOptions = {}): Promise<WebResult> {
    const meter: Meter = { requests: 0, bytes: 0 };
    const scores = await this.#score(queryTerms(terms(query)), options, meter);
    // Documents are numbered in order of id, so the smaller number wins a tie.
    const best = new BestK(Math.min(k, scores.length));
    scores.forEach((score, document) => {
      // A term that a document holds adds something.
      if (score > 0) best.offer(document, score);
    });
    const top = best.list();
    return { ranked: await this.#read(top, options, meter), ...meter };
  }

  /** Whether one passage holds all of these terms; fetches their postings, no passage. */
  async together(words: readonly string[], options: WebSearchOptions = {}): Promise<boolean> {
    const fileOf = (word: string): string => termShardFile(termShard(word, this.header.termShards));
    const meter: Meter = { requests: 0, bytes: 0 };
    const shards = await this.#termShards.get(words.map(fileOf), options, meter);
    const lists = words.map((word) => shards.get(fileOf(word))?.get(word)?.documents ?? []);
    const [first = [], ...others] = lists;
    const rest = others.map((documents) => new Set(documents));
    return [...first].some((document) => rest.every((documents) => documents.has(document)));
  }

  /** Forgets the shards in memory. */
  clearCache(): void {
    this.#termShards.clear();
    this.#passageShards.clear();
  }

  /** BM25 of every document; 0 of one that holds none of the terms. */
  async #score(
    wanted: [term: string, count: number][],
    options: WebSearchOptions,
    meter: Meter,
  ): Promise<Float64Array> {
    const { documents, averageLength, termShards } = this.header;
    const fileOf = (term: string): string => termShardFile(termShard(term, termShards));
    const files = wanted.map(([term]) => fileOf(term));
    const shards = await this.#termShards.get(files, options, meter);
    const scores = new Float64Array(documents);
    for (const [term, count] of wanted) {
      const postings = shards.get(fileOf(term))?.get(term);
      if (!postings) continue;
      const weight = count * idf(documents, postings.documents.length);
      postings.documents.forEach((document, i) => {
        const [tf, length] = [itemAt(postings.frequencies, i), itemAt(this.#lengths, document)];
        const gain = weight * termWeight(tf, length, averageLength, this.#bm25);
        scores[document] = itemAt(scores, document) + gain;
      });
    }
    return scores;
  }

  async #read(
    top: readonly Neighbour[],
    options: WebSearchOptions,
    meter: Meter,
  ): Promise<Ranked[]> {
    const { passagesPerShard } = this.header;
    const fileOf = (document: number): string =>
      passageShardFile(Math.floor(document / passagesPerShard));
    const files = top.map(({ index }) => fileOf(index));
    const shards = await this.#passageShards.get(files, options, meter);
    return top.map(({ index, similarity: score }) => {
      const passage = shards.get(fileOf(index))?.[index % passagesPerShard];
      if (!passage) throw new Error(`${fileOf(index)}: document ${index} is missing`);
      return { passage, score };
    });
  }
}
