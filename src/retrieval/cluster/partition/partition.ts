import { rowCount, takeRows, type FindNearest, type Rows } from './nearest.ts';
import { itemAt } from '../../../base/items.ts';
import { finish, nearestSteps, type Steps } from './steps.ts';

/** Rows that are handled at a time, so that temporary memory stays small. */
const BLOCK = 8192;

/** Which documents are in which cluster. */
export interface Partition {
  centroids: Rows;
  /** Documents by cluster, rising within each. */
  rows: Int32Array;
  /** Cluster c has `rows[offsets[c] … offsets[c + 1] − 1]`. */
  offsets: Int32Array;
  /** How many clusters were dissolved for having too few documents. */
  dissolved: number;
}

/** Labels of all rows, block by block, in pieces. */
export function* assignSteps(
  vectors: Rows,
  centroids: Rows,
  nearest: FindNearest,
  onBlock: (done: number) => void = () => {},
): Steps<Int32Array> {
  const { values, dimensions } = vectors;
  const n = rowCount(vectors);
  const labels = new Int32Array(n);
  for (let from = 0; from < n; from += BLOCK) {
    const to = Math.min(n, from + BLOCK);
    const block = { values: values.subarray(from * dimensions, to * dimensions), dimensions };
    labels.set((yield* nearestSteps(block, centroids, nearest)).labels, from);
    onBlock(to);
  }
  return labels;
}

/**
 * Dissolves clusters of fewer than `minimum` documents, the smaller half of them at a time: their
 * documents go to the nearest of the clusters that stay. At least one stays.
 */
export const dissolveSmall = (
  ...args: Parameters<typeof dissolveSteps>
): { centroids: Rows; labels: Int32Array; dissolved: number } => finish(dissolveSteps(...args));

/** As `dissolveSmall`, in pieces. */
export function* dissolveSteps(
  vectors: Rows,
  centroids: Rows,
  labels: Int32Array,
  minimum: number,
  nearest: FindNearest,
): Steps<{ centroids: Rows; labels: Int32Array; dissolved: number }> {
  const before = rowCount(centroids);
  let current = { centroids, labels };
  for (;;) {
    const k = rowCount(current.centroids);
    const sizes = sizesOf(current.labels, k);
    const small = [...sizes.entries()]
      .filter(([, size]) => size < minimum)
      .sort(([a, sizeOfA], [b, sizeOfB]) => sizeOfA - sizeOfB || a - b)
      .map(([c]) => c);
    if (small.length === 0 || k === 1) return { ...current, dissolved: before - k };
    const gone = new Set(small.slice(0, Math.min(k - 1, Math.ceil(small.length / 2))));
    current = yield* without(vectors, current.centroids, current.labels, gone, nearest);
  }
}

function* without(
  vectors: Rows,
  centroids: Rows,
  labels: Int32Array,
  gone: ReadonlySet<number>,
  nearest: FindNearest,
): Steps<{ centroids: Rows; labels: Int32Array }> {
  const stay = Int32Array.from([...Array(rowCount(centroids)).keys()].filter((c) => !gone.has(c)));
  const names = new Map([...stay].map((c, i) => [c, i]));
  const left = takeRows(centroids, stay);
  const homeless = Int32Array.from(
    [...labels.entries()].filter(([, label]) => gone.has(label)).map(([row]) => row),
  );
  const moved = yield* assignSteps(takeRows(vectors, homeless), left, nearest);
  // What the gone clusters had is written after.
  const next = labels.map((label) => names.get(label) ?? NaN);
  for (const [i, label] of moved.entries()) next[itemAt(homeless, i)] = label;
  return { centroids: left, labels: next };
}

function sizesOf(labels: Int32Array, clusters: number): Int32Array {
  const sizes = new Int32Array(clusters);
  for (const label of labels) sizes[label] = itemAt(sizes, label) + 1;
  return sizes;
}

/** Documents sorted by cluster (counting sort). */
export function invert(labels: Int32Array, clusters: number): Pick<Partition, 'rows' | 'offsets'> {
  const offsets = new Int32Array(clusters + 1);
  const sizes = sizesOf(labels, clusters);
  for (const [c, size] of sizes.entries()) offsets[c + 1] = itemAt(offsets, c) + size;
  const next = offsets.slice();
  const rows = new Int32Array(labels.length);
  for (const [row, label] of labels.entries()) {
    const place = itemAt(next, label);
    rows[place] = row;
    next[label] = place + 1;
  }
  return { rows, offsets };
}
