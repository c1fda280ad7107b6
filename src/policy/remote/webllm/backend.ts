import type { z } from 'zod';
import { issueOf } from '../../../base/errors.ts';
import type { ChatCompletionChunk, MLCEngineInterface } from '@mlc-ai/web-llm';
import { chatChunk, chatDelta } from '../endpoint/wire.ts';
import type { TextBackend, TextChunk, TextRequest } from '../text-backend.ts';
import type { PolicyInfo } from '../../policy.ts';
import type { ChatMessage, CompletionOptions, TextModel } from '../../text-model.ts';

/** What is used of the library's engine, in its worker or not. */
export type WebLlmEngine = Pick<MLCEngineInterface, 'chat' | 'interruptGenerate' | 'unload'>;

const cancelled = (signal: AbortSignal): Error =>
  signal.reason instanceof Error ? signal.reason : new Error('cancelled');

/** One request after another: a second one would break the first one's context. */
class Turnstile {
  #last: Promise<unknown> = Promise.resolve();

  /** @returns what must be called to let the next one in */
  async enter(signal: AbortSignal | undefined): Promise<() => void> {
    const before = this.#last;
    let leave = (): void => undefined;
    this.#last = new Promise<void>((resolve) => {
      leave = resolve;
    });
    await before;
    if (signal?.aborted) {
      leave();
      throw cancelled(signal);
    }
    return leave;
  }
}

const LOGPROBS =
  'WebLLM’s: natural logarithm of the softmax after temperature, of the sampled token';

/** @throws Error where the library gives something else than it describes */
function chunkOf(value: unknown): z.infer<typeof chatChunk> {
  const { data, error } = chatChunk.safeParse(value);
  if (data) return data;
  throw new Error(`WebLLM’s answer has an unknown format (${issueOf(error)})`);
}

/**
 * A WebLLM model after a text policy, as judge and as summarizer. It samples and does not train.
 * `lost` ends what is under way when the worker of the engine is gone.
 */
export class WebLlmBackend implements TextBackend, TextModel {
  readonly info: PolicyInfo;
  readonly turns = 'alternate' as const;
  readonly #engine: WebLlmEngine;
  readonly #turnstile = new Turnstile();
  readonly #gone: Promise<never>;
  readonly #end: () => void;
  #lose: (reason: Error) => void = () => undefined;

  /** @param end ends the worker, once the engine gave its memory back */
  constructor(
    engine: WebLlmEngine,
    model: { id: string; maxContext: number },
    end: () => void = () => undefined,
  ) {
    this.#engine = engine;
    this.#end = end;
    this.info = {
      id: model.id,
      revision: '',
      parameters: 0,
      maxContext: model.maxContext,
      device: 'webgpu',
      // The list's names end like `-q4f16_1-MLC`.
      dtype: /-(q\d+\w*?)(-MLC)?$/.exec(model.id)?.[1] ?? '',
      logprobs: LOGPROBS,
      logprobsOf: 'temperature',
    };
    this.#gone = new Promise((_, reject) => {
      this.#lose = reject;
    });
    this.#gone.catch(() => undefined);
  }

  get id(): string {
    return this.info.id;
  }

  lost(reason: Error): void {
    this.#lose(reason);
  }

  async *stream(request: TextRequest): AsyncGenerator<TextChunk> {
    const { messages, maxTokens, temperature, topP, seed, signal } = request;
    const leave = await this.#turnstile.enter(signal);
    try {
      const chunks = await this.#alive(
        this.#engine.chat.completions.create({
          stream: true,
          messages: [...messages],
          max_tokens: maxTokens,
          temperature,
          top_p: topP,
          seed: seed >>> 1,
          logprobs: true,
          top_logprobs: 1,
        }),
      );
      yield* this.#read(chunks[Symbol.asyncIterator](), signal);
    } finally {
      leave();
    }
  }

  /** Messages to text, greedy or sampled, as a judge or a summarizer asks for it. */
  async complete(messages: readonly ChatMessage[], options: CompletionOptions): Promise<string> {
    const { maxTokens, temperature, stop = [], seed = 0 } = options;
    const signal = options.signal ?? new AbortController().signal;
    let text = '';
    const request = { prefix: '', messages, maxTokens, temperature, topP: 1, topK: 0, stop, seed };
    for await (const chunk of this.stream({ ...request, signal })) {
      text += chunk.text;
      const end = stop.map((word) => text.indexOf(word)).filter((at) => at >= 0);
      if (end.length > 0) return text.slice(0, Math.min(...end));
    }
    return text;
  }

  async #alive<T>(promise: Promise<T>): Promise<T> {
    return Promise.race([promise, this.#gone]);
  }

  /** The engine stops only on request, and its stream must be read to the end before the next request. */
  async *#read(
    chunks: AsyncIterator<ChatCompletionChunk>,
    signal: AbortSignal,
  ): AsyncGenerator<TextChunk> {
    const interrupt = (): void => this.#engine.interruptGenerate();
    signal.addEventListener('abort', interrupt, { once: true });
    let ended = false;
    try {
      for (;;) {
        const step = await this.#alive(chunks.next());
        if (step.done) break;
        if (signal.aborted) continue;
        const { pieces, finish } = chatDelta(chunkOf(step.value));
        for (const piece of pieces) yield piece;
        if (finish !== null) yield { text: '', finish: finish === 'length' ? 'length' : 'end' };
      }
      ended = true;
      if (signal.aborted) throw cancelled(signal);
    } finally {
      signal.removeEventListener('abort', interrupt);
      if (!ended) await this.#drain(chunks);
    }
  }

  async #drain(chunks: AsyncIterator<ChatCompletionChunk>): Promise<void> {
    this.#engine.interruptGenerate();
    try {
      while (!(await this.#alive(chunks.next())).done);
    } catch {
      // The reader got the error; a lost engine has nothing left to drain.
    }
  }

  dispose(): void {
    this.#lose(new Error('the WebLLM model was closed'));
    this.#engine
      .unload()
      .catch(() => undefined)
      .finally(this.#end);
  }
}
