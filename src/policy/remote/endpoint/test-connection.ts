import type { Endpoint } from '../../../records/setup.ts';
import { isReachable, systemStream, type OpenStream } from '../../../base/reachable.ts';
import { EndpointClient } from './client.ts';
import { EndpointError, type EndpointFault } from './errors.ts';
import { joinUrl } from './transport.ts';

/** One real, tiny request to a server, and what it says about the server. */

export interface ConnectionReport {
  ok: boolean;
  fault: EndpointFault | null;
  /** What was found, and what to do next. */
  message: string;
  latencyMs: number;
  /** What the server offers; empty where it does not tell. */
  models: string[];
  /** Whether its answers come with log-probabilities. */
  logprobs: boolean;
}

export interface ConnectionTools {
  fetch?: typeof fetch;
  /** Opens an event stream: tells a refused connection from a CORS refusal in isolated pages. */
  stream?: OpenStream | null;
  now?: () => number;
  timeoutMs?: number;
  signal?: AbortSignal;
}

async function explained(
  error: EndpointError,
  url: string,
  tools: ConnectionTools,
): Promise<Pick<ConnectionReport, 'fault' | 'message'>> {
  if (error.fault !== 'unreachable') return { fault: error.fault, message: error.message };
  // A browser tells a page nothing of why a request failed.
  const { stream = systemStream, signal } = tools;
  const send = tools.fetch ?? ((address: string, init: RequestInit) => fetch(address, init));
  if (await isReachable(joinUrl(url, 'models'), send, stream, signal))
    return {
      fault: 'cors',
      message: `A server answers at ${url}, but does not allow this page to read it (CORS). Allow the page's origin there: llama.cpp does by default, Ollama takes OLLAMA_ORIGINS, vLLM --allowed-origins.`,
    };
  return {
    fault: 'unreachable',
    message: `Nothing answers at ${url}. Check that the server runs, the port, and http or https.`,
  };
}

/** Lists models, then asks for one token of text. */
export async function testEndpoint(
  endpoint: Endpoint,
  key: string,
  tools: ConnectionTools = {},
): Promise<ConnectionReport> {
  const { now = () => performance.now(), timeoutMs = 30_000, signal } = tools;
  const started = now();
  const report = (part: Pick<ConnectionReport, 'ok' | 'fault' | 'message'>): ConnectionReport => ({
    models: [],
    logprobs: false,
    latencyMs: now() - started,
    ...part,
  });
  const client = new EndpointClient({
    url: endpoint.url,
    model: endpoint.model,
    key: () => key,
    retries: 0,
    timeoutMs,
    ...(tools.fetch && { fetch: tools.fetch }),
  });
  let models: string[] = [];
  try {
    // Not every server lists its models; the one token decides.
    models = await client.models(signal).catch((error: unknown) => {
      const minor =
        error instanceof EndpointError && ['not-found', 'bad-answer'].includes(error.fault);
      if (minor) return [];
      throw error;
    });
    const logprobs = await tryOne(client, endpoint, signal);
    const listed = models.length === 0 || models.includes(endpoint.model);
    return {
      ...report({
        ok: true,
        fault: null,
        message: `Connected: ${endpoint.model} answers${logprobs ? ', with log-probabilities' : '; it gives no log-probabilities'}.${listed ? '' : ' The server does not list this model, but takes it.'}`,
      }),
      models,
      logprobs,
    };
  } catch (error) {
    if (signal?.aborted) throw error;
    const fault =
      error instanceof EndpointError ? error : new EndpointError('bad-answer', String(error));
    return { ...report({ ok: false, ...(await explained(fault, endpoint.url, tools)) }), models };
  }
}

/** @returns whether the piece that came had a log-probability */
async function tryOne(
  client: EndpointClient,
  endpoint: Endpoint,
  signal?: AbortSignal,
): Promise<boolean> {
  const options = {
    maxTokens: 4,
    temperature: 0,
    topP: 1,
    topK: 0,
    stop: [],
    seed: 1,
    ...(signal && { signal }),
  };
  const stream =
    endpoint.api !== 'completions'
      ? client.continueChat([{ role: 'user', content: 'Say yes.' }], options)
      : client.continueText('Say yes.', options);
  let logprobs = false;
  for await (const piece of stream) logprobs ||= piece.logprob !== undefined;
  return logprobs;
}
