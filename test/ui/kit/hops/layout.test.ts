import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrowPath, hopLayout, NODE } from '../../../../src/ui/kit/hops/HopPicture.tsx';

type Place = Parameters<typeof arrowPath>[0];

const sizes = [fc.integer({ min: 1, max: 25 }), fc.integer({ min: 200, max: 1600 })] as const;

/** Corners of a path of M, H and V alone, in order. */
const cornersOf = (path: string): Place[] => {
  const corners: Place[] = [];
  let [x, y] = [0, 0];
  for (const [, letter, rest = ''] of path.matchAll(/([MHV])([^MHV]*)/g)) {
    const [first = NaN, second = NaN] = rest.trim().split(' ').map(Number);
    if (letter === 'M') [x, y] = [first, second];
    else if (letter === 'H') x = first;
    else y = first;
    corners.push({ x, y });
  }
  return corners;
};

describe('the nodes of the hop map', () => {
  it('stay within the picture and the page, in reading order, without overlaps', () => {
    fc.assert(
      fc.property(...sizes, (count, width) => {
        const layout = hopLayout(count, width);
        const { places, node } = layout;
        expect(places).toHaveLength(count);
        expect(layout.width).toBeLessThanOrEqual(width);
        const wrong = places.flatMap(({ x, y }, i) => {
          const inside =
            x >= 0 && y >= 0 && x + node <= layout.width && y + NODE.height <= layout.height;
          const before = places[i - 1];
          const follows =
            !before ||
            (y === before.y ? x >= before.x + node : y >= before.y + NODE.height && x <= before.x);
          return inside && follows ? [] : [i];
        });
        expect(wrong).toEqual([]);
      }),
    );
  });

  it('take no pixel more than the page has, at the width where another one just fits', () => {
    for (const width of [456, 458, 459, 702, 704, 705, 706])
      expect(hopLayout(4, width).width).toBeLessThanOrEqual(width);
    expect(hopLayout(3, 706).places.map(({ y }) => y)).toEqual([1, 1, 1]);
  });

  it('fill a row before the next one begins', () => {
    expect(hopLayout(3, 800).places.map(({ y }) => y)).toEqual([1, 1, 1]);
    expect(new Set(hopLayout(3, 500).places.map(({ y }) => y)).size).toBe(2);
    // On a telephone one below the other, over the whole width.
    const narrow = hopLayout(3, 360);
    expect(new Set(narrow.places.map(({ x }) => x)).size).toBe(1);
    expect(narrow.node).toBeGreaterThan(NODE.width);
  });

  it('are joined by arrows that run in the gaps and end before the next node', () => {
    fc.assert(
      fc.property(...sizes, (count, width) => {
        const { places, node } = hopLayout(count, width);
        const inside = ({ x, y }: Place): boolean =>
          places.some((at) => x > at.x && x < at.x + node && y > at.y && y < at.y + NODE.height);
        for (const [i, to] of places.slice(1).entries()) {
          const from = places[i];
          if (!from) continue;
          const corners = cornersOf(arrowPath(from, to, node));
          const middles = corners.slice(1).map(({ x, y }, k) => {
            const { x: x0 = x, y: y0 = y } = corners[k] ?? {};
            return { x: (x + x0) / 2, y: (y + y0) / 2 };
          });
          expect([...corners, ...middles].filter(inside)).toEqual([]);
          const end = corners.at(-1) ?? { x: NaN, y: NaN };
          expect(Math.min(Math.abs(end.x - to.x), Math.abs(end.y - to.y))).toBeLessThanOrEqual(4);
        }
      }),
      { numRuns: 40 },
    );
  });
});
