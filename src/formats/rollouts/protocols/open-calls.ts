import type { Piece } from './protocol.ts';

/** Which call a result answers: several calls may wait at once, and their results come in any order. */

interface Call {
  /** It asks for something to read: a search, or a page. Code and arithmetic do not. */
  reads: boolean;
  id?: string | null;
  /** Of the tool. */
  name?: string | null;
}

/** Calls that wait for their results. */
export class OpenCalls {
  #waiting: Call[] = [];
  readonly #byId = new Map<string, Call>();
  #latest: boolean;
  #answered = false;

  /** @param uncalled what `answer` returns before any call was made */
  constructor(uncalled: boolean) {
    this.#latest = uncalled;
  }

  /** Whether a call has no result yet. */
  get waiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** A call after a result begins the next turn: what was not answered until then never is. */
  add(call: Call): void {
    if (this.#answered) this.#waiting = [];
    this.#answered = false;
    this.#waiting.push(call);
    if (call.id) this.#byId.set(call.id, call);
  }

  /**
   * Takes the call that a result answers, by its id, else by the tool's name, else in order.
   * @returns whether that call asked for something to read; of a result too many, as of the one before
   */
  answer({ id, name }: Omit<Call, 'reads'> = {}): boolean {
    const waiting = this.#waiting;
    const call =
      (id ? this.#byId.get(id) : undefined) ??
      (name ? waiting.find((one) => one.name === name) : undefined) ??
      waiting[0];
    this.#answered = true;
    if (!call) return this.#latest;
    this.#waiting = waiting.filter((one) => one !== call);
    this.#latest = call.reads;
    return call.reads;
  }
}

/** Results of calls that ask for nothing to read are no results: what a calculator answers is no passage. */
export function pairResults(pieces: readonly Piece[], calls: OpenCalls): Piece[] {
  return pieces.map((piece) => {
    if (piece.reads !== undefined) calls.add({ reads: piece.reads });
    if (piece.source !== 'environment' || piece.role !== 'result') return piece;
    return calls.answer() ? piece : { ...piece, role: 'other' };
  });
}
