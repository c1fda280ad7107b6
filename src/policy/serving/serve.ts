import { messageOf } from '../../base/errors.ts';
import type { Policy, PolicySession, SampledTokens } from '../policy.ts';
import type { Channel, FromPolicy, StreamedTokens, ToPolicy } from './messages.ts';
import type { Work } from '../watchdog.ts';

/** Tokens of all sessions are handed on together, this often at most. */
const BATCH_MS = 30;

/** Progress is reported at most this often, except when its kind changes. */
const SIGN_MS = 1000;

/** Serves a policy to the other end of a channel, for `connectPolicy`. */
export function servePolicy(policy: Policy, channel: Channel<ToPolicy, FromPolicy>): void {
  const server = new PolicyServer(policy, channel);
  channel.addEventListener('message', (event) => server.handle(event.data));
  channel.start?.();
  channel.postMessage({
    type: 'ready',
    info: policy.info,
    adapts: policy.setAdapter !== undefined,
  });
}

function appendTo(session: PolicySession, ids: readonly number[]): PolicySession {
  try {
    session.append(ids);
    return session;
  } catch (error) {
    session.close();
    throw error;
  }
}

class PolicyServer {
  readonly #policy: Policy;
  readonly #channel: Channel<ToPolicy, FromPolicy>;
  /** A session that could not be opened or appended to is a rejection, told when it generates. */
  readonly #sessions = new Map<number, Promise<PolicySession>>();
  readonly #aborts = new Map<number, AbortController>();
  readonly #batch = new Map<number, StreamedTokens>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  #told: { work: Work; at: number } | null = null;

  constructor(policy: Policy, channel: Channel<ToPolicy, FromPolicy>) {
    this.#policy = policy;
    this.#channel = channel;
    policy.onWork?.((work) => this.#sign(work));
  }

  /** Messages of a session take effect in their order: each waits for the one before. */
  handle(message: ToPolicy): void {
    switch (message.type) {
      case 'open':
        this.#keep(message.session, this.#policy.open(message.seed, message.drawn));
        break;
      case 'fork':
        this.#keep(
          message.session,
          this.#find(message.parent).then((parent) => parent.fork(message.seed)),
        );
        break;
      case 'append':
        this.#keep(
          message.session,
          this.#find(message.session).then((session) => appendTo(session, message.ids)),
        );
        break;
      case 'generate':
        void this.#generate(message);
        break;
      case 'abort':
        this.#aborts.get(message.session)?.abort();
        break;
      case 'close':
        this.#find(message.session).then(
          (session) => session.close(),
          () => undefined,
        );
        this.#sessions.delete(message.session);
        break;
      case 'adapt':
        void this.#adapt(message.call, () => {
          if (!this.#policy.setAdapter) throw new Error('policy: it takes no adapter');
          return this.#policy.setAdapter(message.adapter);
        });
        break;
      case 'dispose':
        this.#policy.dispose();
        break;
    }
  }

  /** Sent at once, so that it arrives also where the thread is busy from then on. */
  #sign(work: Work): void {
    const at = performance.now();
    if (this.#told?.work === work && at - this.#told.at < SIGN_MS) return;
    this.#told = { work, at };
    this.#channel.postMessage({ type: 'working', work });
  }

  async #adapt(call: number, change: () => Promise<void>): Promise<void> {
    let failure: string | null = null;
    try {
      await change();
    } catch (error) {
      failure = messageOf(error);
    }
    this.#channel.postMessage({ type: 'adapted', call, failure });
  }

  #keep(id: number, session: Promise<PolicySession>): void {
    session.catch(() => undefined);
    this.#sessions.set(id, session);
  }

  #find(id: number): Promise<PolicySession> {
    return (
      this.#sessions.get(id) ?? Promise.reject(new Error(`policy: there is no session ${id} here`))
    );
  }

  async #generate(message: Extract<ToPolicy, { type: 'generate' }>): Promise<void> {
    const { type: _, session: id, ...options } = message;
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    try {
      const session = await this.#find(id);
      const generated = await session.generate({
        ...options,
        signal: abort.signal,
        onTokens: (added) => this.#collect(id, added),
      });
      this.#deliver();
      this.#channel.postMessage({
        type: 'generated',
        session: id,
        generated,
        length: session.length,
      });
    } catch (error) {
      this.#deliver();
      const name = error instanceof Error ? error.name : 'Error';
      this.#channel.postMessage({ type: 'failed', session: id, name, reason: messageOf(error) });
    } finally {
      this.#aborts.delete(id);
    }
  }

  #collect(session: number, { ids, logprobs, entropies }: SampledTokens): void {
    this.#timer ??= setTimeout(() => this.#deliver(), BATCH_MS);
    const held = this.#batch.get(session);
    if (held) {
      held.ids.push(...ids);
      held.logprobs.push(...logprobs);
      held.entropies.push(...entropies);
    } else
      this.#batch.set(session, {
        session,
        ids: [...ids],
        logprobs: [...logprobs],
        entropies: [...entropies],
      });
  }

  #deliver(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#batch.size === 0) return;
    this.#channel.postMessage({ type: 'tokens', added: [...this.#batch.values()] });
    this.#batch.clear();
  }
}
