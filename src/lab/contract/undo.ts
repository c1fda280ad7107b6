/** For how long a deletion can be undone, ms. Then its disk space is freed, also after a reload. */
export const UNDO_MS = 5 * 60_000;
