import { FREE_BYTES, MOST_RATIO } from './gunzip.ts';

/** What the entries of one archive may unpack to, together. */
export const MOST_UNPACKED = 256 * 2 ** 20;

/** An archive as a whole unpacks to more than is read. */
export class TooMuch extends Error {}

/**
 * Counts what unpacking takes, and ends it at 256 MiB, or at 64 MiB and 200 times the bytes of the archive where that
 * is less.
 * @param what is unpacked, for the message
 * @param more bytes that do not count
 * @returns called with bytes; throws TooMuch
 */
export function unpackBudget(
  archiveBytes: number,
  what: string,
  more = 0,
): (bytes: number) => void {
  const ratio = FREE_BYTES + MOST_RATIO * archiveBytes;
  let left = Math.min(MOST_UNPACKED, ratio) + more;
  return (bytes) => {
    left -= bytes;
    if (left < 0)
      throw new TooMuch(
        `${what} to more than ${ratio < MOST_UNPACKED ? `${MOST_RATIO} times its size` : '256 MB'}`,
      );
  };
}
