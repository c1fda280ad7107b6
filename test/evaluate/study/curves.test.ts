import { expect, it } from 'vitest';
import type { CurvePoint } from '../../../src/evaluate/study/course-point.ts';
import { curvesCsv } from '../../../src/evaluate/study/curves.ts';

/** The curves of a study as a file that others read. */

const point = (step: number, more: Partial<CurvePoint> = {}): CurvePoint => ({
  step,
  reward: 1.5,
  em: 0.25,
  searches: 2,
  heldOut: null,
  seconds: 3,
  ...more,
});
const of = (arm: string, ...points: CurvePoint[]) => ({ arm, seed: 1, trainWorld: 'w', points });

it('a line a step, empty where a step has no such number', () => {
  const heldOut = { n: 4, em: 0.5, f1: 0.5, searches: 1 };
  const text = curvesCsv([
    of('a', point(0, { reward: null, em: null, searches: null, heldOut }), point(1)),
  ]);
  expect(text.trimEnd().split('\r\n')).toEqual([
    'arm,seed,trained_on,step,reward,em,searches,held_out_n,held_out_em,held_out_f1,held_out_searches,seconds',
    'a,1,w,0,,,,4,0.5,0.5,1,3',
    'a,1,w,1,1.5,0.25,2,,,,,3',
  ]);
});

it('has fallbacks where a training counted them, none as 0', () => {
  const lines = curvesCsv([of('a', point(1, { fallbacks: 0 })), of('b', point(1))]);
  const [head, a, b] = lines.trimEnd().split('\r\n');
  expect(head?.endsWith(',seconds,fallbacks')).toBe(true);
  expect(a).toBe('a,1,w,1,1.5,0.25,2,,,,,3,0');
  expect(b).toBe('b,1,w,1,1.5,0.25,2,,,,,3,');
});
