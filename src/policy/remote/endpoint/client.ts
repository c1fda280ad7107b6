import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { z } from 'zod';
import { messageOf, issueOf } from '../../../base/errors.ts';
import type { ChatMessage, CompletionOptions, TextModel } from '../../text-model.ts';
import { EndpointError } from './errors.ts';
import { Transport, type TransportOptions } from './transport.ts';
import { chatAnswer, chatChunk, chatDelta, modelList, textChunk, textDelta } from './wire.ts';
import type { Delta, Piece } from './wire.ts';

export interface StreamOptions {
  maxTokens: number;
  temperature: number;
  topP: number;
  /** 0 means no limit; sent only where it limits, because not every server knows it. */
  topK: number;
  /** The server ends before these and does not send them. At most four are sent. */
  stop: readonly string[];
  seed: number;
  signal?: AbortSignal;
}

export interface Streamed {
  /** `stop`: a stop string or the model's own end; `length`: maxTokens; others as the server names them. */
  finish: string;
}

/** Servers take four stop strings at most. */
const MOST_STOPS = 4;
/** Times that one request is sent again because another one broke in. */
const MOST_INTERRUPTIONS = 3;
/** Longest event of a stream. */
const MOST_EVENT_CHARS = 4 * 2 ** 20;
const MOST_ANSWER_BYTES = 16 * 2 ** 20;

const badAnswer = (url: string, what: string): EndpointError =>
  new EndpointError(
    'bad-answer',
    `${url} did not answer in the format of the OpenAI API: ${what}. Check the address.`,
  );

function parse<T>(schema: z.ZodType<T>, text: string, url: string): T {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw badAnswer(url, `no JSON, but “${text.slice(0, 80)}”`);
  }
  // Servers that fail in the middle of a stream say so in an event of it.
  if (typeof json === 'object' && json !== null && 'error' in json && !('choices' in json))
    throw new EndpointError('server', `The server failed: ${JSON.stringify(json.error)}`);
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  throw badAnswer(url, issueOf(parsed.error));
}

/** A client of one OpenAI-compatible server and one of its models. */
export class EndpointClient {
  readonly #transport: Transport;

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  get model(): string {
    return this.#transport.model;
  }

  /** Ids of the server's models. */
  async models(signal?: AbortSignal): Promise<string[]> {
    const text = await this.#text('models', undefined, signal);
    return parse(modelList, text, this.#transport.url).data.map(({ id }) => id);
  }

  /** One answer to messages, whole. */
  async chat(messages: readonly ChatMessage[], options: CompletionOptions): Promise<string> {
    const { maxTokens, temperature, stop = [], seed, signal, onUse } = options;
    const body = {
      model: this.model,
      messages,
      max_tokens: maxTokens,
      temperature,
      ...(stop.length > 0 && { stop: stop.slice(0, MOST_STOPS) }),
      seed,
    };
    const text = await this.#text('chat/completions', body, signal);
    const answer = parse(chatAnswer, text, this.#transport.url);
    const { usage } = answer;
    if (usage) onUse?.({ prompt: usage.prompt_tokens, completion: usage.completion_tokens });
    return answer.choices[0]?.message.content ?? '';
  }

  /** Continues a text, piece by piece; the value returned at the end says why it ended. */
  continueText(prompt: string, options: StreamOptions): AsyncGenerator<Piece, Streamed> {
    const body = { ...this.#sampling(options), prompt, logprobs: 1 };
    return this.#stream(
      'completions',
      body,
      (text) => textDelta(parse(textChunk, text, this.#transport.url)),
      options.signal,
    );
  }

  /**
   * Answers messages, piece by piece.
   * @param continues whether the last message is the assistant's, to be continued; llama.cpp does so
   *   by itself, vLLM and SGLang are asked to
   */
  continueChat(
    messages: readonly ChatMessage[],
    options: StreamOptions & { continues?: boolean },
  ): AsyncGenerator<Piece, Streamed> {
    const body = {
      ...this.#sampling(options),
      messages,
      logprobs: true,
      // llama-cpp-python gives none without it.
      top_logprobs: 1,
      ...(options.continues && { add_generation_prompt: false, continue_final_message: true }),
    };
    return this.#stream(
      'chat/completions',
      body,
      (text) => chatDelta(parse(chatChunk, text, this.#transport.url)),
      options.signal,
    );
  }

  #sampling({ maxTokens, temperature, topP, topK, stop, seed }: StreamOptions) {
    return {
      model: this.model,
      stream: true,
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      ...(topK > 0 && { top_k: topK }),
      ...(stop.length > 0 && { stop: stop.slice(0, MOST_STOPS) }),
      seed: seed >>> 1,
    };
  }

  async #text(path: string, body: unknown, signal?: AbortSignal): Promise<string> {
    const { response, done, touch } = await this.#transport.send(path, body, signal);
    try {
      const decoder = new TextDecoder();
      let text = '';
      for await (const bytes of chunks(response)) {
        touch();
        text += decoder.decode(bytes, { stream: true });
        if (text.length > MOST_ANSWER_BYTES) throw badAnswer(this.#transport.url, 'far too long');
      }
      return text;
    } catch (error) {
      throw broken(error, this.#transport.url, signal);
    } finally {
      done();
    }
  }

  /**
   * llama-cpp-python breaks a stream off when another request comes in, unless a setting forbids it
   * (`--interrupt_requests false`). From then on requests go one at a time, and this one is sent again:
   * with the same seed it begins with what was given already.
   */
  async *#stream(
    path: string,
    body: unknown,
    read: (text: string) => Delta,
    signal?: AbortSignal,
  ): AsyncGenerator<Piece, Streamed> {
    const given: string[] = [];
    for (let repeats = 0; ; repeats++) {
      let at = 0;
      const pieces = this.#streamOnce(path, body, read, signal);
      let step = await pieces.next();
      try {
        for (; !step.done; step = await pieces.next()) {
          const { text } = step.value;
          const before = given[at++];
          if (before === undefined) {
            given.push(text);
            yield step.value;
          } else if (before !== text) throw interrupted(this.#transport.url);
        }
      } finally {
        if (!step.done) await pieces.return({ finish: 'left' });
      }
      if (step.value.finish !== '') return step.value;
      if (repeats === MOST_INTERRUPTIONS || !this.#transport.oneAtATime())
        throw interrupted(this.#transport.url);
    }
  }

  /** `finish` is empty where the server stopped without saying why. */
  async *#streamOnce(
    path: string,
    body: unknown,
    read: (text: string) => Delta,
    signal?: AbortSignal,
  ): AsyncGenerator<Piece, Streamed> {
    const { url } = this.#transport;
    const { response, done, touch } = await this.#transport.send(path, body, signal);
    let finish = '';
    let events = 0;
    try {
      if (!response.body) throw badAnswer(url, 'an empty answer');
      const stream = response.body
        .pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream({ maxBufferSize: MOST_EVENT_CHARS }));
      for await (const { data } of iterate(stream)) {
        touch();
        events += 1;
        if (data === '[DONE]') break;
        const delta = read(data);
        yield* delta.pieces;
        finish = delta.finish ?? finish;
      }
    } catch (error) {
      throw broken(error, url, signal);
    } finally {
      done();
    }
    const type = response.headers.get('content-type') ?? '';
    // llama-cpp-python ends the stream at once where the context is too long for it.
    if (events === 0 && !type.includes('event-stream')) throw badAnswer(url, 'no stream of events');
    return { finish };
  }
}

const interrupted = (url: string): EndpointError =>
  new EndpointError(
    'server',
    `${url} ended its answer without saying why: the server failed meanwhile, the context is longer than it takes, or another request broke in (llama-cpp-python: start it with --interrupt_requests false). Its log tells more.`,
  );

/** Not every browser can iterate over a stream. */
async function* iterate<T>(stream: ReadableStream<T>): AsyncGenerator<T> {
  const reader = stream.getReader();
  let ended = false;
  try {
    for (;;) {
      const part = await reader.read();
      if (part.done) break;
      yield part.value;
    }
    ended = true;
  } finally {
    // Who stops reading stops the server's work as well.
    if (!ended) await reader.cancel().catch(() => undefined);
  }
}

const chunks = (response: Response): AsyncGenerator<Uint8Array> =>
  response.body ? iterate(response.body) : iterate(new ReadableStream({ start: (c) => c.close() }));

function broken(error: unknown, url: string, signal?: AbortSignal): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof EndpointError) return error;
  return new EndpointError(
    'unreachable',
    `${url} broke off in the middle of its answer (${messageOf(error)}).`,
  );
}

/** The server's chat model as judge or summarizer. */
export const endpointTextModel = (client: EndpointClient, id: string): TextModel => ({
  id,
  complete: (messages, options) => client.chat(messages, options),
});
