import type { Policy, PolicySession, SampledTokens } from '../policy.ts';
import type { Channel, FromPolicy, StreamedTokens, ToPolicy } from './messages.ts';

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** Serves a policy to the other end of a channel, for `connectPolicy`. */
export function servePolicy(policy: Policy, channel: Channel<ToPolicy, FromPolicy>): void {
  const server = new PolicyServer(policy, channel);
  channel.addEventListener('message', (event) => server.handle(event.data));
  channel.start?.();
  channel.postMessage({ type: 'ready', info: policy.info });
}

class PolicyServer {
  readonly #policy: Policy;
  readonly #channel: Channel<ToPolicy, FromPolicy>;
  readonly #sessions = new Map<number, Promise<PolicySession>>();
  readonly #aborts = new Map<number, AbortController>();
  #added: StreamedTokens[] = [];

  constructor(policy: Policy, channel: Channel<ToPolicy, FromPolicy>) {
    this.#policy = policy;
    this.#channel = channel;
  }

  handle(message: ToPolicy): void {
    switch (message.type) {
      case 'open':
        this.#sessions.set(message.session, this.#policy.open(message.seed));
        break;
      case 'fork':
        this.#sessions.set(
          message.session,
          this.#find(message.parent).then((parent) => parent.fork(message.seed)),
        );
        break;
      case 'append':
        this.#do(message.session, (session) => session.append(message.ids));
        break;
      case 'generate':
        this.#do(message.session, (session) => this.#generate(session, message));
        break;
      case 'abort':
        this.#aborts.get(message.session)?.abort();
        break;
      case 'close':
        this.#do(message.session, (session) => session.close());
        this.#sessions.delete(message.session);
        break;
      case 'dispose':
        this.#policy.dispose();
        break;
    }
  }

  #find(id: number): Promise<PolicySession> {
    return (
      this.#sessions.get(id) ?? Promise.reject(new Error(`policy: there is no session ${id} here`))
    );
  }

  /** Runs in the order of the messages: each waits for the same promise of the session. */
  #do(id: number, action: (session: PolicySession) => void | Promise<void>): void {
    this.#find(id)
      .then(action)
      .catch((error: unknown) =>
        this.#channel.postMessage({ type: 'failed', session: id, reason: reasonOf(error) }),
      );
  }

  async #generate(
    session: PolicySession,
    message: Extract<ToPolicy, { type: 'generate' }>,
  ): Promise<void> {
    const abort = new AbortController();
    const id = message.session;
    this.#aborts.set(id, abort);
    try {
      const generated = await session.generate({
        maxTokens: message.maxTokens,
        stopIds: message.stopIds,
        sampling: message.sampling,
        signal: abort.signal,
        ...(message.stream ? { onTokens: (added) => this.#collect(id, added) } : {}),
      });
      this.#deliver();
      this.#channel.postMessage({
        type: 'generated',
        session: id,
        generated,
        length: session.length,
      });
    } finally {
      this.#aborts.delete(id);
    }
  }

  #collect(session: number, added: SampledTokens): void {
    if (this.#added.length === 0) queueMicrotask(() => this.#deliver());
    this.#added.push({ session, ...added });
  }

  #deliver(): void {
    if (this.#added.length === 0) return;
    this.#channel.postMessage({ type: 'tokens', added: this.#added });
    this.#added = [];
  }
}
