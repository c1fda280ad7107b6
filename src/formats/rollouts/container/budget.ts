import { FREE_BYTES, MOST_RATIO } from './gunzip.ts';

/** What the entries of one archive may unpack to, together. */
const MOST_UNPACKED = 256 * 2 ** 20;

/** An archive as a whole unpacks to more than is read. */
export class UnpackLimitReached extends Error {}

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
  const limit = ratio < MOST_UNPACKED ? `${MOST_RATIO} times its size` : '256 MB';
  return counter(Math.min(MOST_UNPACKED, ratio) + more, `${what} to more than ${limit}`);
}

/** Checkpoints, which are the most of what is passed over, hardly shrink. */
const MOST_PASSED_RATIO = 20;

/** The same for what a stream passes over, which takes no memory but time: 64 MiB and 20 times the bytes of the archive. */
export const passBudget = (archiveBytes: number, what: string): ((bytes: number) => void) =>
  counter(
    FREE_BYTES + MOST_PASSED_RATIO * archiveBytes,
    `${what} to more than ${MOST_PASSED_RATIO} times its size`,
  );

function counter(most: number, message: string): (bytes: number) => void {
  let left = most;
  return (bytes) => {
    left -= bytes;
    if (left < 0) throw new UnpackLimitReached(message);
  };
}
