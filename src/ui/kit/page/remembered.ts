/**
 * Strings in local storage. If storage is blocked (as with cookies off) access throws: then nothing is
 * stored, and the page still works.
 */

/** The value of a key; null if absent. */
export const remembered = (key: string): string | null => {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
};

/** Stores a value under a key. */
export const remember = (key: string, text: string): void => {
  try {
    globalThis.localStorage?.setItem(key, text);
  } catch {
    // Blocked or full: this visit works without.
  }
};
