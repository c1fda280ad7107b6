import { Dexie } from 'dexie';
import { STORAGE_CHANNEL, type StorageNews } from '../contract/storage-news.ts';

const tell = (news: StorageNews): void => {
  const channel = new BroadcastChannel(STORAGE_CHANNEL);
  channel.postMessage(news);
  channel.close();
};

/** A database of this site. Its writes are on the disk when they are done. */
export class SiteDatabase extends Dexie {
  constructor(name: string, options: ConstructorParameters<typeof Dexie>[1] = {}) {
    // Browsers call a transaction done before it is on the disk, unless told otherwise.
    super(name, { chromeTransactionDurability: 'strict', ...options });
    // Dexie itself closes the database then, and opens an empty one at the next call.
    this.on('versionchange', ({ newVersion }: IDBVersionChangeEvent) => {
      if (newVersion === null || newVersion === 0) tell('deleted');
    });
    this.on('close', () => tell('deleted'));
    this.on('blocked', () => tell('blocked'));
  }
}
