import {
  TOKEN_COLUMNS,
  type TokenTable,
} from '../../../../evaluate/rollouts/reading/token-table.ts';
import type { ImportedSegment } from '../../../../formats/rollouts/shape/imported.ts';
import { UNKNOWN, type CellPaint } from '../../../kit/tokens/paint-cells.ts';
import { writerName, WRITERS } from '../../../kit/tokens/layout.ts';
import { formatNumber } from '../../../kit/words/format.ts';
import type { TokenRange } from './TokenCanvas.tsx';
import { cellOf, paintToken, type TokenColour, type TokenScale } from './token-paint.ts';

/** The key below a saved picture: only entries that occur in it. */

interface KeyEntry {
  /** Colour sample; null for text only. */
  cell: CellPaint | null;
  text: string;
}

/** Nats with samples in key and legend. */
export const KEY_NATS = [0.1, 1, 3, 10];

/** Samples of a scale: several nats, or its ends. */
const scaleKey = (by: TokenColour, scale: TokenScale, unit: string): KeyEntry[] => {
  const { low, high, middle, curve } = scale;
  if (curve === 'nats') {
    const sign = by === 'entropy' ? 1 : -1;
    return [
      { cell: cellOf(0, scale), text: `0, ${by === 'entropy' ? 'certain' : 'likely'}` },
      ...KEY_NATS.map((nats) => ({
        cell: cellOf(sign * nats, scale),
        text: formatNumber(sign * nats),
      })),
      { cell: null, text: `${unit}, log scale` },
    ];
  }
  const end = (value: number, words: string): KeyEntry => ({
    cell: cellOf(value, scale),
    text: `${words}${formatNumber(value)} ${unit}`.trim(),
  });
  if (middle === null) return [end(low, 'low: '), end(high, 'high: ')];
  return [
    ...(high > middle ? [end(high, `line below: ${formatNumber(middle)} to `)] : []),
    ...(low < middle ? [end(low, `line above: ${formatNumber(middle)} to `)] : []),
  ];
};

/**
 * Key entries for a range of tokens.
 * @param scale of the column `by`; null without one
 */
export function tokenKey(
  table: TokenTable,
  segments: readonly Pick<ImportedSegment, 'source' | 'role'>[],
  by: TokenColour,
  scale: TokenScale | null,
  range: TokenRange,
): KeyEntry[] {
  const shown = Array.from({ length: range.to - range.from + 1 }, (_, at) => range.from + at);
  const has = (is: (at: number) => boolean): boolean => shown.some(is);
  const plain: CellPaint = { ...UNKNOWN, colour: 'policy', strength: 1 };
  if (by === 'writer') {
    const written = new Set(shown.map((at) => paintToken(table, segments, at, by, null).colour));
    return WRITERS.filter((writer) => written.has(writer)).map((writer) => ({
      cell: { ...plain, colour: writer },
      text: writerName(writer),
    }));
  }
  if (by === 'mask')
    return [
      ...(has((at) => table.mask[at] === 1) ? [{ cell: plain, text: 'trained' }] : []),
      ...(has((at) => table.mask[at] === 0)
        ? [{ cell: { ...UNKNOWN, hatched: true }, text: 'mask 0' }]
        : []),
      ...(has((at) => (table.mask[at] ?? -1) < 0)
        ? [{ cell: null, text: 'no background: not in the file' }]
        : []),
    ];
  const column = table.columns[by];
  if (!scale || !column) return [];
  const blank = scale.middle === null ? [] : [formatNumber(scale.middle)];
  const noNumber = has((at) => !Number.isFinite(column[at])) ? ['no number'] : [];
  const without = [...blank, ...noNumber];
  return [
    ...scaleKey(by, scale, TOKEN_COLUMNS[by].unit),
    ...(without.length > 0
      ? [{ cell: null, text: `no background: ${without.join(', or ')}` }]
      : []),
  ];
}
