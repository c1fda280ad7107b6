import type { PassageMap } from '../../../lab/contract/clusters.ts';

/** Layout of the map, and which passage is near a point. */

/** What a search marks a point as. */
type MarkKind = 'hit' | 'gold' | 'hit-gold' | 'missed';

/** A passage that a search marks. */
export interface Mark {
  /** Point of the map; null for a passage of another source, which has its own position. */
  point: number | null;
  /** In map coordinates, as `PassageMap.places`. */
  place: readonly [x: number, y: number];
  kind: MarkKind;
  /** Rank among the hits, from 1; null for gold that was not found. */
  rank: number | null;
  title: string;
  /** Of the web. */
  web: boolean;
}

/** The layout at one size, used for drawing and pointing. */
export interface MapPlan {
  width: number;
  height: number;
  /** [points × 2], pixels. */
  pixels: Float32Array;
  toPixels: (place: readonly [number, number]) => readonly [number, number];
}

/** Margin in pixels, for marks on the outermost dots. */
const PAD = 18;

/** Fits the map into a drawing; both axes have one scale, so that distances are comparable. */
export function planMap(
  { places }: Pick<PassageMap, 'places'>,
  width: number,
  height: number,
  others: readonly (readonly [number, number])[] = [],
): MapPlan {
  const xs = [...places.filter((_, i) => i % 2 === 0), ...others.map(([x]) => x)];
  const ys = [...places.filter((_, i) => i % 2 === 1), ...others.map(([, y]) => y)];
  // Not `Math.min(...values)`: engines limit the number of arguments.
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
    // Screen y grows downwards.
    height / 2 - (y - (low + high) / 2) * scale,
  ];
  const pixels = new Float32Array(places.length);
  for (let i = 0; i < places.length; i += 2)
    pixels.set(toPixels([places[i] ?? 0, places[i + 1] ?? 0]), i);
  return { width, height, pixels, toPixels };
}

/** One path per colour: thousands of elements would be slow. */
export function dotPaths(
  { pixels }: Pick<MapPlan, 'pixels'>,
  colourOf: (point: number) => number,
  colours: number,
): string[] {
  const parts: string[][] = Array.from({ length: colours }, () => []);
  for (let i = 0; i < pixels.length / 2; i++)
    parts[colourOf(i)]?.push(
      // A zero-length line with round caps is a dot.
      `M${(pixels[2 * i] ?? 0).toFixed(1)} ${(pixels[2 * i + 1] ?? 0).toFixed(1)}h0`,
    );
  return parts.map((dots) => dots.join(''));
}

/** The nearest point within a radius; null if there is none. */
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
 * The nearest point within 45° of an arrow key's direction; null if there is none.
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
    // Skips points at the same position.
    if (along <= 0 || aside > along || distance >= least || i === from) continue;
    [best, least] = [i, distance];
  }
  return best;
}
