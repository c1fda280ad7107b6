import { messageOf } from '../../base/errors.ts';
import { fileUrl } from '../kit/page/page-root.ts';
import { partsInUse, useSession } from '../kit/session-store.ts';
import { reaches } from './service-worker-stage.ts';

const register = async (): Promise<void> => {
  useSession.setState({ offline: { status: 'storing', reason: '' } });
  const registration = await navigator.serviceWorker.register(fileUrl('sw.js'), {
    updateViaCache: 'none',
  });
  await reaches(registration, 'installed', 'not all files could be stored');
  useSession.setState({ offline: { status: 'ready', reason: '' } });
};

const unavailable = (error: unknown): void =>
  useSession.setState({ offline: { status: 'unavailable', reason: messageOf(error) } });

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
    const used = partsInUse(useSession.getState());
    if (used.length === 0 && !rested) return;
    if (!used.every(([, { status }]) => status === 'ready') || waiting?.now()) return;
    for (const stop of stops) stop();
    clearTimeout(timer);
    register().catch(unavailable);
  };
  const stops = [useSession.subscribe(look), ...(waiting ? [waiting.subscribe(look)] : [])];
  const timer = setTimeout(() => {
    rested = true;
    look();
  }, AT_REST_MS);
};
