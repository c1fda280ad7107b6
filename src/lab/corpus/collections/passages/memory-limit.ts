/** What an import may hold in memory to find duplicates, bytes: about a million passages. */
export const MEMORY_LIMIT = 256 * 2 ** 20;
