/** How values of numbers and their differences are written. */

/** `percent`: a share, in percent; `share`: one as it is. */
export type NumberUnit = 'percent' | 'count' | 'share';

const DIGITS: Record<NumberUnit, number> = { percent: 1, count: 2, share: 3 };

/** A value as tables show it: shares of answers in percent. */
export const shown = (value: number, unit: NumberUnit): string => {
  const text = (unit === 'percent' ? 100 * value : value).toFixed(DIGITS[unit]);
  // No minus in front of what rounds to nothing.
  return Number(text) === 0 ? text.replace('-', '') : text;
};

/** A difference, with its sign. */
export const shownDifference = (value: number, unit: NumberUnit): string => {
  const text = shown(value, unit);
  return Number(text) > 0 ? `+${text}` : text;
};
