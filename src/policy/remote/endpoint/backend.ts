import type { Endpoint } from '../../../records/setup.ts';
import type { TextBackend, TextChunk, TextRequest, Turns } from '../text-backend.ts';
import type { PolicyInfo } from '../../policy.ts';
import type { EndpointClient, Streamed, StreamOptions } from './client.ts';
import type { Piece } from './wire.ts';

const TURNS: Record<Endpoint['api'], Turns> = {
  completions: 'none',
  chat: 'alternate',
  'chat-continue': 'continue',
};

/**
 * An OpenAI-compatible server as the model after a text policy. Stop strings are not sent: servers
 * leave them out of the text, and the protocol has more of them than a server takes; who reads the
 * stream ends it.
 */
export class EndpointBackend implements TextBackend {
  readonly info: PolicyInfo;
  readonly turns: Turns;
  readonly #client: EndpointClient;
  readonly #api: Endpoint['api'];

  constructor(endpoint: Endpoint, client: EndpointClient) {
    this.#client = client;
    this.#api = endpoint.api;
    this.turns = TURNS[endpoint.api];
    this.info = {
      id: endpoint.model,
      revision: '',
      parameters: 0,
      maxContext: endpoint.maxContext,
      device: 'server',
      dtype: '',
      logprobs: `as ${new URL(endpoint.url).host} states them; it does not say whether before or after temperature and truncation`,
      logprobsOf: 'unknown',
    };
  }

  async *stream(request: TextRequest): AsyncGenerator<TextChunk> {
    const stream = this.#open(request);
    let ended = false;
    try {
      for (;;) {
        const step = await stream.next();
        if (step.done) {
          ended = true;
          yield { text: '', finish: step.value.finish === 'length' ? 'length' : 'end' };
          return;
        }
        yield step.value;
      }
    } finally {
      // Who leaves early ends the request at the server.
      if (!ended) await stream.return({ finish: 'left' });
    }
  }

  #open(request: TextRequest): AsyncGenerator<Piece, Streamed> {
    const { prefix, messages, maxTokens, temperature, topP, topK, seed, signal } = request;
    const options: StreamOptions = { maxTokens, temperature, topP, topK, stop: [], seed, signal };
    if (this.#api === 'completions') return this.#client.continueText(prefix, options);
    const continues = this.#api === 'chat-continue' && messages.at(-1)?.role === 'assistant';
    return this.#client.continueChat(messages, { ...options, continues });
  }
}
