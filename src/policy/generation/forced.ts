import { itemAt } from '../../base/items.ts';
import type { Decoder } from '../model/decoder.ts';
import type { Drawn } from '../ops/ops.ts';
import type { Picks } from '../ops/values.ts';
import type { EngineSession } from './session.ts';
import type { Step } from './step.ts';

/** ln softmax(logits) at an id. */
export function logSoftmaxAt(logits: Float32Array, id: number): number {
  let most = -Infinity;
  for (const value of logits) most = Math.max(most, value);
  let total = 0;
  for (const value of logits) total += Math.exp(value - most);
  return itemAt(logits, id, 'logits') - most - Math.log(total);
}

/** Tokens that a call writes in the place of drawn ones (`GenerateOptions.forced`), with how likely each was. */
export class ForcedTokens {
  readonly #decoder: Decoder;
  readonly #slots: number;
  #picks: Picks | null = null;

  /** @param slots most rows of a decode step */
  constructor(decoder: Decoder, slots: number) {
    this.#decoder = decoder;
    this.#slots = slots;
  }

  /** What the rows of a decode step drew, with forced tokens in their place; before anything else is computed in its rows. */
  async take({ x }: Step, sessions: readonly EngineSession[], drawn: Drawn[]): Promise<Drawn[]> {
    const wanted = sessions.flatMap(({ request }, row) => {
      const id = request?.options.forced?.[request.output.ids.length];
      return id !== undefined && drawn[row]?.finite === true ? [{ row, id }] : [];
    });
    if (wanted.length === 0) return drawn;
    const { ops, weights, config } = this.#decoder;
    this.#picks ??= ops.picks(this.#slots);
    const rows = wanted.map(({ row }) => row);
    ops.placePicks(this.#picks, { rows, targets: rows.map(() => 0) });
    const head = { x, norm: weights.finalNorm, head: weights.head };
    const logits = await ops.readLogits({ ...head, picks: this.#picks });
    const out = [...drawn];
    wanted.forEach(({ row, id }, i) => {
      const own = logits.subarray(i * config.vocabSize, (i + 1) * config.vocabSize);
      const logprob = logSoftmaxAt(own, id);
      out[row] = { ...itemAt(drawn, row), id, logprob, modelLogprob: logprob };
    });
    return out;
  }

  dispose(): void {
    if (this.#picks) this.#decoder.ops.free(this.#picks);
    this.#picks = null;
  }
}
