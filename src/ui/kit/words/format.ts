/**
 * Number formats of the page: tabular, with units, at most three significant digits, and a typographic
 * minus sign.
 */

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });

/** For an unknown number. */
export const DASH = '–';

const withMinus = (text: string): string => text.replaceAll('-', '−');

/** Smaller sizes use a power of ten. */
const SMALL = 1e-3;

/** 0.0000322 → "3.22e−5". */
const scientific = (value: number): string => {
  const [mantissa = '', power = ''] = value.toExponential(2).split('e');
  return withMinus(`${Number(mantissa)}e${power.replace('+', '')}`);
};

/** 0.734, 12.3, 1,235: three significant digits, whole numbers from a thousand on; a dash for unknown. */
export const formatNumber = (value: number | null | undefined): string => {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (size < SMALL) return scientific(value);
  return withMinus(size >= 1000 ? grouped.format(value) : plain.format(value));
};

/** When in a training run something was measured; step 0 is before the first. */
export const formatAfterStep = (step: number): string =>
  step === 0 ? 'before the first step' : `after step ${step}`;

/** A whole number with separators: 12,345. */
export const formatCount = (value: number): string => grouped.format(value);

/** 0.734 → "73.4 %"; three digits below one percent, 0.00155 → "0.155 %". */
export const formatShare = (value: number | null | undefined): string => {
  if (value === null || value === undefined || !Number.isFinite(value)) return DASH;
  const percent = value * 100;
  const small = percent !== 0 && Math.abs(percent) < 1;
  return `${small ? formatNumber(percent) : withMinus((percent + 0).toFixed(1))} %`;
};

/**
 * With its sign: "+0.50"; a dash for unknown. Values that these digits would round to zero keep their
 * size: "−3.2e−5".
 */
export const formatSigned = (value: number | null | undefined, digits = 2): string => {
  if (value === null || value === undefined) return DASH;
  const size = Math.abs(value);
  const lost = size !== 0 && Number(size.toFixed(digits)) === 0;
  return `${value < 0 ? '−' : '+'}${lost ? formatNumber(size) : size.toFixed(digits)}`;
};

/** 3.2 ms, 450 ms; seconds from one second on. */
export const formatMs = (ms: number): string =>
  Math.round(ms) < 1000
    ? `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`
    : formatSeconds(ms / 1000);

/** 1.25 s; 12.5 s from ten on. */
export const formatSeconds = (seconds: number): string =>
  `${seconds < 10 ? seconds.toFixed(2) : seconds.toFixed(1)} s`;

/** In powers of 1000: 1.5 kB, 3.21 MB. */
export const formatBytes = (bytes: number): string => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${plain.format(bytes / 1e3)} kB`;
  if (bytes < 1e9) return `${plain.format(bytes / 1e6)} MB`;
  return `${plain.format(bytes / 1e9)} GB`;
};

/** 912_384 → "0.91 M", 1_543_714_304 → "1.54 B". */
export const formatParameters = (count: number): string => {
  if (count < 1e5) return formatCount(count);
  if (count >= 1e9) return `${(count / 1e9).toFixed(2)} B`;
  return `${(count / 1e6).toFixed(count >= 1e7 ? 1 : 2)} M`;
};

/**
 * “1 question”, “12 questions”.
 * @param many if the plural is not `one` with an s
 */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

const DAY_TIME = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** The time of an ISO date: `Mar 4, 17:05`. */
export const formatDayTime = (iso: string): string => DAY_TIME.format(new Date(iso));
