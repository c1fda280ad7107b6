/** Downsampling: drawing time must not grow with the number of measurements. */

export interface Point {
  x: number;
  y: number;
}

/** A point that may combine several: `interval` is their range, or that of an estimate. */
export interface PlotPoint extends Point {
  interval?: readonly [low: number, high: number];
}

/** First index of bucket `index` of `buckets` over `count` points. */
const startOf = (index: number, buckets: number, count: number): number =>
  Math.floor((index * count) / buckets);

/**
 * One point per bucket: the mean at the mean x, with minimum and maximum as its interval, so that
 * peaks stay visible. The last point is kept as it is, so that the line ends at the latest value.
 * Points that are not finite are dropped; a list of at most `2 · buckets` points is returned
 * unchanged, without intervals.
 * @returns at most `buckets + 1` points, or all if they are few
 */
export const envelopeBuckets = (points: readonly Point[], buckets: number): PlotPoint[] => {
  const known = points.filter(({ y }) => Number.isFinite(y));
  if (known.length <= 2 * buckets) return known;
  const count = known.length - 1;
  const drawn: PlotPoint[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = startOf(bucket, buckets, count);
    const to = startOf(bucket + 1, buckets, count);
    let [low, high, sum, place] = [Infinity, -Infinity, 0, 0];
    for (let i = from; i < to; i++) {
      const { x, y } = known[i]!;
      if (y < low) low = y;
      if (y > high) high = y;
      sum += y;
      place += x;
    }
    drawn.push({ x: place / (to - from), y: sum / (to - from), interval: [low, high] });
  }
  drawn.push(known[count]!);
  return drawn;
};

/**
 * The same for points with intervals: the bucket's mean, with the widest reach of its intervals. The
 * last point is kept. A list of at most `2 · buckets` points is returned unchanged.
 */
export const bandBuckets = (points: readonly PlotPoint[], buckets: number): PlotPoint[] => {
  if (points.length <= 2 * buckets) return [...points];
  const count = points.length - 1;
  const drawn: PlotPoint[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const part = points.slice(startOf(bucket, buckets, count), startOf(bucket + 1, buckets, count));
    const reach = part.flatMap(({ y, interval = [y, y] }) => [...interval]);
    const meanOf = (of: (point: Point) => number): number =>
      part.reduce((sum, point) => sum + of(point), 0) / part.length;
    drawn.push({
      x: meanOf(({ x }) => x),
      y: meanOf(({ y }) => y),
      interval: [Math.min(...reach), Math.max(...reach)],
    });
  }
  const last = points.at(-1);
  return last ? [...drawn, last] : drawn;
};

/** A point of a stack: the values of all layers at one x. */
export interface Row {
  x: number;
  /** One value per layer, in order. */
  parts: readonly number[];
}

/** Bucket means for stacks, because extremes of the layers would not add up. A bucket is at the mean of its x. */
export const meanBuckets = (rows: readonly Row[], buckets: number): Row[] => {
  if (rows.length <= buckets) return [...rows];
  const width = rows[0]!.parts.length;
  const drawn: Row[] = [];
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = startOf(bucket, buckets, rows.length);
    const to = startOf(bucket + 1, buckets, rows.length);
    const parts = Array.from({ length: width }, () => 0);
    let place = 0;
    for (let i = from; i < to; i++) {
      const row = rows[i]!;
      place += row.x / (to - from);
      for (let part = 0; part < width; part++) parts[part]! += (row.parts[part] ?? 0) / (to - from);
    }
    drawn.push({ x: place, parts });
  }
  return drawn;
};
