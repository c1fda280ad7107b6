import { messageOf } from '../../base/errors.ts';
import { storageFault } from '../../base/storage-faults.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { reaches } from './service-worker-stage.ts';

/**
 * Cross-origin isolation of the page: required for precise clocks and for the memory of workers. It
 * needs two response headers; if the host does not send them, the page's service worker adds them from
 * the next load on.
 */
interface IsolationState {
  /** `reloaded`: by the page's own service worker, after one reload. */
  by: 'host' | 'reloaded' | 'nobody';
  /** Why by nobody. */
  reason: string;
}

let found: IsolationState = { by: 'host', reason: '' };

/** Found once at startup, before anything is drawn; `host` until then, when nothing has to be done. */
export const isolation = (): IsolationState => found;

/** Per tab: a tab reloads for this only once, whatever happens. */
const RELOADED = 'forage-reloaded-for-isolation';

/** A service worker without storage starts at once; a longer wait means a fault, ms. */
const LONGEST_START_MS = 10_000;

/** Shorter than this, a message would only flicker, ms. */
const SHORTEST_SHOWN_MS = 1000;

/** The service worker for the next load; registered unless the page has one. */
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

/** Why isolation is impossible in this browser at this address; empty if it may work. */
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
 * Isolates the page, with at most one reload per tab.
 * @param explain shows why the page reloads
 * @returns whether it reloads, so that nothing should start
 */
export const isolate = async (explain: () => void): Promise<boolean> => {
  found = { by: 'host', reason: '' };
  try {
    if (globalThis.crossOriginIsolated) {
      if (sessionStorage.getItem(RELOADED) !== null) found = { by: 'reloaded', reason: '' };
      return false;
    }
    const reason = obstacle();
    if (reason !== '') throw new Error(reason);
    explain();
    const shown = new Promise((resolve) => setTimeout(resolve, SHORTEST_SHOWN_MS));
    await Promise.all([startWorker(), shown]);
    // A browser that cannot store the marker throws; otherwise it would reload for ever.
    sessionStorage.setItem(RELOADED, '1');
    location.reload();
    return true;
  } catch (error) {
    if (!globalThis.crossOriginIsolated) found = { by: 'nobody', reason: reasonOf(error) };
    return false;
  }
};
