import { create } from 'zustand';
import {
  STORAGE_BROKEN,
  STORAGE_DENIED,
  STORAGE_GONE,
  storageFault,
  type StorageFault,
} from '../../base/storage-faults.ts';
import type { StorageNews } from '../../lab/contract/storage-news.ts';

/** What `StorageNotice` shows; null for nothing. */
export const useStorageNews = create<{ news: StorageNews | null }>(() => ({ news: null }));

const NEWS = new Map<StorageFault | null, StorageNews>([
  [STORAGE_GONE, 'deleted'],
  [STORAGE_DENIED, 'denied'],
  [STORAGE_BROKEN, 'broken'],
]);

/**
 * Shows a fault of the whole storage of this site over the page, once for all that fails by it.
 * @returns whether it is one; a message in the page then need not explain it
 */
export const showStorageFault = (error: unknown): boolean => {
  const news = NEWS.get(storageFault(error));
  if (news) useStorageNews.setState({ news });
  return news !== undefined;
};
