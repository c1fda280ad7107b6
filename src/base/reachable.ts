/** Finds out whether a server is there at all, although this page may not read its answer. */

type Fetch = (address: string, init: RequestInit) => Promise<Response>;

const WAIT_MS = 5_000;

/** A call whose answer nobody may read is sent all the same, and fails only where nobody answers. */
async function opaqueCall(address: string, send: Fetch, signal: AbortSignal): Promise<boolean> {
  try {
    await send(address, {
      mode: 'no-cors',
      credentials: 'omit',
      cache: 'no-store',
      referrerPolicy: 'no-referrer',
      signal,
    });
    return true;
  } catch {
    return false;
  }
}

/** The part of an EventSource that is looked at. */
interface EventStream {
  readonly readyState: number;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  close(): void;
}

const CLOSED = 2;

/**
 * A cross-origin isolated page gets no opaque answers. An event stream is asked for with CORS: it gives
 * up for good where an answer came that it may not read or that is not a stream, and tries again where
 * none came (HTML standard, server-sent events; seen in Chromium).
 */
function eventStream(stream: EventStream, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (there: boolean): void => {
      signal.removeEventListener('abort', gone);
      stream.close();
      resolve(there);
    };
    const gone = (): void => end(false);
    stream.addEventListener('open', () => end(true));
    stream.addEventListener('error', () => end(stream.readyState === CLOSED));
    signal.addEventListener('abort', gone, { once: true });
  });
}

export type OpenStream = (address: string) => EventStream;

/** The platform's own; none in Node. */
export const systemStream: OpenStream | null =
  typeof EventSource === 'undefined' ? null : (address) => new EventSource(address);

/**
 * Whether somebody answers at an address, readable or not; neither a key nor cookies are sent.
 * @param open null where the platform has no event streams
 * @throws the signal's reason
 */
export async function isReachable(
  address: string,
  send: Fetch,
  open: OpenStream | null,
  signal?: AbortSignal,
): Promise<boolean> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  const either = signal ? AbortSignal.any([signal, timeout]) : timeout;
  const there =
    (await opaqueCall(address, send, either)) ||
    (open !== null && !either.aborted && (await eventStream(open(address), either)));
  signal?.throwIfAborted();
  return there;
}
