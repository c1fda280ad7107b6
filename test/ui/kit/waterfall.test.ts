import { expect, it } from 'vitest';
import type { RolloutTimes } from '../../../src/evaluate/rollouts/times.ts';
import {
  spanName,
  timeNotes,
  totalWords,
  waterfallLayout,
} from '../../../src/ui/kit/waterfall/Waterfall.tsx';
const times: RolloutTimes = {
  kind: 'times',
  spans: [
    { kind: 'local', start: 0, ms: 1000, search: 0, event: 0 },
    { kind: 'writes', start: 1000, ms: 2999, search: 1, event: 2 },
    { kind: 'rest', start: 3999, ms: 1, search: null, event: null },
  ],
  totals: [
    { kind: 'writes', ms: 2999 },
    { kind: 'local', ms: 1000 },
    { kind: 'rest', ms: 1 },
  ],
  totalMs: 4000,
  clipped: 0,
};

it('draws each stretch where it began, on one scale, and what is short so that it is seen', () => {
  // 688 pixels: 232 of names, 56 of durations, 400 for 4 s.
  const { axis, left, rows } = waterfallLayout(times, 688);
  expect(axis.high).toBe(4);
  expect(left).toBe(232);
  expect(rows.map(({ x }) => Math.round(10 * x) / 10)).toEqual([232, 332, 631.9]);
  expect(rows[1]?.width).toBeCloseTo(299.9, 6);
  expect(rows[2]?.width).toBe(2);
  // On a narrow screen names stand over their bars, and nothing goes beyond its edge.
  const narrow = waterfallLayout(times, 350);
  expect(narrow.left).toBe(0);
  for (const { x, width } of narrow.rows) expect(x + width).toBeLessThanOrEqual(350 - 54);
});

it('says the whole and its shares, and what the record cannot say', () => {
  expect(totalWords(times)).toBe(
    '4.00 s: model writes 75.0 %, local search 25.0 %, the loop itself under 0.1 %',
  );
  const small = { ...times.totals[2]!, ms: 25 };
  expect(totalWords({ ...times, totals: [small], totalMs: 4000 })).toBe(
    '4.00 s: the loop itself 0.6 %',
  );
  expect(timeNotes(times, false)).toHaveLength(1);
  expect(timeNotes({ ...times, clipped: 2 }, true).join(' ')).toMatch(
    /2 calls state durations longer than their places.*judge is not in the record/,
  );
});

it('calls a stretch by its search, and the first and the last by where they are', () => {
  expect(times.spans.map(spanName)).toEqual([
    'local search, at first',
    'model writes, search 1',
    'the loop itself, at the end',
  ]);
});
