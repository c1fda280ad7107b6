import type { Neighbour } from '../dense/dense.ts';

/** What one considered cluster gave to a query. */
export interface ClusterShare {
  cluster: number;
  /** Documents in it. */
  size: number;
  /** Learned weight w before this query. */
  weight: number;
  /** Inner product of query and centroid. */
  similarity: number;
  /** ρ: relevance relative to the nearest cluster, 0 to 1. */
  relevance: number;
  /** p: share of the candidates, before rounding. */
  share: number;
  /** n: candidates allotted. */
  candidates: number;
  /** How many of the results are from it. */
  results: number;
}

/** Where the candidates of a query came from. */
export interface ClusterTrace {
  /** t: queries before this one. */
  query: number;
  temperature: number;
  /** Considered clusters, most similar first. */
  clusters: ClusterShare[];
  /** Documents whose codes were scored (first stage). */
  scanned: number;
  /** Documents re-ranked on their reconstruction (second stage). */
  candidates: number;
  /** Documents drawn at random because a cluster with a share was empty. */
  random: number;
}

export interface TracedNeighbours {
  neighbours: Neighbour[];
  /** Cluster of each neighbour. */
  clusters: number[];
  trace: ClusterTrace;
}
