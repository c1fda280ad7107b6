/** How values of numbers and their differences are written. */

/** `percent`: a share, in percent; `share`: one as it is. */
export type NumberUnit = 'percent' | 'count' | 'share';

const DIGITS: Record<NumberUnit, number> = { percent: 1, count: 2, share: 3 };

/** A share so small that it would read 0.000 is recognised by its first digit, to six places. */
const digitsOf = (value: number, unit: NumberUnit): number =>
  unit === 'share' && value !== 0
    ? Math.min(6, Math.max(DIGITS.share, -Math.floor(Math.log10(Math.abs(value)))))
    : DIGITS[unit];

/** A value as tables show it: shares of answers in percent. */
export const shown = (value: number, unit: NumberUnit): string => {
  const text = (unit === 'percent' ? 100 * value : value).toFixed(digitsOf(value, unit));
  // No minus in front of what rounds to nothing.
  return Number(text) === 0 ? text.replace('-', '') : text;
};

/** A difference, with its sign. */
export const shownDifference = (value: number, unit: NumberUnit): string => {
  const text = shown(value, unit);
  return Number(text) > 0 ? `+${text}` : text;
};
