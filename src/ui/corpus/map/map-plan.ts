import type { PassageMap } from '../../../lab/contract/clusters.ts';

/** Where the passages of a map lie in a drawing, and which of them is near. */

/** What a search says of a point. */
type MarkKind = 'hit' | 'gold' | 'hit-gold' | 'missed';

/** A passage that a search says something of. */
export interface Mark {
  /** Point of the map; null of a passage of another source, which has a place of its own. */
  point: number | null;
  /** In the plane of the map, as `PassageMap.places`. */
  place: readonly [x: number, y: number];
  kind: MarkKind;
  /** Rank among the hits, from 1; null of gold that was not found. */
  rank: number | null;
  title: string;
  /** Of the web. */
  web: boolean;
}

/** A map laid out at a size; drawing and pointing go by the same one. */
export interface MapPlan {
  width: number;
  height: number;
  /** [points × 2], pixels. */
  pixels: Float32Array;
  toPixels: (place: readonly [number, number]) => readonly [number, number];
}

/** Pixels around the outermost dots, for the signs that are on them. */
const PAD = 18;

/** The map in a drawing: both axes of one scale, so that distances can be compared. */
export function planMap(
  { places }: Pick<PassageMap, 'places'>,
  width: number,
  height: number,
  others: readonly (readonly [number, number])[] = [],
): MapPlan {
  const xs = [...places.filter((_, i) => i % 2 === 0), ...others.map(([x]) => x)];
  const ys = [...places.filter((_, i) => i % 2 === 1), ...others.map(([, y]) => y)];
  // Not `Math.min(...values)`: a call takes no hundred thousand arguments everywhere.
  const span = (values: readonly number[]): [number, number] =>
    values.reduce<[number, number]>(
      ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
      [Infinity, -Infinity],
    );
  const [[left, right], [low, high]] = [span(xs), span(ys)];
  const scale = Math.min(
    (width - 2 * PAD) / Math.max(1e-9, right - left),
    (height - 2 * PAD) / Math.max(1e-9, high - low),
  );
  const toPixels = ([x, y]: readonly [number, number]): readonly [number, number] => [
    width / 2 + (x - (left + right) / 2) * scale,
    // Up in the plane is up on the screen, where pixels grow downwards.
    height / 2 - (y - (low + high) / 2) * scale,
  ];
  const pixels = new Float32Array(places.length);
  for (let i = 0; i < places.length; i += 2)
    pixels.set(toPixels([places[i] ?? 0, places[i + 1] ?? 0]), i);
  return { width, height, pixels, toPixels };
}

/** One drawn line of dots for each colour: thousands of elements would make the page slow. */
export function dotPaths(
  { pixels }: Pick<MapPlan, 'pixels'>,
  colourOf: (point: number) => number,
  colours: number,
): string[] {
  const parts: string[][] = Array.from({ length: colours }, () => []);
  for (let i = 0; i < pixels.length / 2; i++)
    parts[colourOf(i)]?.push(
      // A line of no length with round ends is a dot.
      `M${(pixels[2 * i] ?? 0).toFixed(1)} ${(pixels[2 * i + 1] ?? 0).toFixed(1)}h0`,
    );
  return parts.map((dots) => dots.join(''));
}

/** The point nearest to a pixel within a radius; null where there is none. */
export function nearestPoint(
  { pixels }: Pick<MapPlan, 'pixels'>,
  x: number,
  y: number,
  radius: number,
): number | null {
  let best: number | null = null;
  let least = radius * radius;
  for (let i = 0; i < pixels.length; i += 2) {
    const across = (pixels[i] ?? 0) - x;
    const up = (pixels[i + 1] ?? 0) - y;
    const distance = across * across + up * up;
    if (distance <= least) [best, least] = [i / 2, distance];
  }
  return best;
}

/**
 * The point that an arrow key leads to: of those within 45° of the direction the nearest; null where
 * nothing lies there.
 * @param direction in pixels, down is positive: one of the four unit vectors
 */
export function pointTowards(
  { pixels }: Pick<MapPlan, 'pixels'>,
  from: number,
  [right, down]: readonly [number, number],
): number | null {
  const [x, y] = [pixels[2 * from] ?? 0, pixels[2 * from + 1] ?? 0];
  let best: number | null = null;
  let least = Infinity;
  for (let i = 0; i < pixels.length / 2; i++) {
    const across = (pixels[2 * i] ?? 0) - x;
    const up = (pixels[2 * i + 1] ?? 0) - y;
    const along = across * right + up * down;
    const aside = Math.abs(across * down) + Math.abs(up * right);
    const distance = across * across + up * up;
    // Points on the very spot are passed by.
    if (along <= 0 || aside > along || distance >= least || i === from) continue;
    [best, least] = [i, distance];
  }
  return best;
}
