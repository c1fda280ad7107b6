/** Numbers as the interface writes them: tabular, with units, at most three significant digits. */

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

export const DASH = '–';

export const formatNumber = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? DASH
    : Math.abs(value) >= 1000
      ? grouped.format(value)
      : plain.format(value).replace('-', '−');

export const formatCount = (value: number): string => grouped.format(value);

/** 0.734 → "73.4 %". */
export const formatShare = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value)
    ? DASH
    : `${(value * 100).toFixed(1)} %`;

export const formatSigned = (value: number, digits = 2): string =>
  `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;

export const formatMs = (ms: number): string =>
  ms < 1000 ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms` : formatSeconds(ms / 1000);

export const formatSeconds = (seconds: number): string =>
  `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;

export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${plain.format(bytes / 1e3)} kB`;
  if (bytes < 1e9) return `${plain.format(bytes / 1e6)} MB`;
  return `${plain.format(bytes / 1e9)} GB`;
};

/** 912_384 → "0.91 M". */
export const formatParameters = (count: number): string =>
  count >= 1e6 || count >= 1e5
    ? `${(count / 1e6).toFixed(count >= 1e7 ? 1 : 2)} M`
    : formatCount(count);

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const DAY_TIME = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** When something was, of an ISO date: `Mar 4, 17:05`. */
export const formatDayTime = (iso: string): string => DAY_TIME.format(new Date(iso));
