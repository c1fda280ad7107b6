import { useEffect } from 'react';
import { asSentence } from '../../base/errors.ts';
import {
  faultSentence,
  STORAGE_BROKEN,
  STORAGE_DENIED,
  STORAGE_GONE,
} from '../../base/storage-faults.ts';
import { useStorageNews } from '../kit/storage-news.ts';
import { onStorageNews, type StorageNews } from '../../lab/contract/storage-news.ts';

const SENTENCES: Record<StorageNews, string> = {
  deleted: faultSentence(STORAGE_GONE),
  denied: faultSentence(STORAGE_DENIED),
  broken: faultSentence(STORAGE_BROKEN),
  blocked:
    'An older version of Forage is open in another tab and locks the stored data; close that tab, and this page continues',
};

const show = (news: StorageNews | null): void => useStorageNews.setState({ news });

/** Storage that was deleted, or cannot be opened. Asking works without it, so the page stays. */
export const StorageNotice = () => {
  const news = useStorageNews((state) => state.news);
  useEffect(() => onStorageNews(show), []);
  return news === null ? null : (
    <div className="stray-drop" role="alert" data-testid="storage-news">
      <span>⚠ {asSentence(SENTENCES[news])}</span>
      {news === 'blocked' ? null : (
        <button type="button" className="link strong" onClick={() => location.reload()}>
          Reload
        </button>
      )}
      <button
        type="button"
        className="link"
        aria-label="Hide this message"
        onClick={() => show(null)}
      >
        ✕
      </button>
    </div>
  );
};
