import type {
  LoraValues,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../policy.ts';

/** A session that tells the pool when it is over. */
class PooledSession implements PolicySession {
  readonly #inner: PolicySession;
  readonly #pool: PolicyPool;
  readonly #member: number;
  #closed = false;

  constructor(inner: PolicySession, pool: PolicyPool, member: number) {
    this.#inner = inner;
    this.#pool = pool;
    this.#member = member;
    pool.load[member]!++;
  }

  get length(): number {
    return this.#inner.length;
  }

  append(ids: readonly number[]): void {
    this.#inner.append(ids);
  }

  generate(...args: Parameters<PolicySession['generate']>): ReturnType<PolicySession['generate']> {
    return this.#inner.generate(...args);
  }

  /** Forks stay where their past is. */
  async fork(seed: number): Promise<PolicySession> {
    return new PooledSession(await this.#inner.fork(seed), this.#pool, this.#member);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#pool.load[this.#member]!--;
    this.#inner.close();
  }
}

/**
 * Several engines with the same weights as one policy, one a processor core. A session lives on the
 * engine with the fewest sessions; what it generates does not depend on which one that is. Engines that
 * are given as yet to be started are started by the first session that finds all others taken.
 */
export class PolicyPool implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly chat?: PolicyChat;
  /** There where all members have it. */
  readonly setAdapter?: NonNullable<Policy['setAdapter']>;
  /** Open sessions of each member. */
  readonly load: number[];
  readonly #members: Policy[];
  readonly #later: (() => Promise<Policy>)[];
  /** The start of the next member, that one at a time is under way. */
  #starting: Promise<void> | null = null;
  /** What all members have; undefined as long as nobody set one. */
  #adapter: LoraValues | null | undefined;
  #disposed = false;

  /**
   * @param later start further members, which have to take adapters where the others do
   * @throws Error where there is no member, or members differ in weights.
   */
  constructor(members: readonly Policy[], later: readonly (() => Promise<Policy>)[] = []) {
    const first = members[0];
    if (!first) throw new Error('policy pool: it has no members');
    if (members.some((member) => member.info.revision !== first.info.revision))
      throw new Error('policy pool: its members have different weights');
    this.info = first.info;
    this.tokenizer = first.tokenizer;
    if (first.chat) this.chat = first.chat;
    this.load = members.map(() => 0);
    this.#members = [...members];
    this.#later = [...later];
    if (members.every((member) => member.setAdapter !== undefined))
      this.setAdapter = (adapter) => this.#adapt(adapter);
  }

  async open(seed: number, drawn = 0): Promise<PolicySession> {
    while (Math.min(...this.load) > 0 && (this.#later.length > 0 || this.#starting)) {
      this.#starting ??= this.#start().finally(() => (this.#starting = null));
      await this.#starting;
    }
    const member = this.load.indexOf(Math.min(...this.load));
    this.load[member]!++;
    try {
      return new PooledSession(await this.#members[member]!.open(seed, drawn), this, member);
    } finally {
      this.load[member]!--;
    }
  }

  /** Where one cannot be started, as without its server, those that are there go on alone. */
  async #start(): Promise<void> {
    const next = this.#later.shift();
    if (!next) return;
    try {
      const member = await next();
      if (member.info.revision !== this.info.revision)
        throw new Error('policy pool: its members have different weights');
      if (this.#adapter !== undefined) await member.setAdapter?.(this.#adapter);
      if (this.#disposed) return member.dispose();
      this.#members.push(member);
      this.load.push(0);
    } catch (error) {
      console.warn('A further engine could not be started:', error);
    }
  }

  async #adapt(adapter: LoraValues | null): Promise<void> {
    // It takes what was set when it began.
    await this.#starting;
    this.#checkIdle();
    this.#adapter = adapter;
    await Promise.all(
      this.#members.map((member) => {
        if (!member.setAdapter) throw new Error('policy: it takes no adapter');
        return member.setAdapter(adapter);
      }),
    );
  }

  #checkIdle(): void {
    const open = this.load.reduce((sum, count) => sum + count, 0);
    if (open > 0)
      throw new Error(`policy: ${open} sessions are open; weights change between rollouts only`);
  }

  dispose(): void {
    this.#disposed = true;
    for (const member of this.#members) member.dispose();
  }
}
