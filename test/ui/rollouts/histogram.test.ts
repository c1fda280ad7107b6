import { expect, it } from 'vitest';
import type { Histogram } from '../../../src/evaluate/rollouts/histogram.ts';
import { histogramLayout } from '../../../src/ui/rollouts/histogram/histogram-layout.ts';
import {
  binWords,
  numberTitle,
  unknownReason,
} from '../../../src/ui/rollouts/histogram/histogram-words.ts';

const histogram: Histogram = {
  column: 'f1',
  columns: ['f1'],
  bins: [
    { from: 0, to: 0.5, all: 30, shown: 1, filter: 'f1 >= 0 and f1 < 0.5' },
    { from: 0.5, to: 1, all: 10, shown: 0, filter: 'f1 >= 0.5 and f1 < 1' },
  ],
  all: { known: 40, unknown: 2, mean: 0.2 },
  shown: { known: 1, unknown: 0, mean: 0 },
};

it('draws shares of each part on one scale, so that a small selection is seen beside a large file', () => {
  const { axis, bins, labels } = histogramLayout(histogram, 242);
  expect(axis.high).toBe(1);
  // 110 pixels are the whole of either part.
  expect(bins.map(({ shown, all }) => [shown, all])).toEqual([
    [110, 82.5],
    [0, 27.5],
  ]);
  // The boundaries of the ranges, both ends among them.
  expect(labels.map(({ value, x }) => [value, x])).toEqual([
    [0, 38],
    [0.5, 138],
    [1, 238],
  ]);
});

it('says of what a bar is, by whose normaliser, and why a record is in none', () => {
  const [first] = histogram.bins;
  expect(first && binWords(first, { all: 40, shown: 1 })).toBe(
    '0 to 0.5: 1 of 1 that pass, 100.0 %; 30 of 40 in the file, 75.0 %',
  );
  expect(numberTitle('f1')).toBe('F1 (SQuAD)');
  expect(unknownReason('reward.format')).toBe('their reward has no such clause');
});
