import {
  STORAGE_BROKEN,
  STORAGE_DENIED,
  STORAGE_GONE,
  storageFault,
  type StorageFault,
} from '../../base/storage-faults.ts';
import type { StorageNews } from '../../lab/contract/storage-news.ts';
import { useSession } from './session-store.ts';

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
  const storageNews = NEWS.get(storageFault(error));
  if (storageNews) useSession.setState({ storageNews });
  return storageNews !== undefined;
};
