import type { LocalSpec } from '../../../records/setup.ts';
import { itemAt } from '../../../base/items.ts';
import type { Passage } from '../../../records/records.ts';
import { ExactIndex, type Neighbour } from '../../../retrieval/dense/dense.ts';
import { openClusters } from '../../../retrieval/methods/open-clusters.ts';
import type { IndexCache, LocalHooks, LocalStage } from '../../../retrieval/methods/method.ts';
import type { OpenedVectors } from '../../../retrieval/open-local.ts';
import type {
  ClusterAnswer,
  ClusterApi,
  ClusterLearning,
  ClusterOverview,
  ClusterProgress,
  MapPlaces,
  PassageMap,
  WithoutVectors,
  ClusterHit,
  ClusterRow,
} from '../../contract/clusters.ts';
import {
  placesIn,
  principalPlane,
  type PrincipalPlane,
} from '../../../retrieval/dense/principal.ts';
import type { OpenLocalSource } from './local-source-pool.ts';
import type { ClusterIndex } from '../../../retrieval/cluster/cluster-index.ts';
import type { LiveClusters } from '../../../retrieval/cluster/live.ts';

/** What the page of clusters shows of one index. */

/** How deep the exact scan is compared. */
const EXACT_DEPTH = 1000;
const TITLES = 4;
/** Last queries that are shown. */
const RECENT = 20;

/** One index as the page shows it. */
interface ClusterView {
  clusters: LiveClusters;
  /** Whether it answers searches. */
  answers: boolean;
  passages: readonly Passage[];
  vectors: OpenedVectors;
  rows: ClusterRow[];
}

/** Nearest titles and mean inner product with the centroid, cluster by cluster. */
function describeClusters(index: ClusterIndex, passages: readonly Passage[]): ClusterRow[] {
  const { centroids, rows, offsets, dimensions } = index.parts;
  return Array.from({ length: offsets.length - 1 }, (_, c) => {
    const centroid = centroids.values.slice(c * dimensions, (c + 1) * dimensions);
    const near = Array.from(rows.subarray(offsets[c], offsets[c + 1]), (row) => ({
      row,
      similarity: index.similarity(centroid, row),
    })).sort((a, b) => b.similarity - a.similarity || a.row - b.row);
    const length = Math.hypot(...centroid) || 1;
    const total = near.reduce((sum, { similarity }) => sum + similarity, 0);
    const titles = new Set(near.map(({ row }) => passages[row]?.title ?? ''));
    return {
      cluster: c,
      size: near.length,
      titles: [...titles].slice(0, TITLES),
      cohesion: total / Math.max(1, near.length) / length,
    };
  });
}

const learningOf = ({ changes, recent, recallable, index }: LiveClusters): ClusterLearning => ({
  ...index.learned,
  changes,
  recallable,
  recent: recent.slice(0, RECENT),
});

function overviewOf(
  { clusters, answers, vectors, rows }: ClusterView,
  spec: LocalSpec,
): ClusterOverview {
  const { index, kept, openedMs, stored } = clusters;
  const { parts } = index;
  return {
    kind: 'clusters',
    method: spec.kind === 'built-in' ? 'hybrid' : spec.method,
    answers,
    kept,
    encoder: vectors.encoder.id,
    passages: index.size,
    dimensions: index.dimensions,
    bytes: index.bytes,
    vectorBytes: 4 * index.size * index.dimensions,
    openedMs,
    stored,
    subspaces: parts.quantizer.subspaces,
    refineBits: parts.refinement?.bits ?? 0,
    dissolved: parts.dissolved,
    choice: parts.choice,
    sampling: index.sampling,
    clusters: rows,
    learning: learningOf(clusters),
  };
}

/** Searches by clusters, which learn from it, and by the exact scan. */
function answerOf(
  { clusters, passages }: ClusterView,
  exact: ExactIndex,
  query: string,
  vector: Float32Array,
  k: number,
): ClusterAnswer {
  // Deeper than what is timed, for the ranks of what only the clusters found; it also warms up.
  const order = exact.search(vector, Math.max(k, EXACT_DEPTH));
  const exactStart = performance.now();
  exact.search(vector, k);
  const start = performance.now();
  const found = clusters.search(query, vector, k);
  const end = performance.now();
  const { neighbours, trace } = found;
  const ranks = new Map(order.map(({ index: row }, i) => [row, i + 1]));
  const hits = neighbours.flatMap(({ index: row, similarity }, i): ClusterHit[] => {
    const passage = passages[row];
    if (!passage) return [];
    const { title, text } = passage;
    const exactRank = ranks.get(row) ?? null;
    return [{ row, title, text, cluster: found.clusters[i] ?? 0, similarity, exactRank }];
  });
  return {
    query,
    trace,
    hits,
    missed: missedOf(order.slice(0, k), neighbours, ({ index: row }, i) => ({
      row,
      title: passages[row]?.title ?? '',
      exactRank: i + 1,
      cluster: clusters.index.clusterOf(row),
    })),
    clusterMs: end - start,
    exactMs: start - exactStart,
    learning: learningOf(clusters),
  };
}

function missedOf<Missed>(
  best: readonly Neighbour[],
  neighbours: readonly Neighbour[],
  told: (one: Neighbour, place: number) => Missed,
): Missed[] {
  const found = new Set(neighbours.map(({ index: row }) => row));
  return best.flatMap((one, i) => (found.has(one.index) ? [] : [told(one, i)]));
}

/** What is looked into: a local source as searches have it. */
export type ClusterSource = Pick<
  OpenLocalSource,
  'spec' | 'passages' | 'vectors' | 'clusters' | 'encoded'
>;

export interface ClusterHostDeps {
  /** The source as it is open for searches, opened where it is not. */
  local(spec: LocalSpec): Promise<ClusterSource>;
  /** Ends its opening where that is under way. */
  stop(spec: LocalSpec, reason: Error): void;
  /** Keeps indexes that are built here. */
  indexCache: IndexCache | null;
}

/** Stages beside those of opening a source, by their words. */
interface TrackedHooks extends LocalHooks {
  onStage: (stage: string, done: number, total: number) => void;
}

const STAGES: Record<LocalStage, string> = {
  lexical: 'indexing words',
  encode: 'reading or encoding passages',
  graph: 'building the graph',
  clusters: 'building clusters',
};

/** The passages of a source as a map. */

/** More points than this cover each other; of more passages as many are shown, evenly spread. */
const MOST_POINTS = 20_000;

interface OpenMap {
  map: PassageMap;
  plane: PrincipalPlane;
}

interface MapHooks extends LocalHooks {
  onStage: (stage: string, done: number, total: number) => void;
}

/** @throws the signal's reason when aborted */
async function openMap(
  { vectors, passages, clusters }: ClusterView,
  hooks: MapHooks,
): Promise<OpenMap> {
  const table = await vectors.read(hooks);
  const start = performance.now();
  const plane = await principalPlane(table, {
    ...(hooks.signal && { signal: hooks.signal }),
    onProgress: (done, total) => hooks.onStage('finding the plane', done, total),
  });
  const step = Math.max(1, passages.length / MOST_POINTS);
  const rows = Int32Array.from({ length: Math.floor(passages.length / step) }, (_, i) =>
    Math.floor(i * step),
  );
  const all = placesIn(plane, table);
  const places = new Float32Array(2 * rows.length);
  for (const [i, row] of rows.entries()) places.set(all.subarray(2 * row, 2 * row + 2), 2 * i);
  const shown = Array.from(rows, (row) => passages[row]);
  return {
    plane,
    map: {
      kind: 'map',
      passages: passages.length,
      rows,
      places,
      clusters: rows.map((row) => clusters.index.clusterOf(row)),
      ids: shown.map((passage) => passage?.id ?? ''),
      titles: shown.map((passage) => passage?.title ?? ''),
      shares: plane.shares,
      encoder: vectors.encoder.id,
      ms: performance.now() - start,
    },
  };
}

const pairs = (places: Float32Array): (readonly [number, number])[] =>
  Array.from({ length: places.length / 2 }, (_, i) => [places[2 * i] ?? 0, places[2 * i + 1] ?? 0]);

/** Where a query, and passages of other sources, lie in the plane. */
async function placesOf(
  plane: PrincipalPlane,
  encoder: OpenedVectors['encoder'],
  query: string,
  passages: readonly Passage[],
): Promise<MapPlaces> {
  const vector = await encoder.encodeQuery(query);
  const [at = [0, 0]] = pairs(placesIn(plane, { dimensions: vector.length, values: vector }));
  const others = passages.length > 0 ? await encoder.encodePassages(passages) : null;
  return { query: at, passages: others ? pairs(placesIn(plane, others)) : [] };
}

/**
 * The clusters of local sources, for the page that shows them: the side that runs in a worker. Where
 * clusters answer searches, that very index is shown; else one is built over the same vectors.
 */
export class ClusterHost implements ClusterApi {
  readonly #deps: ClusterHostDeps;
  /** They go when the source does. */
  readonly #views = new WeakMap<ClusterSource, Promise<ClusterView>>();
  readonly #maps = new WeakMap<ClusterSource, Promise<OpenMap>>();
  /** The exact scan of the source that was asked last. */
  #exact: { view: ClusterView; index: Promise<ExactIndex> } | null = null;
  #abort = new AbortController();
  #progress: ClusterProgress | null = null;

  constructor(deps: ClusterHostDeps) {
    this.#deps = deps;
  }

  async overview(spec: LocalSpec, encode: boolean): Promise<ClusterOverview | WithoutVectors> {
    const source = await this.#deps.local(spec);
    if (!source.vectors && !encode && !this.#views.has(source)) return withoutVectors(source);
    return overviewOf(await this.#viewOf(source), spec);
  }

  async map(spec: LocalSpec, encode: boolean): Promise<PassageMap | WithoutVectors> {
    const source = await this.#deps.local(spec);
    if (!source.vectors && !encode && !this.#views.has(source)) return withoutVectors(source);
    return (await this.#mapOf(source)).map;
  }

  async place(spec: LocalSpec, query: string, passages: readonly Passage[]): Promise<MapPlaces> {
    const source = await this.#deps.local(spec);
    const { vectors } = await this.#viewOf(source);
    return placesOf((await this.#mapOf(source)).plane, vectors.encoder, query, passages);
  }

  async passage(spec: LocalSpec, row: number): Promise<Passage> {
    return itemAt((await this.#deps.local(spec)).passages, row, 'list of passages');
  }

  async progress(): Promise<ClusterProgress | null> {
    return this.#progress;
  }

  async stop(spec: LocalSpec): Promise<void> {
    this.#deps.stop(
      spec,
      new Error(
        'The opening of these passages was stopped; whole blocks of vectors that were made are kept.',
      ),
    );
    this.#abort.abort(
      new Error(
        'The building of clusters was stopped; whole blocks of vectors that were made are kept.',
      ),
    );
    this.#abort = new AbortController();
  }

  async learning(spec: LocalSpec, changes: number): Promise<ClusterLearning | null> {
    const { clusters } = await this.#open(spec);
    return clusters.changes === changes ? null : learningOf(clusters);
  }

  async search(spec: LocalSpec, query: string, k: number): Promise<ClusterAnswer> {
    const view = await this.#open(spec);
    const vector = await view.vectors.encoder.encodeQuery(query);
    return answerOf(view, await this.#exactOf(view), query, vector, k);
  }

  async learn(spec: LocalSpec, queries: readonly string[], k: number): Promise<ClusterLearning> {
    const { clusters, vectors } = await this.#open(spec);
    for (const query of queries)
      clusters.search(query, await vectors.encoder.encodeQuery(query), k);
    return learningOf(clusters);
  }

  async forget(spec: LocalSpec): Promise<ClusterLearning> {
    const { clusters } = await this.#open(spec);
    clusters.forget();
    return learningOf(clusters);
  }

  async recall(spec: LocalSpec): Promise<ClusterLearning> {
    const { clusters } = await this.#open(spec);
    clusters.recall();
    return learningOf(clusters);
  }

  async leave(): Promise<void> {
    if (this.#exact && !this.#exact.view.vectors.inMemory) this.#exact = null;
  }

  async #open(spec: LocalSpec): Promise<ClusterView> {
    return this.#viewOf(await this.#deps.local(spec));
  }

  #viewOf(source: ClusterSource): Promise<ClusterView> {
    const known = this.#views.get(source);
    if (known) return known;
    const view = this.#tracked((hooks) => openView(source, this.#deps.indexCache, hooks));
    this.#views.set(source, view);
    // After a failure the next call tries again.
    view.catch(() => this.#views.delete(source));
    return view;
  }

  async #mapOf(source: ClusterSource): Promise<OpenMap> {
    const known = this.#maps.get(source);
    if (known) return known;
    const view = await this.#viewOf(source);
    const opened = this.#tracked((hooks) => openMap(view, hooks));
    this.#maps.set(source, opened);
    opened.catch(() => this.#maps.delete(source));
    return opened;
  }

  /** Vectors that searches do not hold are read when the first query is compared. */
  #exactOf(view: ClusterView): Promise<ExactIndex> {
    if (this.#exact?.view === view) return this.#exact.index;
    const index = this.#tracked(async (hooks) => new ExactIndex(await view.vectors.read(hooks)));
    const exact = { view, index };
    this.#exact = exact;
    index.catch(() => {
      if (this.#exact === exact) this.#exact = null;
    });
    return index;
  }

  /** Runs work that can be stopped, and whose progress the page can ask for. */
  async #tracked<Result>(work: (hooks: TrackedHooks) => Promise<Result>): Promise<Result> {
    const { signal } = this.#abort;
    this.#progress = { stage: 'reading', done: 0, total: 0 };
    try {
      return await work({
        signal,
        onStage: (stage, done, total) => (this.#progress = { stage, done, total }),
        onProgress: (stage, done, total) =>
          (this.#progress = { stage: STAGES[stage], done, total }),
      });
    } finally {
      this.#progress = null;
    }
  }
}

async function openView(
  source: ClusterSource,
  indexCache: IndexCache | null,
  hooks: LocalHooks,
): Promise<ClusterView> {
  const vectors = source.vectors ?? (await source.encoded());
  const clusters = source.clusters ?? (await built(vectors));
  const { passages } = source;
  return {
    clusters,
    answers: source.clusters !== null,
    passages,
    vectors,
    rows: describeClusters(clusters.index, passages),
  };

  /** What it learns is of no search: it is not kept. */
  async function built(from: OpenedVectors) {
    return openClusters(await from.read(hooks), { indexCache }, hooks);
  }
}

const withoutVectors = ({ spec, passages }: ClusterSource): WithoutVectors => ({
  kind: 'without-vectors',
  method: spec.kind === 'built-in' ? 'lexical' : spec.method,
  passages: passages.length,
  encoder: spec.kind === 'built-in' ? null : spec.encoder,
});
