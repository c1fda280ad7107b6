import type { DenseIndex, Neighbour, VectorTable } from '../dense/dense.ts';
import { buildClusters, type BuildHooks, type ClusterParts } from './build.ts';
import { dot, rowCount } from './partition/nearest.ts';
import { SAMPLING_DEFAULTS, type BuildOptions, type SamplingOptions } from './options.ts';
import { randomNumbers } from '../../base/random.ts';
import { allocate, shares, temperature, updateWeights } from './sampling.ts';
import type { ClusterShare, TracedNeighbours } from './trace.ts';
import { itemAt } from '../../base/items.ts';

/** The `count`-th largest of the first `n` values (from 1); reorders them (Hoare's quickselect). */
export function nthLargest(values: Float32Array, n: number, count: number): number {
  let low = 0;
  let high = n - 1;
  const target = count - 1;
  while (low !== high) {
    const pivot = values[(low + high) >> 1] ?? NaN;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? NaN) > pivot) i++;
      while ((values[j] ?? NaN) < pivot) j--;
      if (i > j) break;
      const swapped = values[i] ?? NaN;
      values[i] = values[j] ?? NaN;
      values[j] = swapped;
      i++;
      j--;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return values[target] ?? NaN;
}

/** Finds the largest of many scores again and again without new memory. */
export class Selector {
  #scratch = new Float32Array(0);

  /**
   * Indices of the `count` largest of the first `n` scores, in rising order of index; ties at the end
   * go to the lower index. Writes them to `out` from `at`; returns how many.
   */
  select(scores: Float32Array, n: number, count: number, out: Int32Array, at = 0): number {
    if (count >= n) {
      for (let i = 0; i < n; i++) out[at + i] = i;
      return n;
    }
    if (count <= 0) return 0;
    if (this.#scratch.length < n) this.#scratch = new Float32Array(2 * n);
    this.#scratch.set(scores.subarray(0, n));
    const least = nthLargest(this.#scratch, n, count);
    let above = 0;
    for (let i = 0; i < n; i++) if ((scores[i] ?? NaN) > least) above++;
    let ties = count - above;
    let written = at;
    for (let i = 0; i < n; i++) {
      const score = scores[i] ?? NaN;
      if (score > least || (score === least && ties-- > 0)) out[written++] = i;
    }
    return written - at;
  }
}

/** What is learned from queries; plain, to be stored. */
export interface LearnedSampling {
  /** t: queries so far. */
  queries: number;
  /** w of every cluster. */
  weights: number[];
  /** Results that came from every cluster. */
  hits: number[];
}

/**
 * The cluster retriever of KunLunBaizeRAG (section 3.1.1): a query shares its candidates out over the
 * clusters near it by learned weights, relevance and temperature; codes are scored with lookup tables
 * within each cluster, the best are re-ranked on reconstructed vectors. Scores are inner products with
 * reconstructed vectors, so for unit vectors nearly cosines. Not reentrant: one query at a time.
 */
export class ClusterIndex implements DenseIndex {
  readonly parts: ClusterParts;
  readonly size: number;
  readonly dimensions: number;
  readonly #sampling: SamplingOptions;
  readonly #weights: Float64Array;
  readonly #hits: Float64Array;
  readonly #random: () => number;
  /** Place in the lists of every row. */
  readonly #places: Int32Array;
  #queries = 0;
  // Buffers of a query.
  readonly #table: Float32Array;
  readonly #scores: Float32Array;
  readonly #selector = new Selector();
  readonly #nearClusters: Int32Array;
  #picked: Int32Array;
  #candidates: Int32Array;
  #candidateScores: Float32Array;

  constructor(
    parts: ClusterParts,
    sampling: Partial<SamplingOptions> = {},
    learned?: LearnedSampling,
  ) {
    const clusters = rowCount(parts.centroids);
    this.parts = parts;
    this.size = parts.rows.length;
    this.dimensions = parts.dimensions;
    this.#sampling = { ...SAMPLING_DEFAULTS, ...sampling };
    this.#weights = new Float64Array(clusters);
    this.#hits = new Float64Array(clusters);
    this.learn(learned ?? null);
    this.#random = randomNumbers(this.size);
    this.#places = new Int32Array(this.size);
    for (const [place, row] of parts.rows.entries()) this.#places[row] = place;
    const largest = Math.max(...Array.from(this.#weights, (_, c) => this.#sizeOf(c)));
    this.#table = new Float32Array(parts.quantizer.tableLength);
    this.#scores = new Float32Array(largest);
    this.#nearClusters = new Int32Array(clusters);
    this.#picked = new Int32Array(largest);
    this.#candidates = new Int32Array();
    this.#candidateScores = new Float32Array();
  }

  /** Builds from vectors, which are not kept. Throws as `buildClusters` does. */
  static async build(
    vectors: VectorTable,
    options: Partial<BuildOptions> & { sampling?: Partial<SamplingOptions> } = {},
    hooks: BuildHooks = {},
  ): Promise<ClusterIndex> {
    const { sampling, ...build } = options;
    return new ClusterIndex(await buildClusters(vectors, build, hooks), sampling);
  }

  /** What was learned so far. */
  get learned(): LearnedSampling {
    return { queries: this.#queries, weights: [...this.#weights], hits: [...this.#hits] };
  }

  get sampling(): SamplingOptions {
    return this.#sampling;
  }

  /**
   * Takes what was learned at another time in place of what it knows; with null, forgets.
   * @throws RangeError where that is of another number of clusters; nothing is changed then
   */
  learn(learned: LearnedSampling | null): void {
    const clusters = this.#weights.length;
    for (const values of learned ? [learned.weights, learned.hits] : [])
      if (values.length !== clusters)
        throw new RangeError(`${values.length} weights for ${clusters} clusters`);
    this.#queries = learned?.queries ?? 0;
    this.#weights.set(learned?.weights ?? new Float64Array(clusters).fill(1));
    this.#hits.set(learned?.hits ?? new Float64Array(clusters));
  }

  /** Bytes that the index holds for its documents, clusters and tables included. */
  get bytes(): number {
    const { centroids, rows, offsets, quantizer, codes, refinement } = this.parts;
    return (
      [centroids.values, rows, offsets, quantizer.centroids, codes, this.#places]
        .map(({ byteLength }) => byteLength)
        .reduce((sum, bytes) => sum + bytes, 0) + (refinement?.bytes ?? 0)
    );
  }

  /** The k best found, best first, ties by row; learns from the query. */
  search(query: Float32Array, k: number): Neighbour[] {
    return this.trace(query, k).neighbours;
  }

  /**
   * As `search`, with where everything came from.
   * @throws RangeError where the query has other dimensions than the index
   */
  trace(query: Float32Array, k: number, { learn = true } = {}): TracedNeighbours {
    const found = this.#query(query, k, itemAt(this.#centroidScores([query]), 0));
    if (learn) this.#learn(found);
    return found;
  }

  /**
   * Several queries in one call: centroids are scored for all of them in one pass, all see the weights
   * and the temperature from before the batch, and it learns from them afterwards, in their order.
   */
  traceBatch(
    queries: readonly Float32Array[],
    k: number,
    { learn = true } = {},
  ): TracedNeighbours[] {
    const scores = this.#centroidScores(queries);
    const found = queries.map((query, i) =>
      this.#query(query, k, itemAt(scores, i, 'scores of the queries')),
    );
    if (learn) for (const one of found) this.#learn(one);
    return found;
  }

  /** Inner product of the query with the reconstruction of a row. */
  similarity(query: Float32Array, row: number): number {
    return dot(query, 0, this.reconstruct(row), 0, this.dimensions);
  }

  /** The vector that the stored codes of a row stand for. */
  reconstruct(row: number): Float32Array {
    const { centroids, quantizer, codes, refinement } = this.parts;
    const place = this.#placeOf(row);
    const c = this.#clusterAt(place) * this.dimensions;
    const out = centroids.values.slice(c, c + this.dimensions);
    quantizer.decodeInto(codes, place * quantizer.subspaces, out);
    refinement?.decodeInto(place, out);
    return out;
  }

  /** Cluster of a row. */
  clusterOf(row: number): number {
    return this.#clusterAt(this.#placeOf(row));
  }

  #placeOf(row: number): number {
    const place = this.#places[row];
    if (place === undefined) throw new RangeError(`row ${row} of ${this.size}`);
    return place;
  }

  #clusterAt(place: number): number {
    const { offsets } = this.parts;
    let low = 0;
    let high = offsets.length - 1;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (itemAt(offsets, middle) <= place) low = middle;
      else high = middle;
    }
    return low;
  }

  #sizeOf(cluster: number): number {
    const { offsets } = this.parts;
    return itemAt(offsets, cluster + 1) - itemAt(offsets, cluster);
  }

  #learn({ clusters }: TracedNeighbours): void {
    updateWeights(this.#weights, new Set(clusters), this.#sampling);
    for (const cluster of clusters) this.#hits[cluster] = itemAt(this.#hits, cluster) + 1;
    this.#queries++;
  }

  /** Inner products of queries with all centroids; a centroid is read once for all queries. */
  #centroidScores(queries: readonly Float32Array[]): Float32Array[] {
    const { centroids } = this.parts;
    const d = this.dimensions;
    for (const query of queries) {
      if (query.length !== d)
        throw new RangeError(`the query has ${query.length} dimensions, the index ${d}`);
    }
    const k = rowCount(centroids);
    const all = queries.map((query) => ({ query, scores: new Float32Array(k) }));
    for (let c = 0; c < k; c++)
      for (const { query, scores } of all) scores[c] = dot(query, 0, centroids.values, c * d, d);
    return all.map(({ scores }) => scores);
  }

  #query(query: Float32Array, k: number, similarities: Float32Array): TracedNeighbours {
    const tau = temperature(this.#queries, this.#sampling);
    const clusters = this.#share(similarities, k, tau);
    this.parts.quantizer.table(query, this.#table);
    const { count, scanned, random } = this.#firstStage(clusters, query);
    const best = this.#secondStage(query, count, k);
    for (const share of clusters)
      share.results = best.filter(({ cluster }) => cluster === share.cluster).length;
    return {
      neighbours: best.map(({ index, similarity }) => ({ index, similarity })),
      clusters: best.map(({ cluster }) => cluster),
      trace: {
        query: this.#queries,
        temperature: tau,
        clusters,
        scanned,
        candidates: count,
        random,
      },
    };
  }

  /** Shares the candidates out over the nearest clusters, most similar first. */
  #share(similarities: Float32Array, k: number, tau: number): ClusterShare[] {
    const { considered, sharpness, minimumShare, candidates } = this.#sampling;
    const n = this.#selector.select(
      similarities,
      similarities.length,
      Math.max(1, considered),
      this.#nearClusters,
    );
    const near = Array.from(this.#nearClusters.subarray(0, n), (cluster) => ({
      cluster,
      size: this.#sizeOf(cluster),
      weight: itemAt(this.#weights, cluster),
      similarity: itemAt(similarities, cluster),
    })).sort((a, b) => b.similarity - a.similarity || a.cluster - b.cluster);
    const most = itemAt(near, 0).similarity;
    const relevance = near.map(({ similarity }) => Math.exp(sharpness * (similarity - most)));
    const weights = near.map(({ weight }) => weight);
    const p = shares(weights, relevance, tau, minimumShare);
    // An empty cluster takes any number: random documents are in for its own.
    const room = near.map(({ size }) => size || this.size);
    const counts = allocate(p, room, Math.min(Math.max(candidates, k), this.size));
    return near.map((one, i) => ({
      ...one,
      relevance: itemAt(relevance, i),
      share: itemAt(p, i),
      candidates: itemAt(counts, i),
      results: 0,
    }));
  }

  /** Scores the codes of each cluster and keeps its best; places and scores go to the buffers. */
  #firstStage(
    clusters: readonly ClusterShare[],
    query: Float32Array,
  ): { count: number; scanned: number; random: number } {
    const total = clusters.reduce((sum, { candidates }) => sum + candidates, 0);
    if (this.#candidates.length < total) {
      this.#candidates = new Int32Array(total);
      this.#candidateScores = new Float32Array(total);
    }
    let count = 0;
    let scanned = 0;
    let wanted = 0;
    for (const { cluster, size, similarity, candidates } of clusters) {
      if (candidates === 0) continue;
      if (size === 0) {
        wanted += candidates;
        continue;
      }
      const start = itemAt(this.parts.offsets, cluster);
      this.#scan(start, size, similarity);
      scanned += size;
      const kept = this.#selector.select(this.#scores, size, candidates, this.#picked);
      for (let i = 0; i < kept; i++, count++) {
        const place = this.#picked[i] ?? NaN;
        this.#candidates[count] = start + place;
        this.#candidateScores[count] = this.#scores[place] ?? NaN;
      }
    }
    const random = this.#addRandom(query, count, wanted);
    return { count: count + random, scanned: scanned + random, random };
  }

  /** Asymmetric distances: the sum of one table entry a subspace. */
  #scan(start: number, size: number, base: number): void {
    const { codes, quantizer } = this.parts;
    const m = quantizer.subspaces;
    const table = this.#table;
    const scores = this.#scores;
    const whole = m - (m % 4);
    for (let i = 0; i < size; i++) {
      const at = (start + i) * m;
      let s0 = base;
      let s1 = 0;
      for (let j = 0; j < whole; j += 4) {
        const entry = 256 * j;
        s0 += table[entry + (codes[at + j] ?? NaN)] ?? NaN;
        s1 += table[entry + 256 + (codes[at + j + 1] ?? NaN)] ?? NaN;
        s0 += table[entry + 512 + (codes[at + j + 2] ?? NaN)] ?? NaN;
        s1 += table[entry + 768 + (codes[at + j + 3] ?? NaN)] ?? NaN;
      }
      for (let j = whole; j < m; j++) s0 += table[256 * j + (codes[at + j] ?? NaN)] ?? NaN;
      scores[i] = s0 + s1;
    }
  }

  /** Fallback for empty clusters: documents at random from all, none twice. Returns how many. */
  #addRandom(query: Float32Array, count: number, wanted: number): number {
    if (wanted === 0) return 0;
    const taken = new Set(this.#candidates.subarray(0, count));
    const least = Math.min(wanted, this.size - count);
    while (taken.size < count + least) {
      const place = Math.floor(this.#random() * this.size);
      if (taken.has(place)) continue;
      const at = taken.size;
      taken.add(place);
      this.#scan(place, 1, this.#centroidScore(query, place));
      this.#candidates[at] = place;
      this.#candidateScores[at] = itemAt(this.#scores, 0);
    }
    return least;
  }

  #centroidScore(query: Float32Array, place: number): number {
    const d = this.dimensions;
    return dot(query, 0, this.parts.centroids.values, this.#clusterAt(place) * d, d);
  }

  /** Adds what the refinement knows to the first stage's scores and gives the k best. */
  #secondStage(query: Float32Array, count: number, k: number): (Neighbour & { cluster: number })[] {
    const { refinement, rows } = this.parts;
    const scores = this.#candidateScores;
    if (refinement)
      for (let i = 0; i < count; i++)
        scores[i] = (scores[i] ?? NaN) + refinement.dot(query, this.#candidates[i] ?? NaN);
    const picked = new Int32Array(Math.min(count, Math.max(0, k)));
    this.#selector.select(scores, count, picked.length, picked);
    return Array.from(picked, (i) => {
      const place = itemAt(this.#candidates, i);
      const [index, similarity] = [itemAt(rows, place), itemAt(scores, i)];
      return { index, similarity, cluster: this.#clusterAt(place) };
    }).sort((a, b) => b.similarity - a.similarity || a.index - b.index);
  }
}
