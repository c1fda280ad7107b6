import { findNearest, rowCount, takeRows, type FindNearest, type Rows } from './nearest.ts';
import { sampleRows } from '../../../base/random.ts';
import { itemAt } from '../../../base/items.ts';
import { finish, nearestSteps, type Steps } from './steps.ts';

export interface KMeansOptions {
  clusters: number;
  /** Upper bound on the rounds of Lloyd's algorithm; it ends earlier when nothing moves. */
  iterations: number;
  random: () => number;
  /** Finds nearest centroids. Default: plain JavaScript. */
  nearest?: FindNearest;
  /** Rows that k-means++ draws from; more are sampled down, for time. */
  seedingRows?: number;
  signal?: AbortSignal;
}

/** k-means++ alone costs rows × clusters distances; this many rows seed well. */
const SEEDING_ROWS = 16_384;

/**
 * k-means++ (Arthur and Vassilvitskii, 2007): the first centre at random, each next one in proportion
 * to the squared distance from the centres so far. With fewer distinct rows than clusters, some repeat.
 */
export const kMeansPlusPlus = (points: Rows, clusters: number, random: () => number): Rows =>
  finish(seedSteps(points, clusters, random));

/** Centres between two turns. */
const SEEDED_AT_ONCE = 8;

function* seedSteps(points: Rows, clusters: number, random: () => number): Steps<Rows> {
  const { values, dimensions: d } = points;
  const n = rowCount(points);
  const centroids = new Float32Array(clusters * d);
  const distances = new Float64Array(n).fill(Infinity);
  let pick = Math.floor(random() * n);
  for (let c = 0; c < clusters; c++) {
    if (c % SEEDED_AT_ONCE === 0) yield;
    centroids.set(values.subarray(pick * d, (pick + 1) * d), c * d);
    let sum = 0;
    for (let p = 0; p < n; p++) {
      const distance = squaredDistance(values, p * d, centroids, c * d, d);
      const least = Math.min(distance, distances[p] ?? NaN);
      distances[p] = least;
      sum += least;
    }
    pick = drawInProportion(distances, sum, random);
  }
  return { values: centroids, dimensions: d };
}

function drawInProportion(weights: Float64Array, sum: number, random: () => number): number {
  if (sum <= 0) return Math.floor(random() * weights.length);
  let left = random() * sum;
  for (const [i, weight] of weights.entries()) {
    left -= weight;
    if (left < 0) return i;
  }
  return weights.length - 1;
}

/** `|a − b|²` by differences: exact zero for equal rows. */
export function squaredDistance(
  a: Float32Array,
  i: number,
  b: Float32Array,
  j: number,
  d: number,
): number {
  let sum = 0;
  for (let n = 0; n < d; n++) {
    const difference = (a[i + n] ?? NaN) - (b[j + n] ?? NaN);
    sum += difference * difference;
  }
  return sum;
}

export interface KMeans {
  centroids: Rows;
  /** Sum of squared distances of the rows to their centroids, after the last move. */
  inertia: number;
  /** Mean of `(b − a) / max(a, b)` with a, b the distances to the nearest and second nearest centroid. */
  silhouette: number;
  iterations: number;
}

/**
 * Lloyd's algorithm from k-means++ seeds. A centroid that loses all its rows is put on the row
 * that is farthest from its own.
 * @throws RangeError where there are no rows or no clusters are asked for
 */
export const kMeans = (points: Rows, options: KMeansOptions): KMeans =>
  finish(kMeansSteps(points, options));

/** As `kMeans`, in pieces. */
export function* kMeansSteps(points: Rows, options: KMeansOptions): Steps<KMeans> {
  const { clusters, iterations, random, nearest = findNearest } = options;
  const n = rowCount(points);
  if (n < 1 || clusters < 1) throw new RangeError(`${clusters} clusters of ${n} vectors`);
  const seeds = takeRows(points, sampleRows(n, options.seedingRows ?? SEEDING_ROWS, random));
  const centroids = yield* seedSteps(seeds, clusters, random);
  let found = yield* nearestSteps(points, centroids, nearest);
  let done = 0;
  for (; done < iterations; done++) {
    options.signal?.throwIfAborted();
    move(points, centroids, found.labels, found.distances);
    const before = found.labels;
    found = yield* nearestSteps(points, centroids, nearest);
    if (before.every((label, p) => label === found.labels[p])) {
      done++;
      break;
    }
  }
  return { centroids, ...quality(found.distances, found.seconds), iterations: done };
}

/** Every centroid to the mean of its rows. */
function move(points: Rows, centroids: Rows, labels: Int32Array, distances: Float32Array): void {
  const { values, dimensions: d } = points;
  const k = rowCount(centroids);
  const sums = new Float64Array(k * d);
  const counts = new Int32Array(k);
  for (let p = 0; p < labels.length; p++) {
    const c = labels[p] ?? NaN;
    counts[c] = (counts[c] ?? NaN) + 1;
    for (let i = 0; i < d; i++)
      sums[c * d + i] = (sums[c * d + i] ?? NaN) + (values[p * d + i] ?? NaN);
  }
  let empty: number[] | undefined;
  for (let c = 0; c < k; c++) {
    const count = counts[c] ?? NaN;
    if (count > 0) {
      for (let i = 0; i < d; i++) centroids.values[c * d + i] = (sums[c * d + i] ?? NaN) / count;
      continue;
    }
    empty ??= farthest(distances);
    // More empty clusters than rows: the others repeat the first row.
    const row = empty.shift() ?? 0;
    centroids.values.set(values.subarray(row * d, (row + 1) * d), c * d);
  }
}

/** Rows by falling distance, ties by row. */
const farthest = (distances: Float32Array): number[] =>
  [...distances.keys()].sort((a, b) => itemAt(distances, b) - itemAt(distances, a) || a - b);

function quality(
  distances: Float32Array,
  seconds: Float32Array,
): { inertia: number; silhouette: number } {
  let inertia = 0;
  let silhouette = 0;
  for (const [p, distance] of distances.entries()) {
    inertia += distance;
    const a = Math.sqrt(distance);
    const b = Math.sqrt(itemAt(seconds, p));
    silhouette += b === 0 || b === Infinity ? 0 : (b - a) / b;
  }
  return { inertia, silhouette: silhouette / distances.length };
}
