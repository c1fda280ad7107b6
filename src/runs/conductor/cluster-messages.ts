import type { ClusterCountChoice, SamplingOptions } from '../../retrieval/cluster/index.ts';
import type { ClusterTrace } from '../../retrieval/cluster/trace.ts';

/** What the page of clusters is told, and what it may ask. */

/** One cluster of the local corpus. */
export interface ClusterRow {
  cluster: number;
  /** Passages in it. */
  size: number;
  /** w: learned weight. */
  weight: number;
  /** Results that came from it since the index was opened. */
  hits: number;
  /** Mean inner product of its passages with its centroid, by their reconstruction. */
  cohesion: number;
  /** Titles of the passages nearest to its centroid. */
  titles: string[];
}

export interface ClusterOverview {
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
  /** t: queries that it learned from. */
  queries: number;
  clusters: ClusterRow[];
}

export interface ClusterHit {
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
  missed: { title: string; exactRank: number; cluster: number }[];
  /** Milliseconds of the search by clusters and of the exact scan, the encoding of the query left out. */
  clusterMs: number;
  exactMs: number;
}

export interface ClusterProgress {
  stage: string;
  done: number;
  total: number;
}

export interface ClusterApi {
  /** Builds or reads the index where that has not happened yet. */
  overview(): Promise<ClusterOverview>;
  /** How far the building is; null while nothing is built. */
  progress(): Promise<ClusterProgress | null>;
  /** Ends a building; `overview` rejects then. */
  stop(): Promise<void>;
  /** Searches by clusters and by the exact scan; the index learns from it. */
  search(query: string, k: number): Promise<ClusterAnswer>;
  /** Searches for several texts, to see the weights learn. */
  learn(queries: readonly string[], k: number): Promise<ClusterOverview>;
  /** Forgets what was learned. */
  forget(): Promise<ClusterOverview>;
}
