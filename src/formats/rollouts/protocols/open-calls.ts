import type { Piece } from './protocol.ts';

/** Which call a result answers: several calls may wait at once, and their results come in any order. */

interface Call {
  /** It asks for something to read: a search, or a page. Code and arithmetic do not. */
  reads: boolean;
  id?: string | null;
  /** Of the tool. */
  name?: string | null;
}

/** Calls in order; those that were answered out of turn are passed over. */
class Queue {
  readonly #calls: Call[] = [];
  #next = 0;

  add(call: Call): void {
    this.#calls.push(call);
  }

  first(answered: ReadonlySet<Call>): Call | undefined {
    for (; this.#next < this.#calls.length; this.#next++) {
      const call = this.#calls[this.#next];
      if (call && !answered.has(call)) return call;
    }
    return undefined;
  }
}

/** Calls that wait for their results. */
export class OpenCalls {
  #all = new Queue();
  #byName = new Map<string, Queue>();
  #answered = new Set<Call>();
  readonly #byId = new Map<string, Call>();
  #latest: boolean;

  /** @param uncalled what `answer` returns before any call was made */
  constructor(uncalled: boolean) {
    this.#latest = uncalled;
  }

  /** Whether a call has no result yet. */
  get waiting(): boolean {
    return this.#all.first(this.#answered) !== undefined;
  }

  /** A call after a result begins the next turn: what was not answered until then never is. */
  add(call: Call): void {
    if (this.#answered.size > 0) {
      this.#all = new Queue();
      this.#byName = new Map();
      this.#answered = new Set();
    }
    this.#all.add(call);
    if (call.id) this.#byId.set(call.id, call);
    if (!call.name) return;
    const named = this.#byName.get(call.name) ?? new Queue();
    named.add(call);
    this.#byName.set(call.name, named);
  }

  /**
   * Takes the call that a result answers, by its id, else by the tool's name, else in order.
   * @returns whether that call asked for something to read; of a result too many, as of the one before
   */
  answer({ id, name }: Omit<Call, 'reads'> = {}): boolean {
    const call =
      (id ? this.#byId.get(id) : undefined) ??
      (name ? this.#byName.get(name)?.first(this.#answered) : undefined) ??
      this.#all.first(this.#answered);
    if (!call) return this.#latest;
    this.#answered.add(call);
    this.#latest = call.reads;
    return call.reads;
  }
}

/** Results of calls that ask for nothing to read are not results: what a calculator answers is not a passage. */
export function pairResults(pieces: readonly Piece[], calls: OpenCalls): Piece[] {
  return pieces.map((piece) => {
    if (piece.reads !== undefined) calls.add({ reads: piece.reads });
    if (piece.source !== 'environment' || piece.role !== 'result') return piece;
    return calls.answer() ? piece : { ...piece, role: 'other' };
  });
}
