/** Axes with round ticks. Pixels grow downwards. */

export interface Axis {
  low: number;
  high: number;
  ticks: number[];
  log: boolean;
}

/** 1, 2 or 5 times a power of ten, at least `raw`. */
const roundStep = (raw: number): number => {
  const power = 10 ** Math.floor(Math.log10(raw));
  const factor = [1, 2, 5, 10].find((candidate) => candidate * power >= raw * (1 - 1e-9)) ?? 10;
  return factor * power;
};

/** A linear axis over [low, high] with about `count` ticks at round values; its ends are ticks. */
export const linearAxis = (low: number, high: number, count = 4): Axis => {
  const size = Math.max(Math.abs(low), Math.abs(high));
  // A single value: zero is at the bottom, so that a constant 0 lies there.
  if (size < 1e-100) return linearAxis(0, 1, count);
  if (high - low < 1e-9 * size) return linearAxis(Math.min(0, low), Math.max(0, high), count);
  const step = roundStep((high - low) / count);
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  // Products of integers avoid ticks such as 0.30000000000000004.
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  return { low: ticks[0]!, high: ticks.at(-1)!, ticks, log: false };
};

/** Parsed, because `10 ** -4` is 0.00009999999999999999 in some engines. */
const tenTo = (power: number): number => Number(`1e${power}`);

/** A logarithmic axis over positive values. */
export const logAxis = (low: number, high: number): Axis => {
  const first = Math.floor(Math.log10(low) + 1e-9);
  const last = Math.max(first + 1, Math.ceil(Math.log10(high) - 1e-9));
  const every = Math.ceil((last - first) / 4);
  const ticks: number[] = [];
  for (let power = first; power <= last; power += every) ticks.push(tenTo(power));
  return { low: tenTo(first), high: tenTo(last), ticks, log: true };
};

/** The relative position of a value on the axis, 0 at its low end. */
export const placeOf = (axis: Axis, value: number): number =>
  axis.log
    ? Math.log(value / axis.low) / Math.log(axis.high / axis.low)
    : (value - axis.low) / (axis.high - axis.low);

/** Integer steps for the x axis; its ends are the first and last step. */
export const stepTicks = (first: number, last: number, count = 5): number[] => {
  if (last <= first) return [first];
  const step = Math.max(1, roundStep((last - first) / count));
  const inner: number[] = [];
  for (let tick = Math.ceil(first / step) * step; tick <= last; tick += step)
    // No room for a label next to the last one.
    if (tick > first + step / 3 && tick < last - step / 3) inner.push(tick);
  return [first, ...inner, last];
};

/**
 * Moves labels apart to a distance of `gap` in [low, high], each as near to its desired position as the
 * order allows.
 * @returns positions in the order of `desired`
 */
export const spreadLabels = (
  desired: readonly number[],
  gap: number,
  low: number,
  high: number,
): number[] => {
  const order = desired.map((_, index) => index).sort((a, b) => desired[a]! - desired[b]! || a - b);
  const placed = desired.slice();
  let floor = low;
  for (const index of order) {
    placed[index] = Math.max(floor, desired[index]!);
    floor = placed[index] + gap;
  }
  let ceiling = Math.max(high, low + gap * (desired.length - 1));
  for (const index of order.toReversed()) {
    placed[index] = Math.min(ceiling, placed[index]!);
    ceiling = placed[index] - gap;
  }
  return placed;
};
