import { filesOfSite } from './files-of-site.ts';

/** Storage that is full, and how full it is. */

export interface StorageUse {
  usedBytes: number;
  /** 0 where the browser does not say. */
  quotaBytes: number;
  /** Whether the browser promised not to clear it on its own. */
  persisted: boolean;
}

export async function storageUse(): Promise<StorageUse> {
  const [{ usage = 0, quota = 0 }, persisted] = await Promise.all([
    filesOfSite().estimate(),
    filesOfSite().persisted(),
  ]);
  return { usedBytes: usage, quotaBytes: quota, persisted };
}

/** Dexie wraps the browser's error: as `inner`, or as the cause of a transaction that was aborted. */
export function isQuotaError(error: unknown): boolean {
  if (!(error instanceof Error || error instanceof DOMException)) return false;
  if (error.name === 'QuotaExceededError') return true;
  const { inner, cause } = error as { inner?: unknown; cause?: unknown };
  return [inner, cause].some((nested) => nested !== error && nested && isQuotaError(nested));
}

/** Storage is full: what was to be written is not stored, everything before is. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull';
  readonly neededBytes: number;

  constructor(neededBytes: number, deletable: string) {
    super(
      `The browser's storage is full: this snapshot needs ${megabytes(neededBytes)} more. ` +
        `${deletable} Free some space, then resume: nothing before this step is lost.`,
    );
    this.neededBytes = neededBytes;
  }
}

export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
