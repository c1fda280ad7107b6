import { DASH, formatMs, formatNumber, formatSeconds, formatShare } from '../words/format.ts';
import type { Unit } from './series.ts';

const SUFFIX: Record<Unit, string> = {
  share: '',
  number: '',
  tokens: '',
  seconds: ' s',
  ms: ' ms',
  nats: '',
  questions: '',
};

/** A value as the chart's readout, label and table write it. */
export const formatValue = (value: number | null, unit: Unit): string => {
  if (value === null || !Number.isFinite(value)) return DASH;
  if (unit === 'share') return formatShare(value);
  if (unit === 'seconds') return formatSeconds(value);
  if (unit === 'ms') return formatMs(value);
  return `${formatNumber(value)}${SUFFIX[unit]}`;
};

/**
 * A tick: as short as it can be. No line breaks within it: Recharts breaks labels at other spaces, and of
 * the topmost one the first line is then cut off.
 */
export const formatTick = (value: number, unit: Unit): string => {
  const text =
    unit === 'share'
      ? `${String(Number((value * 100).toPrecision(6))).replaceAll('-', '−')} %`
      : `${formatNumber(value)}${SUFFIX[unit]}`;
  return text.replaceAll(' ', '\u00a0');
};
