import { messageOf } from '../../../base/errors.ts';
/** Downloads a file in chunks that the browser may keep on disk. */

type FetchProblem =
  | 'address'
  | 'mixed'
  | 'offline'
  | 'cors'
  | 'unreachable'
  | 'status'
  | 'page'
  | 'broken'
  | 'empty';

/** A failed download; the message says why and what to do. */
export class FetchError extends Error {
  override readonly name = 'FetchError';
  readonly problem: FetchProblem;

  constructor(problem: FetchProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** Bytes buffered before they become a blob. */
const PIECE = 8 * 2 ** 20;

/** Advice if the browser cannot read an address. */
const INSTEAD = 'Download it yourself and drop the file here.';

/** @throws FetchError unless the text is an https or http address */
export function parseFileUrl(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new FetchError('address', 'This is not an address. Enter one that begins with https://');
  }
  if (!/^https?:$/u.test(url.protocol))
    throw new FetchError('address', `Expected https:// or http://, found ${url.protocol}`);
  return url;
}

/** This device itself: reachable offline, and by http from an https page. */
const isLocal = ({ hostname }: URL): boolean =>
  /^(localhost|127(?:\.\d+){3}|\[::1\])$/u.test(hostname);

/** Why fetch failed: the browser gives no reason, so it is probed. */
async function unanswered(url: URL, signal: AbortSignal): Promise<FetchError> {
  if (!navigator.onLine && !isLocal(url))
    return new FetchError('offline', 'This device is offline. Nothing was fetched.');
  if (location.protocol === 'https:' && url.protocol === 'http:' && !isLocal(url))
    return new FetchError(
      'mixed',
      `An https page cannot fetch from http. Try https://${url.host}, or ${INSTEAD.toLowerCase()}`,
    );
  // Without CORS the answer is unreadable, but a no-cors request shows that there is one.
  const answers = await fetch(url, { mode: 'no-cors', credentials: 'omit', signal }).then(
    () => true,
    () => false,
  );
  return answers
    ? new FetchError(
        'cors',
        `${url.host} answers, but does not let other pages read it (CORS). ${INSTEAD}`,
      )
    : new FetchError(
        'unreachable',
        `${url.host} does not answer, or does not let other pages read it (CORS); the browser does ` +
          `not say which. If the address opens in a tab, it is CORS. ${INSTEAD}`,
      );
}

const WORDS: Readonly<Record<number, string>> = {
  401: 'a login is needed',
  403: 'access denied',
  404: 'file not found',
  410: 'file removed',
  429: 'too many requests; try again later',
};

/** Last part of the path, decoded if possible; the host for an empty path. */
const nameOf = (url: URL): string => {
  const last = url.pathname.split('/').filter(Boolean).at(-1) ?? url.host;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
};

/** @throws FetchError with the cause; the signal's reason if it was stopped */
export async function fetchFile(
  address: string,
  signal: AbortSignal,
  onProgress: (bytes: number, total: number) => void,
): Promise<File> {
  const url = parseFileUrl(address);
  const options = { credentials: 'omit', referrerPolicy: 'no-referrer', signal } as const;
  const response = await fetch(url, options).catch(async (error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof TypeError ? await unanswered(url, signal) : error;
  });
  if (!response.ok) {
    const word = WORDS[response.status] ?? (response.status >= 500 ? 'the server failed' : '');
    throw new FetchError(
      'status',
      `${url.host} answered ${response.status}${word ? `: ${word}` : ''}. Nothing was fetched.`,
    );
  }
  // An HTML page (about the file, or a login) would be imported as text.
  if (response.headers.get('content-type')?.startsWith('text/html'))
    throw new FetchError(
      'page',
      'This address is a web page, not a file. Use the address of the file itself ' +
        '(on GitHub and Hugging Face: “raw” or “download”).',
    );
  const total = Number(response.headers.get('content-length') ?? 0);
  const blob = await collect(response, signal, (bytes) =>
    // Content-Length counts compressed bytes.
    onProgress(bytes, Math.max(total, bytes)),
  );
  if (blob.size === 0) throw new FetchError('empty', 'The file at this address is empty.');
  return new File([blob], nameOf(url));
}

/** The body as one blob, in chunks of 8 MiB: browsers may move blobs to disk, arrays stay in memory. */
async function collect(
  response: Response,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<Blob> {
  const parts: Blob[] = [];
  let piece: Uint8Array<ArrayBuffer>[] = [];
  let held = 0;
  let bytes = 0;
  const put = (): void => {
    parts.push(new Blob(piece));
    piece = [];
    held = 0;
  };
  try {
    const reader = response.body?.getReader();
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      piece.push(next.value);
      held += next.value.length;
      bytes += next.value.length;
      if (held >= PIECE) put();
      onBytes(bytes);
    }
  } catch (error) {
    signal.throwIfAborted();
    const reason = messageOf(error);
    throw new FetchError(
      'broken',
      `The connection failed after ${bytes} bytes (${reason}). Nothing was stored; try again.`,
    );
  }
  put();
  return new Blob(parts);
}
