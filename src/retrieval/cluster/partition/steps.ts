import { emptyNearest, rowCount, type FindNearest, type Nearest, type Rows } from './nearest.ts';

/** Work in pieces: between two of them others may have a turn. */
export type Steps<Result> = Generator<undefined, Result>;

/** All pieces at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** All pieces, with a pause after each. @throws what `pause` throws */
export async function paced<Result>(
  steps: Steps<Result>,
  pause: () => Promise<void>,
): Promise<Result> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await pause();
  }
}

/** Multiplications of a piece: tens of milliseconds. */
const PIECE = 5e7;

/** As `nearest`, block by block. */
export function* nearestSteps(points: Rows, centroids: Rows, nearest: FindNearest): Steps<Nearest> {
  const { values, dimensions: d } = points;
  const n = rowCount(points);
  const block = Math.max(64, Math.floor(PIECE / centroids.values.length));
  if (n <= block) {
    yield;
    return nearest(points, centroids);
  }
  const found = emptyNearest(n);
  for (let from = 0; from < n; from += block) {
    yield;
    const rows = { values: values.subarray(from * d, (from + block) * d), dimensions: d };
    const { labels, distances, seconds } = nearest(rows, centroids);
    found.labels.set(labels, from);
    found.distances.set(distances, from);
    found.seconds.set(seconds, from);
  }
  return found;
}
