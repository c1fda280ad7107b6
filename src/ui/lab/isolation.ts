import { create } from 'zustand';
import { messageOf } from '../../base/errors.ts';
import { storageFault } from '../../base/storage-faults.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { reaches } from './service-worker-stage.ts';

/**
 * Whether the browser keeps the page apart from other sites' (cross-origin isolation): its clocks are
 * fine only then, and it is told the memory of its workers. It needs two response headers. Where the
 * host does not send them, the page's service worker adds them, from the next load on.
 */
export interface IsolationState {
  /** `reloaded`: by the page's own service worker, after the reload that it took. */
  by: 'host' | 'reloaded' | 'nobody';
  /** Why by nobody. */
  reason: string;
}

/** Written once, when the page starts; `host` until then, the case in which nothing has to be done. */
export const useIsolation = create<IsolationState>(() => ({ by: 'host', reason: '' }));

/** Kept as long as the tab: whatever becomes of it, a tab reloads for this once. */
const RELOADED = 'forage-reloaded-for-isolation';

/** A service worker that stores nothing starts at once; a browser that needs longer has a fault, ms. */
const LONGEST_START_MS = 10_000;

/** What is shown for less than this flickers, ms. */
const SHORTEST_SHOWN_MS = 1000;

/** The service worker that answers the next load; one is started unless the page has one. */
const startWorker = async (): Promise<void> => {
  const { serviceWorker } = navigator;
  const kept = await serviceWorker.getRegistration(fileUrl('.'));
  if (kept?.active) return;
  const url = fileUrl('sw.js?isolate');
  const registration = await serviceWorker.register(url, { updateViaCache: 'none' });
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('its service worker did not start in time')),
    LONGEST_START_MS,
  );
  await reaches(registration, 'active', 'its service worker did not start', late.signal).finally(
    () => clearTimeout(timer),
  );
};

/** Why it cannot be had in this browser at this address; empty where it may. */
const obstacle = (): string => {
  if (!import.meta.env.PROD) return 'the development server has no service worker that adds them';
  if (window.top !== window) return 'a page inside another page cannot be isolated by itself';
  if (!('serviceWorker' in navigator))
    return 'this browser, or an address without https, offers no service worker that could add them';
  if (sessionStorage.getItem(RELOADED) !== null)
    return 'a service worker added them, but the browser ignored them';
  return '';
};

const reasonOf = (error: unknown): string =>
  storageFault(error) ? 'this browser does not let the page store anything' : messageOf(error);

/**
 * Sees to it that the page is isolated, once a tab, by a reload where it takes one.
 * @param explain shows why the page is about to be loaded again
 * @returns whether it is being loaded again, so that nothing is to be started
 */
export const isolate = async (explain: () => void): Promise<boolean> => {
  try {
    if (globalThis.crossOriginIsolated) {
      if (sessionStorage.getItem(RELOADED) !== null) useIsolation.setState({ by: 'reloaded' });
      return false;
    }
    const reason = obstacle();
    if (reason !== '') throw new Error(reason);
    explain();
    const shown = new Promise((resolve) => setTimeout(resolve, SHORTEST_SHOWN_MS));
    await Promise.all([startWorker(), shown]);
    // A browser that keeps no such mark throws: it would be reloaded for ever.
    sessionStorage.setItem(RELOADED, '1');
    location.reload();
    return true;
  } catch (error) {
    if (!globalThis.crossOriginIsolated)
      useIsolation.setState({ by: 'nobody', reason: reasonOf(error) });
    return false;
  }
};
