/** Storage that is taken from under the page: workers tell every page of this browser. */
export const STORAGE_CHANNEL = 'forage-storage';

/** `deleted`: by another tab or by the browser; `blocked`: a tab with an older version keeps it from being opened. */
export type StorageNews = 'deleted' | 'blocked';
