import { fnv1a } from '../../base/hash.ts';
import type { Generated } from '../../policy/policy.ts';
import { cut } from './cut.ts';
import type { Answer, SampleRequest } from './protocol.ts';
import { Refusal } from './refusal.ts';
import type { Ask, SamplingCall } from './remote-policy.ts';

/** A rollout's message of one turn, as JSON, so that it can be sent again unchanged. */
export interface TurnMessage {
  requests: readonly string[];
  /** Null while the rollout continues. */
  done: string | null;
}

interface Pending {
  json: string;
  wanted: SamplingCall;
  resolve: (generated: Generated) => void;
}

/** An answer that was checked and not yet passed on. */
export interface Accepted {
  id: string;
  generated: Generated;
}

/** A turn that may be asked for again. */
interface Turn {
  key: string;
  saying: Promise<TurnMessage>;
}

/** Turns of one rollout that may be asked for again: calls whose replies were lost, some at a time. */
const TURNS = 4;

/** Key of the answers: 64 bits of a hash of their text. */
export function turnKey(answers: readonly Answer[]): string {
  const text = JSON.stringify(answers);
  return `${fnv1a(text)} ${fnv1a(text, 0x2545f491)}`;
}

/** Result of an aborted engine. */
const aborted = (): Generated => ({ ids: [], logprobs: [], entropies: [], finish: 'abort' });

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** One rollout between its calls: pending requests and last messages. */
export class Session {
  readonly id: string;
  /** The episode as it was asked for. */
  readonly opening: string;
  /** Unix time in milliseconds at which it was last opened or stepped, or asked for tokens. */
  touched: number;
  readonly #now: () => number;
  readonly #pending = new Map<string, Pending>();
  readonly #abort = new AbortController();
  #turns: Turn[] = [];
  #waiting: (() => void)[] = [];
  #asked = 0;
  #done: string | null = null;

  constructor(id: string, opening: string, now: () => number) {
    this.id = id;
    this.opening = opening;
    this.#now = now;
    this.touched = now();
  }

  /** Aborted when the rollout is given up. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Whether it is the trainer's turn, or it has ended. */
  get waits(): boolean {
    return this.#done !== null || this.#pending.size > 0;
  }

  /** Characters of what it said last; once it has ended, all that it holds. */
  get length(): number {
    return this.#done?.length ?? 0;
  }

  /** How a policy asks the trainer. */
  readonly ask: Ask = (wanted) =>
    new Promise((resolve) => {
      const id = `${this.id}#${this.#asked++}`;
      const { fillsContext: _, ...rest } = wanted;
      const request: SampleRequest = { id, rollout: this.id, ...rest };
      this.#pending.set(id, { json: JSON.stringify(request), wanted, resolve });
      this.touched = this.#now();
      this.#wake();
    });

  /**
   * Checks answers to this rollout without giving them.
   * @param key `turnKey` of the answers
   * @returns null where the very same were given before, and can be answered as they were then
   * @throws Refusal
   */
  check(
    answers: readonly Answer[],
    key: string,
    vocabulary: number,
    decode: (ids: readonly number[]) => string,
  ): Accepted[] | null {
    if (this.#turns.some((turn) => turn.key === key)) return null;
    return answers.map((answer) => {
      const { id, ids, logprobs } = answer;
      const pending = this.#pending.get(id);
      if (!pending) throw this.#unknown(id);
      const strange = ids.find((token) => token >= vocabulary);
      if (strange !== undefined)
        throw new Refusal(
          400,
          `answer ${id}: id ${strange} is outside of the vocabulary of ${vocabulary} tokens; ` +
            'the trainer samples from another checkpoint',
        );
      if (logprobs && logprobs.length !== ids.length)
        throw new Refusal(
          400,
          `answer ${id}: ${logprobs.length} log-probabilities for ${ids.length} ids; send one per id, or none`,
        );
      return { id, generated: cut(answer, pending.wanted, decode) };
    });
  }

  #unknown(id: string): Refusal {
    const number = Number(id.slice(id.lastIndexOf('#') + 1));
    const known = Number.isInteger(number) && number >= 0 && number < this.#asked;
    return known
      ? new Refusal(409, `answer ${id}: it was answered already, and not like this`)
      : new Refusal(400, `answer ${id}: its rollout never asked that`);
  }

  /** Gives answers that were checked; the rollout continues. */
  give(key: string, accepted: readonly Accepted[]): void {
    this.touched = this.#now();
    for (const { id, generated } of accepted) {
      const pending = this.#pending.get(id);
      this.#pending.delete(id);
      pending?.resolve(generated);
    }
    this.#remember(key);
  }

  /** Begins to remember what follows the opening. */
  begin(): void {
    this.#remember('');
  }

  #remember(key: string): void {
    this.#turns = [...this.#turns.slice(1 - TURNS), { key, saying: this.#settled() }];
  }

  /** What followed the answers of this key, which were given; without a key, what was said last. */
  async saying(key?: string): Promise<TurnMessage> {
    const turn =
      key === undefined ? this.#turns.at(-1) : this.#turns.findLast((one) => one.key === key);
    return turn?.saying ?? { requests: [], done: this.#done };
  }

  /** What it says once it waits or has ended. */
  async #settled(): Promise<TurnMessage> {
    // A rollout may ask for several continuations at once: let it finish asking.
    await aTurn();
    while (!this.waits) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return { requests: [...this.#pending.values()].map(({ json }) => json), done: this.#done };
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting.splice(0);
    setImmediate(() => {
      for (const resolve of waiting) resolve();
    });
  }

  /** The rollout ended. @param done its result as JSON */
  end(done: string): void {
    this.#done = done;
    // A caller that lost the last reply asks for the last turn; older ones cannot be asked for.
    this.#turns = this.#turns.slice(-1);
    this.#wake();
  }

  /** Aborts the rollout; waiting callers get the reason. */
  abort(why: string): void {
    this.#abort.abort(new Error(why));
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { resolve } of pending) resolve(aborted());
  }
}
