/** Dates of HTTP begin with the name of a weekday; without this, JavaScript reads "-1" as a year. */
const DATE = /^\s*[a-z]/i;

/**
 * What a `Retry-After` header asks for: seconds (with a fraction where a server gives one) or a date, as
 * RFC 9110, 10.2.3 has it.
 * @param unixNow milliseconds since 1970
 * @returns milliseconds, 0 for a date that is past; null where nothing readable is there
 */
export function retryAfterMs(header: string | null, unixNow: number): number | null {
  if (header === null) return null;
  if (/^\s*\d{1,9}(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const date = DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - unixNow);
}
