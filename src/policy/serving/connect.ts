import type {
  Generated,
  GenerateOptions,
  LoraValues,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
  SampledTokens,
} from '../policy.ts';
import { EngineFault } from '../engine-fault.ts';
import type { Channel, FromPolicy, ToPolicy } from './messages.ts';
import { NonFiniteLogits } from '../generation/non-finite.ts';
import { PATIENCE, type Patience, type PolicyStuck, Watchdog } from '../watchdog.ts';
import { errorOf } from '../../base/errors.ts';

type Port = Channel<FromPolicy, ToPolicy>;

interface Waiting {
  readonly options: GenerateOptions;
  readonly resolve: (generated: Generated) => void;
  readonly reject: (reason: Error) => void;
  /** What its own listener threw: the call ends with that once the far end has let go of it. */
  broke: Error | null;
}

/** An error of the far end, of its type where that is one of ours. */
const rebuilt = (name: string, reason: string): Error => {
  if (name === 'NonFiniteLogits') return new NonFiniteLogits(reason);
  return name === 'EngineFault' ? new EngineFault(reason) : new Error(reason);
};

class RemoteSession implements PolicySession {
  readonly id: number;
  readonly #policy: RemotePolicy;
  length: number;
  waiting: Waiting | null = null;
  #closed = false;

  constructor(policy: RemotePolicy, id: number, length: number) {
    this.#policy = policy;
    this.id = id;
    this.length = length;
  }

  append(ids: readonly number[]): void {
    this.#check();
    this.length += ids.length;
    this.#policy.send({ type: 'append', session: this.id, ids });
  }

  async generate(options: GenerateOptions): Promise<Generated> {
    this.#check();
    const abort = (): void => this.#policy.tell({ type: 'abort', session: this.id });
    const result = new Promise<Generated>((resolve, reject) => {
      this.waiting = { options, resolve, reject, broke: null };
    });
    const { signal, onTokens: _, ...asked } = options;
    try {
      this.#policy.send({ type: 'generate', session: this.id, ...asked });
      this.#policy.watch();
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort);
      return await result;
    } finally {
      this.waiting = null;
      this.#policy.watch();
      signal?.removeEventListener('abort', abort);
    }
  }

  fork(seed: number): Promise<PolicySession> {
    this.#check();
    return Promise.resolve(this.#policy.forked(this, seed));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#policy.closed(this);
  }

  /** Hands tokens on. A listener that throws ends this call, and no other. */
  take(added: SampledTokens): void {
    const { waiting } = this;
    if (!waiting || waiting.broke) return;
    try {
      waiting.options.onTokens?.(added);
    } catch (error) {
      waiting.broke = errorOf(error);
      this.#policy.tell({ type: 'abort', session: this.id });
    }
  }

  settle(generated: Generated, length: number): void {
    this.length = length;
    const { waiting } = this;
    if (waiting?.broke) waiting.reject(waiting.broke);
    else waiting?.resolve(generated);
  }

  fail(error: Error): void {
    this.waiting?.reject(this.waiting.broke ?? error);
  }

  #check(): void {
    if (this.#closed) throw new Error('policy: this session is closed');
    if (this.waiting) throw new Error('policy: this session is generating; calls must not overlap');
  }
}

/** The near end of a policy in a worker. */
export class RemotePolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly chat?: PolicyChat;
  readonly setAdapter?: NonNullable<Policy['setAdapter']>;
  readonly #port: Port;
  readonly #onSampled: (count: number) => void;
  readonly #sessions = new Map<number, RemoteSession>();
  readonly #adapting = new Map<number, { resolve(): void; reject(reason: Error): void }>();
  readonly #gone: (error: Gone) => void;
  readonly #watchdog: Watchdog;
  #next = 0;
  #fault: Error | null = null;

  constructor(
    port: Port,
    { info, adapts }: Extract<FromPolicy, { type: 'ready' }>,
    tokenizer: PolicyTokenizer,
    { chat, onSampled, onGone, patience = PATIENCE }: ConnectOptions,
  ) {
    this.#port = port;
    this.#onSampled = onSampled ?? (() => undefined);
    this.#gone = (error) => {
      onGone?.(error);
      this.lost(error);
    };
    this.#watchdog = new Watchdog(patience, this.#gone);
    if (adapts) this.setAdapter = (adapter) => this.#adapt(adapter);
    this.info = info;
    this.tokenizer = tokenizer;
    if (chat) this.chat = chat;
    port.addEventListener('message', (event) => this.#receive(event.data));
  }

  /** @throws Error where the policy is lost. */
  send(message: ToPolicy): void {
    if (this.#fault) throw this.#fault;
    this.#port.postMessage(message);
  }

  /** For what a lost policy need not know. */
  tell(message: ToPolicy): void {
    if (!this.#fault) this.#port.postMessage(message);
  }

  async open(seed: number, drawn = 0): Promise<PolicySession> {
    const session = this.#register(0);
    this.send({ type: 'open', session: session.id, seed, drawn });
    return session;
  }

  forked(parent: RemoteSession, seed: number): RemoteSession {
    const session = this.#register(parent.length);
    this.send({ type: 'fork', session: session.id, parent: parent.id, seed });
    return session;
  }

  closed(session: RemoteSession): void {
    this.#sessions.delete(session.id);
    session.waiting?.resolve({ ids: [], logprobs: [], entropies: [], finish: 'abort' });
    this.tell({ type: 'close', session: session.id });
  }

  /** Watches over the far end exactly as long as it is to generate. */
  watch(): void {
    this.#watchdog.watch(
      !this.#fault && [...this.#sessions.values()].some((session) => session.waiting !== null),
    );
  }

  async #adapt(adapter: LoraValues | null): Promise<void> {
    const call = this.#next++;
    const done = new Promise<void>((resolve, reject) => {
      this.#adapting.set(call, { resolve, reject });
    });
    try {
      this.send({ type: 'adapt', call, adapter });
      await done;
    } finally {
      this.#adapting.delete(call);
    }
  }

  /** Rejects all calls, those to come too, with `reason`: what is after the channel is gone. */
  lost(reason: Error): void {
    if (this.#fault) return;
    this.#fault = reason;
    for (const session of this.#sessions.values()) session.waiting?.reject(reason);
    for (const call of this.#adapting.values()) call.reject(reason);
    this.watch();
  }

  dispose(): void {
    this.tell({ type: 'dispose' });
    this.lost(new Error('policy: it was disposed'));
  }

  #register(length: number): RemoteSession {
    const session = new RemoteSession(this, this.#next++, length);
    this.#sessions.set(session.id, session);
    return session;
  }

  #receive(message: FromPolicy): void {
    this.#watchdog.sign(message.type === 'working' ? message.work : undefined);
    if (message.type === 'tokens')
      for (const { session, ...added } of message.added) {
        this.#onSampled(added.ids.length);
        this.#sessions.get(session)?.take(added);
      }
    else if (message.type === 'generated')
      this.#sessions.get(message.session)?.settle(message.generated, message.length);
    else if (message.type === 'adapted') {
      const call = this.#adapting.get(message.call);
      if (message.failure === null) call?.resolve();
      else call?.reject(new Error(message.failure));
    } else if (message.type === 'failed') {
      const error = rebuilt(message.name, message.reason);
      this.#sessions.get(message.session)?.fail(error);
      if (error instanceof EngineFault) this.#gone(error);
    }
  }
}

export type Gone = PolicyStuck | EngineFault;

export interface ConnectOptions {
  chat?: PolicyChat | undefined;
  /** Told how many tokens came, of all sessions together. */
  onSampled?: (count: number) => void;
  /**
   * Told when the far end is of no use any more, because it gives no sign of work or its engine cannot
   * continue, before all calls reject: end it then.
   */
  onGone?: (error: Gone) => void;
  patience?: Patience;
}

/**
 * Connects to a policy that `servePolicy` offers at the other end; resolves when it is ready. The
 * tokenizer and the chat template work on this side, since their calls are synchronous.
 */
export function connectPolicy(
  port: Port,
  tokenizer: PolicyTokenizer,
  options: ConnectOptions = {},
): Promise<RemotePolicy> {
  return new Promise((resolve) => {
    const onReady = (event: MessageEvent<FromPolicy>): void => {
      if (event.data.type !== 'ready') return;
      port.removeEventListener('message', onReady);
      resolve(new RemotePolicy(port, event.data, tokenizer, options));
    };
    port.addEventListener('message', onReady);
    port.start?.();
  });
}
