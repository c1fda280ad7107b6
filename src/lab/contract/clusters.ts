import type { Passage } from '../../records/records.ts';
import type { LocalSpec } from '../../records/setup.ts';
import type { AnsweredQuery } from '../../retrieval/cluster/live.ts';
import type { ClusterCountChoice } from '../../retrieval/cluster/partition/choose-k.ts';
import type { SamplingOptions } from '../../retrieval/cluster/options.ts';
import type { ClusterTrace } from '../../retrieval/cluster/trace.ts';

/** The clusters of a local source: what the page shows, and its calls. */

/** What learning changes; the rest of an overview stays as it is. */
export interface ClusterLearning {
  /** Grows whenever something was learned, forgotten or brought back. */
  changes: number;
  /** t: queries that it learned from. */
  queries: number;
  /** w of every cluster. */
  weights: number[];
  /** Results that came from every cluster. */
  hits: number[];
  /** Queries that were answered since the index was opened, the latest first; the last few. */
  recent: AnsweredQuery[];
  /** Something was forgotten that can be brought back. */
  recallable: boolean;
}

/** One cluster of the local source, as far as it does not change. */
export interface ClusterRow {
  cluster: number;
  /** Passages in it. */
  size: number;
  /** Mean inner product of its passages with its centroid, by their reconstruction. */
  cohesion: number;
  /** Titles of the passages nearest to its centroid. */
  titles: string[];
}

export interface ClusterOverview {
  kind: 'clusters';
  /** How searches of this source are answered; the built-in world is `hybrid`. */
  /** Id of the method that searches are answered by. */
  method: string;
  /** Whether searches are answered by this very index. */
  answers: boolean;
  /** Whether what it learns stays on this device. */
  kept: boolean;
  encoder: string;
  passages: number;
  dimensions: number;
  /** Bytes of the index, and of the vectors that it stands for. */
  bytes: number;
  vectorBytes: number;
  /** Milliseconds that opening took, and whether the index was read instead of built. */
  openedMs: number;
  stored: boolean;
  /** Bytes of a code of the product quantizer; bits a dimension of the second stage. */
  subspaces: number;
  refineBits: 0 | 4 | 8;
  /** Clusters that were too small and went to their neighbours. */
  dissolved: number;
  /** How the number of clusters was chosen. */
  choice: ClusterCountChoice | null;
  sampling: SamplingOptions;
  clusters: ClusterRow[];
  learning: ClusterLearning;
}

/** A source whose method has no vectors; they are made when that is asked for. */
export interface WithoutVectors {
  kind: 'without-vectors';
  /** Id of the method that searches are answered by. */
  method: string;
  passages: number;
  /** Id of the encoder that would make them; null where there is none. */
  encoder: string | null;
}

export interface ClusterHit {
  /** Place among the passages. */
  row: number;
  title: string;
  text: string;
  cluster: number;
  /** Inner product with the reconstructed vector. */
  similarity: number;
  /** 1-based rank in the exact scan; null where that has it below its depth. */
  exactRank: number | null;
}

export interface ClusterAnswer {
  query: string;
  trace: ClusterTrace;
  hits: ClusterHit[];
  /** Passages of the exact scan's k best that are missing. */
  missed: { row: number; title: string; exactRank: number; cluster: number }[];
  /** Milliseconds of the search by clusters and of the exact scan, the encoding of the query left out. */
  clusterMs: number;
  exactMs: number;
  learning: ClusterLearning;
}

/** Passages as points of the plane of the two first principal components of their vectors. */
export interface PassageMap {
  kind: 'map';
  passages: number;
  /** Of the points: which passage each is, all of them unless there are too many. */
  rows: Int32Array;
  /** [points × 2] */
  places: Float32Array;
  clusters: Int32Array;
  ids: string[];
  titles: string[];
  /** Share of the vectors' variance along each axis. */
  shares: readonly [number, number];
  encoder: string;
  /** Milliseconds that finding the plane and placing the passages took. */
  ms: number;
}

/** Where a query lies, and passages of other sources. */
export interface MapPlaces {
  query: readonly [x: number, y: number];
  passages: (readonly [x: number, y: number])[];
}

export interface ClusterProgress {
  stage: string;
  done: number;
  total: number;
}

/** Every call names the local source that it means. */
export interface ClusterApi {
  /**
   * The index that answers its searches; where that is none of clusters, one that is built over its
   * vectors. @param encode also where vectors must be made that searches do not need
   */
  overview(local: LocalSpec, encode: boolean): Promise<ClusterOverview | WithoutVectors>;
  /** How far a building is; null while nothing is built. */
  progress(): Promise<ClusterProgress | null>;
  /** Ends what is under way: an opening of the source, a building, a reading of vectors. */
  stop(local: LocalSpec): Promise<void>;
  /** The passages in the plane. @param encode as of `overview` */
  map(local: LocalSpec, encode: boolean): Promise<PassageMap | WithoutVectors>;
  /** Positions on the source's map of a query and of passages from other sources. */
  place(local: LocalSpec, query: string, passages: readonly Passage[]): Promise<MapPlaces>;
  /** A passage of the source. @throws Error where it has none at that place */
  passage(local: LocalSpec, row: number): Promise<Passage>;
  /** What was learned, where that is something else than after this many `changes`; null else. */
  learning(local: LocalSpec, changes: number): Promise<ClusterLearning | null>;
  /** Searches by clusters and by the exact scan; the index learns from it. */
  search(local: LocalSpec, query: string, k: number): Promise<ClusterAnswer>;
  /** Searches for several texts, to see the weights learn. */
  learn(local: LocalSpec, queries: readonly string[], k: number): Promise<ClusterLearning>;
  /** Forgets what was learned. */
  forget(local: LocalSpec): Promise<ClusterLearning>;
  /** Brings back what was forgotten last. */
  recall(local: LocalSpec): Promise<ClusterLearning>;
  /** The page was left: vectors that only it needs are freed. */
  leave(): Promise<void>;
}
