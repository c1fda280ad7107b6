import { describe, expect, it, test } from 'vitest';
import type { ClusterAnswer, PassageMap } from '../../../src/lab/contract/clusters.ts';
import type { Hit, SourceName } from '../../../src/records/hits.ts';
import {
  dotPaths,
  nearestPoint,
  planMap,
  pointTowards,
} from '../../../src/ui/corpus/map/map-plan.ts';
import { marksOfAnswer, marksOfHits } from '../../../src/ui/corpus/map/marks.ts';

/** A square of four, and one in its middle. */
const map: PassageMap = {
  kind: 'map',
  passages: 10,
  rows: Int32Array.of(0, 2, 4, 6, 8),
  places: Float32Array.of(-1, -1, 1, -1, 1, 1, -1, 1, 0, 0),
  clusters: Int32Array.of(0, 0, 1, 1, 9),
  ids: ['p0', 'p2', 'p4', 'p6', 'p8'],
  titles: ['Nil', 'Two', 'Four', 'Six', 'Eight'],
  shares: [0.3, 0.2],
  encoder: 'e',
  ms: 1,
};

describe('the drawing', () => {
  const plan = planMap(map, 236, 136);

  test('both axes have one scale, up is up, and the middle is the middle', () => {
    // 136 − 2 · 18 = 100 pixels for 2 units.
    expect([...plan.pixels]).toEqual([68, 118, 168, 118, 168, 18, 68, 18, 118, 68]);
    expect(plan.toPixels([0.5, 0.5])).toEqual([143, 43]);
  });

  test('has room for points outside the passages', () => {
    const wide = planMap(map, 236, 136, [[5, 0]]);
    const [x] = wide.toPixels([5, 0]);
    expect(x).toBeLessThanOrEqual(236 - 18);
  });

  test('a line of dots a colour holds every point once', () => {
    const paths = dotPaths(plan, (point) => (map.clusters[point] ?? 0) % 8, 8);
    expect(paths[0]).toBe('M68.0 118.0h0M168.0 118.0h0');
    expect(paths.join('').match(/h0/g)).toHaveLength(5);
    expect(paths[1]?.endsWith('M118.0 68.0h0')).toBe(true);
  });

  test('the nearest dot within reach', () => {
    expect(nearestPoint(plan, 120, 70, 12)).toBe(4);
    expect(nearestPoint(plan, 160, 25, 12)).toBe(2);
    expect(nearestPoint(plan, 118, 100, 12)).toBeNull();
  });

  test('arrow keys go to the nearest dot in their direction, and stay where there is none', () => {
    expect(pointTowards(plan, 0, [1, 0])).toBe(4);
    expect(pointTowards(plan, 0, [0, -1])).toBe(4);
    expect(pointTowards(plan, 1, [0, 1])).toBeNull();
    expect(pointTowards(plan, 2, [0, 1])).toBe(4);
  });
});

describe('marks', () => {
  const hit = (id: string, title: string, source: SourceName = 'local'): Hit => ({
    passage: { id, title, text: '', sentences: [] },
    score: 1,
    source,
  });
  const places = { query: [0.1, 0.2], passages: [[3, 4]] } as const;

  it('of a search: ranks, the web by its own place, gold found and gold missed', () => {
    const hits = [
      hit('p4', 'Four'),
      hit('w', 'Far', 'web'),
      hit('not-shown', 'X'),
      hit('p8', 'Eight'),
    ];
    const { at, marks } = marksOfHits(map, 'q', hits, ['eight ', 'TWO'], {
      ...places,
      passages: [...places.passages],
    });
    expect(at).toEqual([0.1, 0.2]);
    expect(marks).toEqual([
      { kind: 'hit', rank: 1, title: 'Four', point: 2, place: [1, 1], web: false },
      { kind: 'hit', rank: 2, title: 'Far', point: null, place: [3, 4], web: true },
      { kind: 'hit-gold', rank: 4, title: 'Eight', point: 4, place: [0, 0], web: false },
      { kind: 'gold', rank: null, title: 'Two', point: 1, place: [1, -1], web: false },
    ]);
  });

  it('of a search by clusters: what was found and what the exact scan gives besides, by row', () => {
    const answer = {
      query: 'q',
      hits: [
        { row: 6, title: 'Six' },
        { row: 7, title: 'not a point' },
      ],
      missed: [{ row: 0, title: 'Nil', exactRank: 2, cluster: 0 }],
    } as unknown as ClusterAnswer;
    const { marks } = marksOfAnswer(map, answer, { query: [0, 0], passages: [] });
    expect(marks.map(({ kind, point, rank }) => [kind, point, rank])).toEqual([
      ['hit', 3, 1],
      ['missed', 0, null],
    ]);
  });
});
