const CHANNEL = 'forage-storage';

/**
 * Changes to the storage of this site that no action of the page caused. `deleted`: by another tab or in the browser's
 * settings; `blocked`: a tab with an older version keeps it open; `denied`: the browser lets the page store nothing;
 * `broken`: it cannot be opened.
 */
export type StorageNews = 'deleted' | 'blocked' | 'denied' | 'broken';

/** Notifies every open page of this site. */
export function notifyPages(news: StorageNews): void {
  try {
    const channel = new BroadcastChannel(CHANNEL);
    channel.postMessage(news);
    channel.close();
  } catch {
    // A browser that denies storage may deny this, too; the code that needs the storage gets its error.
  }
}

/** @returns stops listening */
export function onStorageNews(receive: (news: StorageNews) => void): () => void {
  try {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', ({ data }: MessageEvent<StorageNews>) => receive(data));
    return () => channel.close();
  } catch {
    return () => undefined;
  }
}
