import { expect, it } from 'vitest';
import {
  shown,
  shownDifference,
  type NumberUnit,
} from '../../../src/evaluate/study/measures/units.ts';

/** How numbers of studies are written. */

it.each<[number, NumberUnit, string]>([
  [0.6123, 'percent', '61.2'],
  [2.468, 'count', '2.47'],
  [0.7049, 'share', '0.705'],
  [0, 'share', '0.000'],
  [-0.0004, 'share', '-0.0004'],
  [-2e-5, 'share', '-0.00002'],
  [1e-9, 'share', '0.000000'],
  [-0.0001, 'percent', '0.0'],
])('%d as %s is %s', (value, unit, text) => {
  expect(shown(value, unit)).toBe(text);
});

it('a difference has its sign', () => {
  expect(shownDifference(0.031, 'percent')).toBe('+3.1');
  expect(shownDifference(-0.0004, 'share')).toBe('-0.0004');
  expect(shownDifference(0, 'count')).toBe('0.00');
});
