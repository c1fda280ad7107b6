/**
 * Texts that this browser keeps between visits. A browser may allow no storage, as with cookies blocked, and
 * reading then throws: nothing is remembered there, and the page works all the same.
 */

/** What was kept under a key; null where nothing was. */
export const remembered = (key: string): string | null => {
  try {
    return globalThis.localStorage?.getItem(key) ?? null;
  } catch {
    return null;
  }
};

/** Keeps a text under a key, in place of the one before. */
export const remember = (key: string, text: string): void => {
  try {
    globalThis.localStorage?.setItem(key, text);
  } catch {
    // Not allowed, or full: this visit continues without.
  }
};
