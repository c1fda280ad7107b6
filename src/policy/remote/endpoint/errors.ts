import { oneLine } from '../../../base/errors.ts';

/** Why a call to an OpenAI-compatible server failed, as text that say what to do next. */

export type EndpointFault =
  /** No connection, or a refusal of the browser that looks the same. */
  | 'unreachable'
  | 'cors'
  | 'unauthorized'
  | 'not-found'
  | 'wrong-model'
  | 'rate-limited'
  | 'too-long'
  | 'bad-request'
  | 'server'
  | 'bad-answer'
  | 'time-out';

export class EndpointError extends Error {
  override readonly name = 'EndpointError';
  readonly fault: EndpointFault;
  /** Milliseconds that the server asked to wait. */
  readonly retryAfterMs: number | null;

  constructor(fault: EndpointFault, message: string, retryAfterMs: number | null = null) {
    // A server's words may hold anything; the message stays one readable line.
    super(oneLine(message, 1000));
    this.fault = fault;
    this.retryAfterMs = retryAfterMs;
  }
}

/** Faults that may pass by themselves. */
export const isPassing = ({ fault }: EndpointError): boolean =>
  fault === 'rate-limited' || fault === 'server' || fault === 'unreachable' || fault === 'time-out';

/** The server's own words, cut short: `{"error": {"message"}}`, `{"error": ""}`, `{"message"}`, `{"detail"}`. */
function serverWords(body: string): string {
  const short = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
  try {
    const json: unknown = JSON.parse(body);
    if (typeof json === 'object' && json !== null) {
      const found = wordsIn(json);
      if (found !== null) return short(found);
    }
  } catch {
    // Not JSON: the text itself.
  }
  return short(body.trim());
}

function wordsIn(json: object): string | null {
  for (const key of ['error', 'message', 'detail']) {
    const value: unknown = Reflect.get(json, key);
    if (typeof value === 'string') return value;
    if (typeof value === 'object' && value !== null) {
      const message: unknown = Reflect.get(value, 'message');
      if (typeof message === 'string') return message;
    }
  }
  return null;
}

const said = (words: string): string => (words === '' ? '' : ` The server said: “${words}”.`);

/** What an HTTP status of such a server means. */
export function faultOfStatus(
  status: number,
  body: string,
  asked: { url: string; model: string },
  wait: number | null = null,
): EndpointError {
  const words = serverWords(body);
  const because = said(words);
  if (status === 401 || status === 403)
    return new EndpointError(
      'unauthorized',
      `The server refused the API key (HTTP ${status}).${because} Enter the key again.`,
    );
  if (status === 404 && /\bmodel\b/i.test(words))
    return new EndpointError(
      'wrong-model',
      `The server has no model “${asked.model}”.${because} Choose a model from its list.`,
    );
  if (status === 404 || status === 405)
    return new EndpointError(
      'not-found',
      `${asked.url} is not there (HTTP ${status}).${because} The address usually ends in /v1.`,
    );
  if (status === 429)
    return new EndpointError(
      'rate-limited',
      `The server accepts no more requests for now (HTTP 429).${because}`,
      wait,
    );
  if (status === 413 || /context (length|window|size)|maximum context|too long/i.test(words))
    return new EndpointError(
      'too-long',
      `The context is longer than the model allows.${because} Enter the model's context length, or lower the budgets.`,
    );
  if (status >= 500)
    return new EndpointError('server', `The server failed (HTTP ${status}).${because}`, wait);
  if (/model/i.test(words) && /not (found|exist|loaded|available)|unknown/i.test(words))
    return new EndpointError(
      'wrong-model',
      `The server does not take the model “${asked.model}”.${because} Choose a model from its list.`,
    );
  return new EndpointError(
    'bad-request',
    `The server did not take the request (HTTP ${status}).${because}`,
  );
}
