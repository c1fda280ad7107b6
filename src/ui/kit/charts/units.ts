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

/** Formats a value for the readout, labels and table of a chart. */
export const formatValue = (value: number | null, unit: Unit): string => {
  if (value === null || !Number.isFinite(value)) return DASH;
  if (unit === 'share') return formatShare(value);
  if (unit === 'seconds') return formatSeconds(value);
  if (unit === 'ms') return formatMs(value);
  return `${formatNumber(value)}${SUFFIX[unit]}`;
};

/**
 * Formats a tick as short as possible, with non-breaking spaces: Recharts breaks labels at other
 * spaces and cuts the topmost one.
 */
export const formatTick = (value: number, unit: Unit): string => {
  const text =
    unit === 'share'
      ? `${String(Number((value * 100).toPrecision(6))).replaceAll('-', '−')} %`
      : `${formatNumber(value)}${SUFFIX[unit]}`;
  return text.replaceAll(' ', '\u00a0');
};
