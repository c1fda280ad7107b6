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

/** A tick: as short as it can be. */
export const formatTick = (value: number, unit: Unit): string => {
  if (unit === 'share')
    return `${String(Number((value * 100).toPrecision(6))).replaceAll('-', '−')} %`;
  return `${formatNumber(value)}${SUFFIX[unit]}`;
};
