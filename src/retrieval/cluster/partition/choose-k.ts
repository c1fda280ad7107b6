import { itemAt, lastOf } from '../../../base/items.ts';
import { kMeansSteps, type KMeans } from './kmeans.ts';
import { rowCount, type FindNearest, type Rows } from './nearest.ts';
import { finish, type Steps } from './steps.ts';

/** What one number of clusters scored. */
interface ClusterCountScore {
  clusters: number;
  /** Sum of squared distances to the centroids. */
  inertia: number;
  /** How far the inertia lies below the chord from the first to the last candidate, 0 to 1. */
  elbow: number;
  /** Simplified silhouette, −1 to 1. */
  silhouette: number;
  /** Mean of elbow and silhouette, each scaled to 0…1 over the candidates. */
  score: number;
}

export interface ClusterCountChoice {
  clusters: number;
  /** Every candidate, by rising number of clusters. */
  scores: ClusterCountScore[];
}

/**
 * Elbow: with `log k` and inertia both scaled to 0…1, how far a point lies below the chord between
 * the first and the last (Kneedle, Satopää et al., 2011). The ends are 0.
 */
export function elbows(ks: readonly number[], inertias: readonly number[]): number[] {
  const x = scaled(ks.map(Math.log));
  const y = scaled(inertias);
  const [first, last] = [itemAt(y, 0), lastOf(y)];
  return x.map((at, i) => Math.max(0, first + (last - first) * at - itemAt(y, i)));
}

/** Scaled to 0…1; all 0 where they are equal. */
export function scaled(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (high > low ? (value - low) / (high - low) : 0));
}

/**
 * The number of clusters with the best mean of elbow and silhouette; the smaller where they tie. The
 * paper names both criteria and not how they are combined. The silhouette is the simplified one
 * (Hruschka et al., 2004), by distances to centroids: pairwise it would cost rows².
 * @throws RangeError without candidates
 */
export const chooseClusterCount = (
  sample: Rows,
  candidates: readonly number[],
  options: ChoiceOptions,
): ClusterCountChoice => finish(choiceSteps(sample, candidates, options));

interface ChoiceOptions {
  iterations: number;
  random: () => number;
  nearest?: FindNearest;
  signal?: AbortSignal;
}

/** As `chooseClusterCount`, in pieces. */
export function* choiceSteps(
  sample: Rows,
  candidates: readonly number[],
  options: ChoiceOptions,
): Steps<ClusterCountChoice> {
  const ks = [...new Set(candidates)].filter((k) => k >= 1).sort((a, b) => a - b);
  if (ks.length === 0) throw new RangeError('no number of clusters to choose from');
  const runs: (KMeans & { clusters: number })[] = [];
  for (const clusters of ks)
    runs.push({ clusters, ...(yield* kMeansSteps(sample, { ...options, clusters })) });
  const elbow = elbows(
    ks,
    runs.map(({ inertia }) => inertia),
  );
  const silhouettes = scaled(runs.map(({ silhouette }) => silhouette));
  const relativeElbows = scaled(elbow);
  const scores = runs.map(({ clusters, inertia, silhouette }, i) => ({
    clusters,
    inertia,
    elbow: itemAt(elbow, i),
    silhouette,
    score: (itemAt(relativeElbows, i) + itemAt(silhouettes, i)) / 2,
  }));
  const best = scores.reduce((a, b) => (b.score > a.score ? b : a));
  return { clusters: best.clusters, scores };
}

/**
 * Numbers of clusters to choose from for `n` vectors: √n/4 to 4√n in steps of 2, none above
 * n / minimumDocuments nor above a quarter of the sample.
 */
export function clusterCountCandidates(
  n: number,
  minimumDocuments: number,
  sample: Rows,
): number[] {
  const most = Math.max(
    1,
    Math.floor(Math.min(n / Math.max(1, minimumDocuments), rowCount(sample) / 4)),
  );
  const root = Math.sqrt(n);
  return [0.25, 0.5, 1, 2, 4].map((times) => Math.max(1, Math.min(most, Math.round(root * times))));
}
