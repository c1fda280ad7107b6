/** Fewer points for the same picture: what is drawn must not grow with what was measured. */

export interface Point {
  x: number;
  y: number;
}

/** Values a chart draws are finite; a gap is a point that is not there. */
const finite = (points: readonly Point[]): Point[] => points.filter(({ y }) => Number.isFinite(y));

/** [first, beyond last] of bucket `index` of `buckets` over `count` points. */
const rangeOf = (index: number, buckets: number, count: number): [number, number] => [
  Math.floor((index * count) / buckets),
  Math.floor(((index + 1) * count) / buckets),
];

/**
 * The lowest and the highest point of each bucket in their order, with the first and the last point:
 * every peak stays at its height, which a mean would flatten. At most `2 · buckets + 2` points;
 * a list that is short enough comes back as it is, without points that are not finite.
 */
export const minMaxBuckets = (points: readonly Point[], buckets: number): Point[] => {
  const known = finite(points);
  const count = known.length;
  if (count <= 2 * buckets) return known;
  const kept = new Set<number>([0, count - 1]);
  for (let bucket = 0; bucket < buckets; bucket++) {
    const [from, to] = rangeOf(bucket, buckets, count);
    let low = from;
    let high = from;
    for (let i = from + 1; i < to; i++) {
      if (known[i]!.y < known[low]!.y) low = i;
      if (known[i]!.y > known[high]!.y) high = i;
    }
    kept.add(low).add(high);
  }
  return [...kept].sort((a, b) => a - b).map((index) => known[index]!);
};

export interface Row {
  x: number;
  /** One value a part of the stack, in its order. */
  parts: readonly number[];
}

/**
 * Means of buckets, for stacks: extremes of the parts would not add up to the whole. A bucket stands
 * at the mean of its x.
 */
export const meanBuckets = (rows: readonly Row[], buckets: number): Row[] => {
  if (rows.length <= buckets) return [...rows];
  return Array.from({ length: buckets }, (_, bucket) => {
    const [from, to] = rangeOf(bucket, buckets, rows.length);
    const inside = rows.slice(from, to);
    const mean = (of: (row: Row) => number) =>
      inside.reduce((sum, row) => sum + of(row), 0) / inside.length;
    const width = inside[0]!.parts.length;
    return {
      x: mean(({ x }) => x),
      parts: Array.from({ length: width }, (_, part) => mean(({ parts }) => parts[part] ?? 0)),
    };
  });
};
