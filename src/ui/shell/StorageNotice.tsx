import { useEffect, useState } from 'react';
import { STORAGE_GONE } from '../../base/storage-faults.ts';
import { STORAGE_CHANNEL, type StorageNews } from '../../lab/contract/storage-news.ts';

const WORDS: Record<StorageNews, string> = {
  deleted: `${STORAGE_GONE.what} ${STORAGE_GONE.todo}`,
  blocked:
    'An older Forage is open in another tab and keeps the stored data locked. Close that tab; this page then goes on.',
};

/** Says that storage was deleted under the page, or cannot be opened. */
export const StorageNotice = () => {
  const [news, setNews] = useState<StorageNews | null>(null);
  useEffect(() => {
    const channel = new BroadcastChannel(STORAGE_CHANNEL);
    channel.addEventListener('message', ({ data }: MessageEvent<StorageNews>) => setNews(data));
    return () => channel.close();
  }, []);
  return news === null ? null : (
    <div className="stray-drop" role="alert" data-testid="storage-news">
      <span>⚠ {WORDS[news]}</span>
      {news === 'deleted' ? (
        <button type="button" className="link strong" onClick={() => location.reload()}>
          Load the page again
        </button>
      ) : null}
      <button
        type="button"
        className="link"
        aria-label="Hide this message"
        onClick={() => setNews(null)}
      >
        ✕
      </button>
    </div>
  );
};
