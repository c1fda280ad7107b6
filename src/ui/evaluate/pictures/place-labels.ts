/** Places labels next to points without overlaps. Pixels grow downwards. */

/** A labelled point, CSS pixels. */
export interface LabelledPoint {
  x: number;
  y: number;
  /** Of the name. */
  width: number;
}

/** The baseline of a label, and its text anchor at `x`. */
export interface PlacedLabel {
  x: number;
  y: number;
  anchor: 'start' | 'middle' | 'end';
}

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Height of a line of names, pixels. */
const LINE = 12;
/** Between a point and its name. */
const GAP = 8;

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

const boxOf = ({ x, y, anchor }: PlacedLabel, width: number): Box => {
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - LINE + 2, bottom: y + 3 };
};

/** The first free one is used. Above left comes first, because the frontier runs below and to the right. */
const candidates = ({ x, y }: LabelledPoint): PlacedLabel[] => [
  { x: x - 4, y: y - GAP, anchor: 'end' },
  { x, y: y - GAP - 2, anchor: 'middle' },
  { x: x - GAP, y: y + 4, anchor: 'end' },
  { x: x + GAP, y: y + 15, anchor: 'start' },
  { x: x + GAP, y: y - 7, anchor: 'start' },
  { x, y: y + GAP + 9, anchor: 'middle' },
  { x: x + GAP, y: y + 4, anchor: 'start' },
  { x: x - GAP, y: y + 15, anchor: 'end' },
];

/**
 * A position for each label within `left` … `width` × `height`; earlier points have priority. Null
 * without room; the name is still shown on focus and in the table.
 */
export const placeLabels = (
  points: readonly LabelledPoint[],
  width: number,
  height: number,
  left = 0,
): (PlacedLabel | null)[] => {
  // Labels do not cover points either.
  const taken: Box[] = points.map(({ x, y }) => ({
    left: x - 5,
    right: x + 5,
    top: y - 5,
    bottom: y + 5,
  }));
  return points.map((point) => {
    const found = candidates(point).find((label) => {
      const box = boxOf(label, point.width);
      const inside = box.left >= left && box.right <= width && box.top >= 0 && box.bottom <= height;
      return inside && !taken.some((other) => overlap(box, other));
    });
    if (found) taken.push(boxOf(found, point.width));
    return found ?? null;
  });
};
