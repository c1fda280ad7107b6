import { isReachable, systemStream, type OpenStream } from '../../base/reachable.ts';
import { EngineError } from './http/errors.ts';
import { EngineHttp, systemDeps, type HttpDeps, type HttpLimits, type Meter } from './http/http.ts';
import { engineKind } from './kinds/list.ts';
import { engineOf, type EngineSpec } from './open.ts';

/** Tries one search and says as text what came of it, and what to do next. */

type ConnectionOutcome =
  | 'ok'
  | 'empty'
  | 'unreachable'
  | 'cors'
  | 'mixed-content'
  | 'timeout'
  | 'unauthorized'
  | 'not-found'
  | 'rate-limited'
  | 'server-error'
  | 'http'
  | 'too-large'
  | 'not-json'
  | 'wrong-shape'
  | 'engine';

export interface ConnectionReport {
  outcome: ConnectionOutcome;
  /** What happened, in one sentence. */
  said: string;
  /** What to do next; empty where nothing is. */
  advice: string;
  status: number | null;
  latencyMs: number;
  requests: number;
  bytes: number;
  /** The first passage found. */
  sample: { title: string; text: string; url?: string } | null;
}

export interface ConnectionTest {
  /** What is searched for. */
  query?: string;
  signal?: AbortSignal;
  /** Origin of this page: tells a page served by HTTPS, which may not call HTTP. */
  origin?: string | null;
  http?: HttpDeps;
  limits?: Partial<HttpLimits>;
  /** Opens an event stream: tells a refused connection from a CORS refusal in isolated pages. */
  stream?: OpenStream | null;
}

const DEFAULT_QUERY = 'history';

type Diagnosis = Pick<ConnectionReport, 'outcome' | 'said' | 'advice'>;

const seconds = (ms: number): string => `${Math.ceil(ms / 1000)} s`;

/** By status. */
function diagnoseHttp(spec: EngineSpec, error: EngineError): Diagnosis {
  const { status, retryAfterMs, message } = error;
  const { addressAdvice, forbidden } = engineKind(spec.kind);
  if (status === 403 && forbidden)
    return {
      outcome: 'unauthorized',
      said: `${forbidden.said} (${message}).`,
      advice: forbidden.advice,
    };
  if (status === 401 || status === 403)
    return {
      outcome: 'unauthorized',
      said: `The server wants a login or refuses this caller (${message}).`,
      advice: 'Ask its owner for access without a login from this machine, or use another server.',
    };
  if (status === 404 || status === 405)
    return {
      outcome: 'not-found',
      said: `${new URL(spec.url).host} answers, but has no such call there (${message}).`,
      advice: `${addressAdvice} If it is right, another kind of server runs there.`,
    };
  if (status === 429)
    return {
      outcome: 'rate-limited',
      said: `The server has had enough calls for now (${message}).`,
      advice:
        retryAfterMs === null
          ? 'Wait a minute and try again.'
          : `Try again in ${seconds(retryAfterMs)}.`,
    };
  if (status === 400 || status === 415 || status === 422)
    return {
      outcome: 'http',
      said: `The server does not understand the call (${message}).`,
      advice: `Another kind of server may answer there. ${addressAdvice}`,
    };
  if (status !== null && status >= 500)
    return {
      outcome: 'server-error',
      said: `The server failed (${message}).`,
      advice: 'Look at its log; the request was correct as far as this page can tell.',
    };
  return { outcome: 'http', said: `The server refused (${message}).`, advice: addressAdvice };
}

function diagnose(spec: EngineSpec, error: EngineError): Diagnosis {
  const { host } = new URL(spec.url);
  const { addressAdvice } = engineKind(spec.kind);
  switch (error.fault) {
    case 'http':
      return diagnoseHttp(spec, error);
    case 'timeout':
      return {
        outcome: 'timeout',
        said: `${host} accepted the call but gave ${error.message}.`,
        advice:
          'It may still be loading its index, or a firewall drops the call. Try again in a minute.',
      };
    case 'too-large':
      return {
        outcome: 'too-large',
        said: `${host} sent too much: ${error.message}.`,
        advice: addressAdvice,
      };
    case 'not-json':
      return {
        outcome: 'not-json',
        said: `${host} answered, but ${error.message}.`,
        advice: `The address may be that of a page for people. ${addressAdvice}`,
      };
    case 'wrong-shape':
      return {
        outcome: 'wrong-shape',
        said: `${host} answered with JSON of another kind: ${error.message}.`,
        advice: `Another kind of server may answer there. ${addressAdvice}`,
      };
    case 'engine':
      return {
        outcome: 'engine',
        said: `The engine answered with an error: ${error.message}.`,
        advice: error.transient ? 'It says that this is temporary. Try again in a minute.' : '',
      };
    case 'unreachable':
      return {
        outcome: 'unreachable',
        said: `Nothing answers at ${host}: refused, no such host, or no network.`,
        advice:
          'Check that the server runs and that host and port are right; open the address in a tab.',
      };
  }
}

/** A page served by HTTPS may call HTTP only on its own machine. */
function isMixed(spec: EngineSpec, origin: string | null): boolean {
  const { protocol, hostname } = new URL(spec.url);
  const local = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|.*\.localhost)$/u.test(hostname);
  return protocol === 'http:' && !local && (origin ?? '').startsWith('https:');
}

async function diagnoseUnreachable(
  spec: EngineSpec,
  error: EngineError,
  http: HttpDeps,
  { origin = null, signal, stream = systemStream }: ConnectionTest,
): Promise<Diagnosis> {
  if (isMixed(spec, origin))
    return {
      outcome: 'mixed-content',
      said: 'This page is served by HTTPS, and a browser lets it call HTTP only on this machine.',
      advice: 'Give the server HTTPS, or serve Forage by HTTP from a host that you trust.',
    };
  if (await isReachable(engineOf(spec).address, http.fetch, stream, signal))
    return {
      outcome: 'cors',
      said: `${new URL(spec.url).host} is there, but the browser may not let this page read its answer (CORS).`,
      advice: engineKind(spec.kind).corsAdvice,
    };
  return diagnose(spec, error);
}

/**
 * One search without retries.
 * @throws the signal's reason where it was aborted; nothing else
 */
export async function testConnection(
  spec: EngineSpec,
  options: ConnectionTest = {},
): Promise<ConnectionReport> {
  const { query = DEFAULT_QUERY, signal, http = systemDeps(), limits } = options;
  const client = new EngineHttp(http, { timeoutMs: 10_000, ...limits, retries: 0 });
  const meter: Meter = { requests: 0, bytes: 0 };
  const start = http.now();
  const report = (
    diagnosis: Diagnosis,
    more: Partial<ConnectionReport> = {},
  ): ConnectionReport => ({
    ...diagnosis,
    ...meter,
    status: null,
    latencyMs: http.now() - start,
    sample: null,
    ...more,
  });
  try {
    const engine = engineOf(spec);
    const found = await engine.search({ query, k: 3, http: client, meter, signal });
    const first = found[0]?.passage;
    if (!first)
      return report({
        outcome: 'empty',
        said: `The server answered, but found nothing for “${query}”.`,
        advice: 'Try words that its corpus contains.',
      });
    const { title, text, url } = first;
    return report(
      { outcome: 'ok', said: `${found.length} found for “${query}”.`, advice: '' },
      { sample: { title, text, url } },
    );
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const latencyMs = http.now() - start;
    const told =
      error.fault === 'unreachable'
        ? await diagnoseUnreachable(spec, error, http, options)
        : diagnose(spec, error);
    return report(told, { status: error.status, latencyMs });
  }
}
