import type { ClusterIndex, LearnedSampling } from './cluster-index.ts';
import type { TracedNeighbours } from './trace.ts';

/** Queries that are remembered with their words. */
const RECENT = 50;
/** Clusters of a remembered query. */
const SOURCES = 6;

/** A query that an index answered, and where its results came from. */
export interface AnsweredQuery {
  /** t: queries before it. */
  query: number;
  text: string;
  temperature: number;
  /** Candidates that were ranked again. */
  candidates: number;
  results: number;
  /** Clusters that gave results, those that gave most first; the first few. */
  sources: { cluster: number; candidates: number; results: number }[];
}

export interface LiveOptions {
  /** The index was read instead of built. */
  stored: boolean;
  /** Milliseconds that opening it took. */
  openedMs: number;
  /** Called whenever what was learned has changed; null where nobody keeps it. */
  keep: ((learned: () => LearnedSampling) => void) | null;
}

/**
 * An index of clusters that answers searches, and what is to be seen of it: its last queries, and what
 * it learned, which can be forgotten and brought back.
 */
export class LiveClusters {
  readonly index: ClusterIndex;
  readonly stored: boolean;
  readonly openedMs: number;
  readonly #keep: LiveOptions['keep'];
  #recent: AnsweredQuery[] = [];
  #changes = 0;
  #forgotten: { learned: LearnedSampling; recent: AnsweredQuery[] } | null = null;

  constructor(index: ClusterIndex, { stored, openedMs, keep }: LiveOptions) {
    this.index = index;
    this.stored = stored;
    this.openedMs = openedMs;
    this.#keep = keep;
  }

  /** Whether what it learns is kept longer than itself. */
  get kept(): boolean {
    return this.#keep !== null;
  }

  /** Grows whenever something was learned, forgotten or brought back. */
  get changes(): number {
    return this.#changes;
  }

  /** The last queries, the latest first. */
  get recent(): readonly AnsweredQuery[] {
    return this.#recent;
  }

  /** Whether `recall` would bring something back. */
  get recallable(): boolean {
    return this.#forgotten !== null;
  }

  /** Searches and learns. @param text the query as text */
  search(text: string, vector: Float32Array, k: number): TracedNeighbours {
    const found = this.index.trace(vector, k);
    this.#recent = [answered(text, found), ...this.#recent.slice(0, RECENT - 1)];
    this.#changed();
    return found;
  }

  forget(): void {
    this.#forgotten = { learned: this.index.learned, recent: this.#recent };
    this.index.learn(null);
    this.#recent = [];
    this.#changed();
  }

  /** Takes back a `forget`; what was learned since is dropped for it. Nothing where there was none. */
  recall(): void {
    if (!this.#forgotten) return;
    const { learned, recent } = this.#forgotten;
    this.#forgotten = null;
    this.index.learn(learned);
    this.#recent = recent;
    this.#changed();
  }

  #changed(): void {
    this.#changes++;
    this.#keep?.(() => this.index.learned);
  }
}

const answered = (text: string, { neighbours, trace }: TracedNeighbours): AnsweredQuery => ({
  query: trace.query,
  text,
  temperature: trace.temperature,
  candidates: trace.candidates,
  results: neighbours.length,
  sources: trace.clusters
    .filter(({ results }) => results > 0)
    .sort((a, b) => b.results - a.results || a.cluster - b.cluster)
    .slice(0, SOURCES)
    .map(({ cluster, candidates, results }) => ({ cluster, candidates, results })),
});
