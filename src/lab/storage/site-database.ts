import { Dexie, type PromiseExtended } from 'dexie';
import { storageFault, STORAGE_DENIED } from '../../base/storage-faults.ts';
import { notifyPages } from '../contract/storage-news.ts';

/** A database of this site. A transaction that is done is on the disk. */
export class SiteDatabase extends Dexie {
  constructor(name: string, options: ConstructorParameters<typeof Dexie>[1] = {}) {
    // By default browsers report a transaction as done before it is on the disk.
    super(name, { chromeTransactionDurability: 'strict', ...options });
    // Dexie then closes the database itself, and opens an empty one at the next call.
    this.on('versionchange', ({ newVersion }: IDBVersionChangeEvent) => {
      if (newVersion === null || newVersion === 0) notifyPages('deleted');
    });
    // Dexie's own event `close` also comes after a failed opening, and after `close()`.
    this.on(
      'ready',
      () => this.backendDB().addEventListener('close', () => notifyPages('deleted')),
      true,
    );
    this.on('blocked', () => notifyPages('blocked'));
  }

  /** Dexie calls it before the first operation. */
  override open(): PromiseExtended<Dexie> {
    return super.open().catch((error: unknown) => {
      // Dexie wraps it for the operation that waits, but not here.
      const fault = storageFault({ name: 'OpenFailedError', inner: error });
      if (fault) notifyPages(fault === STORAGE_DENIED ? 'denied' : 'broken');
      throw error;
    });
  }
}
