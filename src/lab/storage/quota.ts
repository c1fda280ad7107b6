import { filesOfSite } from './files-of-site.ts';

/** Storage that is full, and how full it is. */

export interface StorageUse {
  usedBytes: number;
  /** 0 where the browser does not say. */
  quotaBytes: number;
  /** Whether the browser promised not to clear it on its own. */
  persisted: boolean;
}

/** What a browser says of a site's storage: `StorageManager.estimate()`, with Chromium's shares of its parts. */
type BrowserEstimate = StorageEstimate & {
  usageDetails?: Readonly<Record<string, number>>;
};

const WRAP = 2 ** 32;
/** A part this close below 2^32 is a negative number of bytes: Chromium keeps the change of a part in 32 bits. */
const NEAR = 2 ** 27;

/**
 * Bytes that a site stores. After a restart Chromium may count a part below zero, and tells it as 2^32
 * bytes less that; such a part counts as 0. One that truly is within 128 MiB of 4 GiB cannot be distinguished from it.
 */
export const usedBytes = ({ usage = 0, usageDetails = {} }: BrowserEstimate): number => {
  const wrapped = Object.values(usageDetails).filter((part) => part > WRAP - NEAR && part < WRAP);
  // A sum below a part of its own took that part as negative already.
  return wrapped.reduce((left, part) => (left >= part ? left - part : left), usage);
};

export async function storageUse(): Promise<StorageUse> {
  const [estimate, persisted] = await Promise.all([
    filesOfSite().estimate(),
    filesOfSite().persisted(),
  ]);
  return { usedBytes: usedBytes(estimate), quotaBytes: estimate.quota ?? 0, persisted };
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
