/** The nearest centroid of each of many vectors. */
export interface Nearest {
  /** Index of the nearest centroid. */
  labels: Int32Array;
  /** Squared Euclidean distance to it. */
  distances: Float32Array;
  /** Squared distance to the second nearest (infinite for one centroid). */
  seconds: Float32Array;
}

/** Row-major `n × dimensions` numbers. What is read after the last counts as NaN, not as nothing. */
export interface Rows {
  values: Float32Array;
  dimensions: number;
}

export const rowCount = ({ values, dimensions }: Rows): number => values.length / dimensions;

/** Finds nearest centroids; ties go to the lower index. */
export type FindNearest = (points: Rows, centroids: Rows) => Nearest;

/** In plain JavaScript: four centroids at a time, so that a coordinate is loaded once for four. */
export const findNearest: FindNearest = (points, centroids) => {
  const n = rowCount(points);
  const k = rowCount(centroids);
  const { dimensions: d, values: x } = points;
  const half = halfNorms(centroids);
  const nearest = emptyNearest(n);
  const scores = new Float64Array(k);
  for (let p = 0; p < n; p++) {
    score(x, p * d, centroids, half, scores);
    let best = -Infinity;
    let second = -Infinity;
    let label = 0;
    for (let j = 0; j < k; j++) {
      const value = scores[j] ?? NaN;
      if (value > best) {
        second = best;
        best = value;
        label = j;
      } else if (value > second) second = value;
    }
    setNearest(nearest, p, { label, best, second }, dot(x, p * d, x, p * d, d));
  }
  return nearest;
};

/** `x·c − |c|²/2` of one point for every centroid. */
function score(
  x: Float32Array,
  from: number,
  { values: c, dimensions: d }: Rows,
  half: Float32Array,
  scores: Float64Array,
): void {
  const k = scores.length;
  const whole = k - (k % 4);
  for (let j = 0; j < whole; j += 4) {
    const at = j * d;
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let i = 0; i < d; i++) {
      const v = x[from + i] ?? NaN;
      s0 += v * (c[at + i] ?? NaN);
      s1 += v * (c[at + d + i] ?? NaN);
      s2 += v * (c[at + 2 * d + i] ?? NaN);
      s3 += v * (c[at + 3 * d + i] ?? NaN);
    }
    scores[j] = s0 - (half[j] ?? NaN);
    scores[j + 1] = s1 - (half[j + 1] ?? NaN);
    scores[j + 2] = s2 - (half[j + 2] ?? NaN);
    scores[j + 3] = s3 - (half[j + 3] ?? NaN);
  }
  for (let j = whole; j < k; j++) scores[j] = dot(x, from, c, j * d, d) - (half[j] ?? NaN);
}

export const emptyNearest = (n: number): Nearest => ({
  labels: new Int32Array(n),
  distances: new Float32Array(n),
  seconds: new Float32Array(n),
});

/** From `x·c − |c|²/2` to the distance `|x|² − 2 (x·c − |c|²/2)`, not below zero. */
export function setNearest(
  { labels, distances, seconds }: Nearest,
  p: number,
  found: { label: number; best: number; second: number },
  norm: number,
): void {
  labels[p] = found.label;
  distances[p] = Math.max(0, norm - 2 * found.best);
  seconds[p] = Math.max(0, norm - 2 * found.second);
}

/** Half the squared length of each row. */
export function halfNorms({ values, dimensions }: Rows): Float32Array {
  const half = new Float32Array(values.length / dimensions);
  for (let j = 0; j < half.length; j++)
    half[j] = dot(values, j * dimensions, values, j * dimensions, dimensions) / 2;
  return half;
}

/** Inner product of `d` numbers from places `i` and `j`. */
export function dot(a: Float32Array, i: number, b: Float32Array, j: number, d: number): number {
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  const whole = d - (d % 4);
  for (let n = 0; n < whole; n += 4) {
    s0 += (a[i + n] ?? NaN) * (b[j + n] ?? NaN);
    s1 += (a[i + n + 1] ?? NaN) * (b[j + n + 1] ?? NaN);
    s2 += (a[i + n + 2] ?? NaN) * (b[j + n + 2] ?? NaN);
    s3 += (a[i + n + 3] ?? NaN) * (b[j + n + 3] ?? NaN);
  }
  for (let n = whole; n < d; n++) s0 += (a[i + n] ?? NaN) * (b[j + n] ?? NaN);
  return s0 + s1 + (s2 + s3);
}

/** The rows of a table at `rows`, copied. */
export function takeRows({ values, dimensions }: Rows, rows: Int32Array): Rows {
  const taken = new Float32Array(rows.length * dimensions);
  for (const [i, row] of rows.entries()) {
    const start = row * dimensions;
    taken.set(values.subarray(start, start + dimensions), i * dimensions);
  }
  return { values: taken, dimensions };
}
