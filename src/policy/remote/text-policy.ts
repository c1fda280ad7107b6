import type {
  Generated,
  GenerateOptions,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
} from '../policy.ts';
import type { ChatMessage } from '../text-model.ts';
import type { TextBackend, TextChunk, TextRequest, Turns } from './text-backend.ts';
import { markedMessage, PieceTokenizer } from './tokenizer.ts';

/**
 * A policy over a backend that gives text. A context is its pieces; each `generate` sends all of them
 * as text. Lengths and limits count pieces, an estimate of the model's tokens. Where the server names
 * its tokens with their log-probabilities, these are the pieces; else the text is cut into pieces here
 * and there are no log-probabilities. Entropies are never given: they need the whole vocabulary.
 */
export class TextPolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer = new PieceTokenizer();
  readonly chat?: PolicyChat;
  readonly #backend: TextBackend;

  constructor(backend: TextBackend) {
    this.#backend = backend;
    this.info = backend.info;
    if (backend.turns !== 'none') this.chat = { render: renderMarked };
  }

  open(seed: number): Promise<PolicySession> {
    return Promise.resolve(new TextSession(this.#backend, this.tokenizer, seed, []));
  }

  dispose(): void {
    this.#backend.dispose?.();
  }
}

/** @throws Error for results of tools: a server's own template is not known here */
const renderMarked: PolicyChat['render'] = (messages) =>
  [...messages, { role: 'assistant' as const, content: '' }]
    .map(({ role, content }) => {
      if (role === 'tool') throw new Error('messages of tools are not sent to a server');
      return markedMessage({ role, content });
    })
    .join('');

/** Characters; the tags of the protocol are shorter by far. */
const LONGEST_STOP = 256;

/** What one call has given so far. */
interface Reply {
  output: Generated;
  /** The end of its text, in which a stop text may have begun. */
  text: string;
  /** Every token so far came with its log-probability. */
  known: boolean;
}

/** A context of pieces as the messages of a chat. */

/** One piece of a context and whether the policy sampled it. */
interface ContextPiece {
  id: number;
  sampled: boolean;
}

/**
 * Asked of the model where its last word is at the end and its server only answers the user. It is
 * in the request alone, not in the record of the rollout.
 */
export const GO_ON = 'Go on.';

/** Asked where the environment opened a block in the model's place, in the request alone too. */
export const CLOSE_IT =
  'Go on exactly where this ends, and close every brace and every tag that is open.';

/**
 * With `continue`, everything after the assistant's mark is one assistant message, also text
 * that the policy did not write. With `alternate`, such text is a user message.
 */
function messagesOf(
  context: readonly ContextPiece[],
  tokenizer: PieceTokenizer,
  turns: Turns,
): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let turn: ChatMessage['role'] = 'user';
  for (const { id, sampled } of context) {
    const marked = tokenizer.roleOf(id);
    if (marked) {
      turn = marked;
      if (turns === 'continue' || marked !== 'assistant')
        messages.push({ role: turn, content: '' });
      continue;
    }
    const role = turns === 'alternate' && turn === 'assistant' && !sampled ? 'user' : turn;
    const last = messages.at(-1);
    const content = tokenizer.decode([id]);
    if (last?.role === role) last.content += content;
    else messages.push({ role, content });
  }
  const said = messages.filter(({ content }) => content.trim() !== '');
  return turns === 'alternate' ? asking(said) : said;
}

/**
 * Where a server takes no beginning of an answer (`alternate`), a block that the environment opened
 * is at the end of the user's message, and the model's reply may begin with it again. That
 * repetition is cut from the reply, so that the context holds it once.
 */

/** A tag and what follows it, at the end of a text, without another tag: a block that is left open. */
const OPEN_BLOCK = /<[a-z_]+>[^<>]*$/;

/** The block that a text leaves open, from its tag on; empty where there is none. */
const openBlock = (text: string): string => OPEN_BLOCK.exec(text)?.[0] ?? '';

const bare = (text: string): string => text.replace(/\s+/g, '');

export class Echo {
  /** What may be repeated, without white space; empty once that is decided. */
  #expected: string;
  #held = '';

  /** @param given text that the reply follows */
  constructor(given: string) {
    this.#expected = bare(openBlock(given));
  }

  /** Whether texts still have to pass through here. */
  get undecided(): boolean {
    return this.#expected !== '';
  }

  /** Takes the reply's next text. @returns what of the reply is known to be new */
  push(text: string): string {
    this.#held += text;
    const expected = this.#expected;
    const said = bare(this.#held);
    if (expected.startsWith(said) && said !== expected) return '';
    this.#expected = '';
    return said.startsWith(expected) ? this.#behind(expected.length) : this.#held;
  }

  /** The reply is over. @returns what was held back */
  end(): string {
    const held = this.undecided ? this.#held : '';
    this.#expected = '';
    return held;
  }

  /** What is held after its first `count` characters that are no white space. */
  #behind(count: number): string {
    let seen = 0;
    for (let i = 0; i < this.#held.length; i++) {
      if (/\S/.test(this.#held[i] ?? '')) seen++;
      if (seen === count) return this.#held.slice(i + 1);
    }
    return '';
  }
}

/** Messages of which the last is a question to the model. */
function asking(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return [...messages, { role: 'user', content: GO_ON }];
  if (last?.role !== 'user' || openBlock(last.content) === '') return messages;
  const asked = { ...last, content: `${last.content}\n\n${CLOSE_IT}` };
  return [...messages.slice(0, -1), asked];
}

class TextSession implements PolicySession {
  readonly #backend: TextBackend;
  readonly #tokenizer: PieceTokenizer;
  readonly #seed: number;
  readonly #context: ContextPiece[];
  #calls = 0;
  #under: AbortController | null = null;
  #closed = false;

  constructor(
    backend: TextBackend,
    tokenizer: PieceTokenizer,
    seed: number,
    context: readonly ContextPiece[],
  ) {
    this.#backend = backend;
    this.#tokenizer = tokenizer;
    this.#seed = seed;
    this.#context = [...context];
  }

  /** Pieces, an estimate of tokens. */
  get length(): number {
    return this.#context.length;
  }

  append(ids: readonly number[]): void {
    this.#check();
    this.#tokenizer.decode(ids);
    for (const id of ids) this.#context.push({ id, sampled: false });
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    this.#check();
    const output: Generated = { ids: [], logprobs: [], entropies: [], finish: 'length' };
    if (options.maxTokens <= 0 || options.forced) return output;
    if (options.signal?.aborted) return { ...output, finish: 'abort' };
    const under = new AbortController();
    const abort = (): void => under.abort(options.signal?.reason);
    this.#under = under;
    options.signal?.addEventListener('abort', abort);
    const reply: Reply = { output, text: options.stopPrefix ?? '', known: true };
    try {
      output.finish = await this.#read(reply, options, under.signal);
    } catch (error) {
      if (!under.signal.aborted) throw error;
      output.finish = 'abort';
    } finally {
      this.#under = null;
      under.abort();
      options.signal?.removeEventListener('abort', abort);
    }
    if (!reply.known) output.logprobs = [];
    return output;
  }

  fork(seed: number): Promise<PolicySession> {
    this.#check();
    return Promise.resolve(new TextSession(this.#backend, this.#tokenizer, seed, this.#context));
  }

  close(): void {
    this.#closed = true;
    this.#under?.abort();
  }

  /** Reads the stream up to whatever ends it; leaving the loop ends the request. */
  async #read(
    reply: Reply,
    options: GenerateOptions,
    signal: AbortSignal,
  ): Promise<Generated['finish']> {
    const echo = new Echo(this.#backend.turns === 'alternate' ? this.#given() : '');
    let told: TextChunk['finish'];
    for await (const chunk of this.#backend.stream(this.#request(options, signal))) {
      const end = this.#take(reply, options, unrepeated(echo, chunk));
      if (end) return end;
      if (signal.aborted) return 'abort';
      told = chunk.finish ?? told;
    }
    if (signal.aborted) return 'abort';
    const end = this.#take(reply, options, { text: echo.end() });
    if (end) return end;
    return told === 'length' ? 'length' : this.#takeEnd(reply, options);
  }

  /** Adds a chunk's pieces. @returns why sampling is over with one of them */
  #take(reply: Reply, options: GenerateOptions, chunk: TextChunk): Generated['finish'] | null {
    const { text, logprob } = chunk;
    if (text === '') return null;
    const ids =
      logprob === undefined ? this.#tokenizer.encodeText(text) : [this.#tokenizer.intern(text)];
    for (const id of ids) {
      this.#add(reply, options, id, logprob);
      reply.text = reply.text.slice(-LONGEST_STOP) + this.#tokenizer.decode([id]);
      if (options.stopIds.includes(id)) return 'stop';
      if (options.stopTexts?.some((stop) => reply.text.includes(stop))) return 'stop';
      if (reply.output.ids.length >= options.maxTokens) return 'length';
      if (this.length >= this.#backend.info.maxContext) return 'context';
    }
    return null;
  }

  /** The model ended its turn: an id without text, whose log-probability no server tells. */
  #takeEnd(reply: Reply, options: GenerateOptions): Generated['finish'] {
    const { endOfText } = this.#tokenizer;
    const known = reply.known;
    this.#add(reply, options, endOfText, undefined);
    reply.known = known;
    return options.stopIds.includes(endOfText) ? 'stop' : 'length';
  }

  #add(reply: Reply, options: GenerateOptions, id: number, logprob: number | undefined): void {
    this.#context.push({ id, sampled: true });
    reply.output.ids.push(id);
    if (logprob === undefined) reply.known = false;
    else reply.output.logprobs.push(logprob);
    options.onTokens?.({
      ids: [id],
      logprobs: logprob === undefined ? [] : [logprob],
      entropies: [],
    });
  }

  #request(options: GenerateOptions, signal: AbortSignal): TextRequest {
    const { turns } = this.#backend;
    return {
      prefix: this.#tokenizer.decode(this.#context.map(({ id }) => id)),
      messages: turns === 'none' ? [] : messagesOf(this.#context, this.#tokenizer, turns),
      maxTokens: options.maxTokens,
      ...options.sampling,
      stop: options.stopTexts ?? [],
      // One seed per call: the same one would repeat the same draws.
      seed: (Math.imul(this.#seed, 0x9e3779b1) + Math.imul(this.#calls++, 0x85ebca6b)) >>> 0,
      signal,
    };
  }

  /** Text after the policy's last own word. */
  #given(): string {
    const last = this.#context.findLastIndex(({ sampled }) => sampled);
    return this.#tokenizer.decode(this.#context.slice(last + 1).map(({ id }) => id));
  }

  #check(): void {
    if (this.#closed) throw new Error('policy: this session is closed');
    if (this.#under) throw new Error('policy: this session is generating; calls must not overlap');
  }
}

/** A chunk without what it repeats; a token that was cut has no log-probability of its own. */
function unrepeated(echo: Echo, chunk: TextChunk): TextChunk {
  if (!echo.undecided) return chunk;
  const text = echo.push(chunk.text);
  return text === chunk.text ? chunk : { text };
}
