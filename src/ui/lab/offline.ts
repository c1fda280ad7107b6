import { create } from 'zustand';
import { messageOf } from '../../base/errors.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { partsInUse, useLab } from './lab-store.ts';
import { reaches } from './service-worker-stage.ts';

/** Whether the page works without its server. */
export interface OfflineState {
  status: 'waiting' | 'storing' | 'ready' | 'unavailable';
  /** Why it is unavailable. */
  reason: string;
}

/** Follows the service worker that caches the page’s files; `waiting` until `keepForOffline` starts it. */
export const useOffline = create<OfflineState>(() => ({ status: 'waiting', reason: '' }));

const register = async (): Promise<void> => {
  useOffline.setState({ status: 'storing' });
  const registration = await navigator.serviceWorker.register(fileUrl('sw.js'), {
    updateViaCache: 'none',
  });
  await reaches(registration, 'installed', 'not all files could be stored');
  useOffline.setState({ status: 'ready' });
};

const unavailable = (error: unknown): void =>
  useOffline.setState({
    status: 'unavailable',
    reason: messageOf(error),
  });

/** A page without lab parts is considered loaded after this, ms. */
const AT_REST_MS = 3000;

/** Reasons to wait besides loading: a run on the screen. */
interface Waiting {
  now: () => boolean;
  /** @returns stops it */
  subscribe: (listener: () => void) => () => void;
}

/**
 * Caches the page's files once all needed parts are loaded and no run is waiting, so that they do not
 * compete; without needed parts, after a moment.
 */
export const keepForOffline = (waiting?: Waiting): void => {
  if (!('serviceWorker' in navigator)) {
    unavailable(new Error('this browser, or an address without https, offers no service worker'));
    return;
  }
  let rested = false;
  const look = (): void => {
    const used = partsInUse(useLab.getState());
    if (used.length === 0 && !rested) return;
    if (!used.every(([, { status }]) => status === 'ready') || waiting?.now()) return;
    for (const stop of stops) stop();
    clearTimeout(timer);
    register().catch(unavailable);
  };
  const stops = [useLab.subscribe(look), ...(waiting ? [waiting.subscribe(look)] : [])];
  const timer = setTimeout(() => {
    rested = true;
    look();
  }, AT_REST_MS);
};
