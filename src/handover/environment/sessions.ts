import { groupBy } from '../../base/items.ts';
import type { PolicyTokenizer } from '../../policy/policy.ts';
import type { Answer } from './protocol.ts';
import { Refusal } from './refusal.ts';
import { Session, turnKey, type Accepted, type TurnMessage } from './session.ts';

export interface SessionLimits {
  /** Rollouts that may be open at a time. */
  rollouts: number;
  /** Rollouts that wait longer for tokens are given up. */
  expireSeconds: number;
  /** Characters of results that are kept for callers who lost a reply. */
  keptChars: number;
}

/** A rollout and what of the call is about it. */
interface Part {
  session: Session;
  key: string;
  accepted: Accepted[] | null;
}

const sessionOf = (request: string): string => request.slice(0, request.lastIndexOf('#'));

/** The rollouts that are open, and the last that ended: neither grows with the length of a run. */
export class Sessions {
  readonly #limits: SessionLimits;
  readonly #now: () => number;
  readonly #vocabulary: number;
  readonly #decode: (ids: readonly number[]) => string;
  readonly #open = new Map<string, Session>();
  /** In the order in which they ended. */
  readonly #ended = new Map<string, Session>();
  #endedChars = 0;
  #finished = 0;
  #expired = 0;

  constructor(
    limits: SessionLimits,
    tokenizer: Pick<PolicyTokenizer, 'decode'>,
    vocabulary: number,
    now: () => number,
  ) {
    this.#limits = limits;
    this.#now = now;
    this.#vocabulary = vocabulary;
    this.#decode = (ids) => tokenizer.decode(ids);
  }

  get counts(): { open: number; finished: number; expired: number } {
    return { open: this.#open.size, finished: this.#finished, expired: this.#expired };
  }

  /**
   * A rollout that was opened before.
   * @throws Refusal where it was opened otherwise
   */
  find(id: string, opening: string): Session | undefined {
    const found = this.#open.get(id) ?? this.#ended.get(id);
    if (found && found.opening !== opening)
      throw new Refusal(409, `rollout ${id}: it was opened already, as ${found.opening}`);
    return found;
  }

  /** @throws Refusal where this many more would be too many */
  checkRoom(more: number): void {
    const { rollouts } = this.#limits;
    if (this.#open.size + more > rollouts)
      throw new Refusal(
        429,
        `${this.#open.size} rollouts are open and ${more} more would be over ${rollouts}; ` +
          'finish or close some, or start the server with a larger --most',
      );
  }

  /** Opens a rollout. @param run it, to its result as JSON; must not reject */
  begin(id: string, opening: string, run: (session: Session) => Promise<string>): Session {
    const session = new Session(id, opening, this.#now);
    this.#open.set(id, session);
    void run(session).then((done) => this.#end(session, done));
    session.begin();
    return session;
  }

  #end(session: Session, done: string): void {
    session.end(done);
    // One that was given up is not here any more.
    if (this.#open.get(session.id) !== session) return;
    this.#open.delete(session.id);
    this.#finished += 1;
    const before = this.#ended.get(session.id);
    if (before) this.#forget(session.id, before);
    this.#ended.set(session.id, session);
    this.#endedChars += session.length;
    for (const [id, oldest] of this.#ended) {
      if (this.#endedChars <= this.#limits.keptChars || oldest === session) break;
      this.#forget(id, oldest);
    }
  }

  #forget(id: string, session: Session): void {
    this.#ended.delete(id);
    this.#endedChars -= session.length;
  }

  /**
   * Gives answers to their rollouts: all of them, or none where one is refused.
   * @returns what each rollout says next, in the order in which the answers name them
   * @throws Refusal
   */
  step(answers: readonly Answer[]): Promise<TurnMessage[]> {
    const seen = new Set<string>();
    for (const { id } of answers) {
      if (seen.has(id)) throw new Refusal(400, `answer ${id}: it occurs twice in the call`);
      seen.add(id);
    }
    const parts = [...groupBy(answers, ({ id }) => sessionOf(id))].map(([id, own]): Part => {
      const session = this.#open.get(id) ?? this.#ended.get(id);
      if (!session)
        throw new Refusal(
          400,
          `answer ${own[0]?.id ?? ''}: no rollout ${JSON.stringify(id)} is open; it was never opened, was ` +
            `closed, or expired after ${this.#limits.expireSeconds} s without a step`,
        );
      const key = turnKey(own);
      return { session, key, accepted: session.check(own, key, this.#vocabulary, this.#decode) };
    });
    for (const { session, key, accepted } of parts) if (accepted) session.give(key, accepted);
    return Promise.all(parts.map(({ session, key }) => session.saying(key)));
  }

  /** Ends rollouts that nobody wants any more. @returns those that were open */
  close(ids: readonly string[]): string[] {
    return ids.filter((id) => {
      const session = this.#open.get(id);
      if (session) this.#giveUp(session, 'it was closed');
      return session !== undefined;
    });
  }

  #giveUp(session: Session, why: string): void {
    this.#open.delete(session.id);
    session.abort(why);
  }

  /** Gives up rollouts that wait for a trainer who does not come back, and forgets old results. */
  sweep(): void {
    const since = this.#now() - 1000 * this.#limits.expireSeconds;
    for (const session of this.#open.values()) {
      if (!session.waits || session.touched > since) continue;
      this.#expired += 1;
      this.#giveUp(session, 'it expired');
    }
    for (const [id, session] of this.#ended)
      if (session.touched <= since) this.#forget(id, session);
  }

  /** Ends all. */
  stop(why: string): void {
    for (const session of this.#open.values()) this.#giveUp(session, why);
  }
}
