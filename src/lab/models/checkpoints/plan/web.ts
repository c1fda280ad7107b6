import { CheckpointFault } from './fault.ts';
import { type FaultKind } from '../../../contract/records/checkpoints.ts';

/** The network as the checkpoint code sees it; tests stand their own in its place. */
export interface Web {
  fetch: typeof fetch;
  /** False where the browser knows that there is no network. */
  online(): boolean;
  /** Origin of the page; null where there is none (Node). */
  origin: string | null;
}

export const browserWeb = (): Web => ({
  fetch: (input, init) => fetch(input, init),
  online: () => navigator.onLine,
  origin: globalThis.location?.origin ?? null,
});

/** Sends an access token of the user's to one hub, and to nobody else. */
export const withToken = (web: Web, base: string, token: string): Web => ({
  ...web,
  fetch: (input, init) => {
    const url = typeof input === 'string' ? input : input instanceof URL ? input.href : input.url;
    // Browsers take it away again where the hub sends the request on to another server.
    const ours = url.startsWith(`${base}/`) && init?.mode !== 'no-cors';
    if (!ours) return web.fetch(input, init);
    const headers = new Headers(init?.headers);
    headers.set('Authorization', `Bearer ${token}`);
    return web.fetch(input, { ...init, headers });
  },
});

/** Whose answer it is, for the words of a refusal. */
export interface WebRequest {
  /** What was asked for, such as `config.json of Qwen/Qwen3-0.6B`. */
  what: string;
  /** The repository, where it is a hub that was asked. */
  repository: string | null;
}

const ADD_FOLDER =
  'enter your access token under "Hub", or download it with "hf download" and add the folder';

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

/** Header of the hub that says which 401, 403 or 404 it is. */
const errorCode = (response: Response): string => response.headers.get('X-Error-Code') ?? '';

function denied(response: Response, { what, repository }: WebRequest): CheckpointFault {
  const { status } = response;
  if (repository === null)
    return new CheckpointFault(
      'denied',
      `The server refuses ${what} (HTTP ${status}).`,
      'It requires a sign-in, which a page cannot do: allow this page to read the folder on the ' +
        'server, or download the files and add the folder from this machine.',
    );
  if (errorCode(response) === 'GatedRepo')
    return new CheckpointFault(
      'gated',
      `${repository} is gated: its owner gives it to those who accepted the conditions (HTTP ${status}).`,
      `Accept them on the hub, then ${ADD_FOLDER}.`,
    );
  return new CheckpointFault(
    status === 401 ? 'not-found' : 'denied',
    status === 401
      ? `The hub shows no ${repository} to the public (HTTP 401): there is no such repository, or it is private or gated.`
      : `The hub refuses ${what} (HTTP ${status}): it may be gated or private.`,
    `Check the spelling; where it is private or gated, ${ADD_FOLDER}.`,
  );
}

function notFound(response: Response, { what, repository }: WebRequest): CheckpointFault {
  const code = errorCode(response);
  if (code === 'RevisionNotFound')
    return new CheckpointFault(
      'not-found',
      `${repository} has no such revision (HTTP 404).`,
      'Enter a branch, tag or commit that its "Files" page lists, or leave out @revision.',
    );
  return new CheckpointFault(
    'not-found',
    `There is no ${what} (HTTP 404).`,
    repository === null
      ? 'Enter the address of the folder with config.json.'
      : 'Check owner and name, letter by letter; a mirror may not have it.',
  );
}

const retryAfter = (response: Response): number | null => {
  const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return Number.isFinite(seconds) && seconds >= 0 ? seconds : null;
};

/** What a status other than 2xx says. */
export function refusal(response: Response, url: string, asked: WebRequest): CheckpointFault {
  const { status } = response;
  if (status === 401 || status === 403) return denied(response, asked);
  if (status === 404 || status === 410) return notFound(response, asked);
  if (status === 429)
    return new CheckpointFault(
      'rate-limited',
      `${hostOf(url)} limits requests (HTTP 429).`,
      'Wait a few minutes, then resume.',
      { retryAfter: retryAfter(response) },
    );
  return new CheckpointFault(
    'server',
    `${hostOf(url)} did not send ${asked.what} (HTTP ${status}).`,
    status >= 500
      ? 'Its server has a problem: try again later, or use a mirror.'
      : 'Check the address in another tab.',
    { retryAfter: retryAfter(response) },
  );
}

/**
 * Tells why a request got no answer at all. Browsers hide whether a server refused the connection or
 * only the reading of its answer; a second request that reads nothing may tell.
 */
async function noAnswer(web: Web, url: string, what: string, cause: unknown) {
  const host = hostOf(url);
  const fault = (kind: FaultKind, message: string, next: string) =>
    new CheckpointFault(kind, message, next, { cause });
  if (!web.online())
    return fault(
      'offline',
      'There is no network.',
      'Connect, then resume: downloaded parts are kept.',
    );
  if (web.origin?.startsWith('https:') && url.startsWith('http:') && !isLocal(url))
    return fault(
      'unreachable',
      `A page opened by https may not read ${host} by http.`,
      'Use its https address, or open Forage by http from this machine.',
    );
  const crossOrigin = web.origin !== null && new URL(url).origin !== web.origin;
  const there =
    crossOrigin &&
    (await web.fetch(url, { method: 'HEAD', mode: 'no-cors', cache: 'no-store' }).then(
      () => true,
      () => false,
    ));
  const allow =
    'let the server send "Access-Control-Allow-Origin: *" and ' +
    '"Access-Control-Expose-Headers: ETag, Content-Range", or add the folder from this machine';
  if (there)
    return fault(
      'cors',
      `${host} answers, but does not allow other pages to read ${what} (CORS).`,
      `Either ${allow}.`,
    );
  return fault(
    'unreachable',
    `${host} sent no answer that this page may read, for ${what}.`,
    crossOrigin
      ? `Open the address in another tab. If that works, the server does not allow pages to read it (CORS): ${allow}. If it does not, the host is down or its name is wrong.`
      : 'Check that the server runs, then try again.',
  );
}

const isLocal = (url: string): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);

/**
 * Asks a server. The answer may have any status.
 * @throws CheckpointFault where there is none; the signal's reason where it was aborted
 */
export async function ask(
  web: Web,
  url: string,
  what: string,
  init: RequestInit,
): Promise<Response> {
  try {
    // No cache: gigabytes would push out all else, and a range of a stale copy is of no use.
    return await web.fetch(url, { cache: 'no-store', credentials: 'omit', ...init });
  } catch (error) {
    init.signal?.throwIfAborted();
    throw await noAnswer(web, url, what, error);
  }
}

/**
 * Reads a body whole.
 * @throws CheckpointFault of kind `bad-answer` where it is longer than `most`, `interrupted` where it
 * breaks off
 */
export async function readBody(
  response: Response,
  what: string,
  most: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  try {
    for (;;) {
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
      if (done || !value) break;
      length += value.length;
      if (length > most) break;
      parts.push(value);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw interrupted(what, error);
  }
  if (length > most) {
    await reader?.cancel().catch(() => undefined);
    throw new CheckpointFault(
      'bad-answer',
      `${what} is longer than ${most / 1e6} MB, which it never is.`,
      'Check that the address is that of a checkpoint.',
    );
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export const interrupted = (what: string, cause: unknown): CheckpointFault =>
  new CheckpointFault(
    'interrupted',
    `The connection broke while ${what} was read.`,
    'Resume: it continues where it stopped.',
    { cause },
  );

/** Parses JSON that has to be an object. @throws CheckpointFault of kind `bad-answer` */
export function parseObject(bytes: Uint8Array, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    const web = new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().startsWith('<');
    throw new CheckpointFault(
      'bad-answer',
      web ? `${what} is a web page, not JSON.` : `${what} is not JSON.`,
      'Check that the address is that of a folder with config.json, and that the file is whole.',
      { cause },
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new CheckpointFault(
      'bad-answer',
      `${what} holds no JSON object.`,
      'Check that it is the file of a checkpoint.',
    );
  return Object.fromEntries(Object.entries(value));
}
