import { asSentence, messageOf } from '../../base/errors.ts';
import { fetchWithProgress } from '../../lab/workers/fetch-progress.ts';
import { keepStorage } from '../lab/storage.ts';
import { useSetup } from '../setup/setup-store.ts';
import { trainApi, useTrain, withRun } from '../train/store/train-store.ts';
import { showStorageFault } from '../kit/storage-news.ts';
import type { OfferedAdapter } from './offered.ts';
import { useModels, type OfferState } from './store/models-store.ts';

/** Import of an offered adapter for a model. */

/** Under which its import is found: by the id of the model and the name of the adapter. */
export const offerKey = (checkpoint: string, { name }: Pick<OfferedAdapter, 'name'>): string =>
  `${name} for ${checkpoint}`;

const show = (key: string, state: OfferState | null): void =>
  useModels.setState(({ offers }) => ({ offers: { ...offers, [key]: state } }));

type Doing = 'downloaded' | 'imported';

const underWay = new Map<string, AbortController>();

async function download(
  key: string,
  { weightsUrl }: OfferedAdapter,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  show(key, { status: 'fetching', loaded: 0, total: 0 });
  const read = fetchWithProgress('', (bytes) => show(key, { status: 'fetching', ...bytes }));
  return new Uint8Array(await read(new URL(weightsUrl, document.baseURI).href, { signal }));
}

async function importAs(
  checkpoint: string,
  offered: OfferedAdapter,
  weights: Uint8Array<ArrayBuffer>,
): Promise<void> {
  const key = offerKey(checkpoint, offered);
  show(key, { status: 'importing' });
  const setup = {
    ...useSetup.getState().setup,
    policy: { kind: 'checkpoint', id: checkpoint },
  } as const;
  const outcome = await trainApi().adopt(key, offered.files(weights), () => undefined, setup);
  if (outcome.status === 'ready')
    useTrain.setState(({ runs }) => ({ runs: withRun(runs, outcome.run) }));
}

/** A sentence with its full stop; a broken connection needs advice, a full disk has its own notice. */
const failureOf = (doing: Doing, error: unknown): string => {
  if (showStorageFault(error)) return `The adapter was not ${doing}.`;
  const advice = doing === 'downloaded' ? ' Check the connection and try again.' : '';
  return `The adapter was not ${doing}: ${asSentence(messageOf(error))}${advice}`;
};

/** Fetches it and imports it as a run. Never rejects: the reason for a failure is in `offers`. */
export async function importOffered(checkpoint: string, offered: OfferedAdapter): Promise<void> {
  const key = offerKey(checkpoint, offered);
  if (underWay.has(key)) return;
  const controller = new AbortController();
  underWay.set(key, controller);
  const { signal } = controller;
  let doing: Doing = 'downloaded';
  try {
    void keepStorage();
    const weights = await download(key, offered, signal);
    doing = 'imported';
    await importAs(checkpoint, offered, weights);
    show(key, null);
  } catch (error) {
    const failed = { status: 'failed', message: failureOf(doing, error) } as const;
    show(key, signal.aborted ? null : failed);
  } finally {
    underWay.delete(key);
  }
}

/** Stops the download or the import; nothing of it is kept. */
export function cancelOffer(key: string): void {
  underWay.get(key)?.abort();
  trainApi()
    .cancelAdopt(key)
    .catch(() => undefined);
}

/**
 * Bytes of a file on the server of this page; 0 where nobody says. Null: it is left out of this copy of Forage, as it
 * is of the npm package.
 */
export async function bytesOnServer(url: string): Promise<number | null> {
  try {
    const { ok, headers } = await fetch(url, { method: 'HEAD' });
    // Servers of single-page applications answer with the page.
    if (!ok || headers.get('content-type')?.includes('text/html')) return null;
    return Number(headers.get('content-length') ?? 0);
  } catch {
    // Without a network it is offered, and a click says what is wrong.
    return 0;
  }
}
