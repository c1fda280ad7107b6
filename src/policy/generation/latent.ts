import { expectedInput, mixInput } from '../latent/gates.ts';
import { embedRows } from '../model/mixtures.ts';
import type { Decoder } from '../model/decoder.ts';
import type { Drawn } from '../ops/ops.ts';
import type { Picks, TokenRun } from '../ops/values.ts';
import type { GenerateOptions, LatentTokens } from '../policy.ts';
import { StopTexts } from '../stop-texts.ts';
import type { EngineSession } from './session.ts';
import type { Step } from './step.ts';

/**
 * Most values of the embeddings, which lie on the host too where a policy thinks in mixtures: half a gigabyte. The
 * expectation of each token is over all of them.
 */
const MOST_VALUES = 2 ** 27;

type Decode = (ids: readonly number[]) => string;

/** The latent tokens of a `generate` call: all that it draws before what ends them. */
export class LatentCall {
  readonly #stopIds: readonly number[];
  readonly #stopTexts: StopTexts | null;
  readonly #hidden: Float32Array[] = [];
  #gate = 0;
  over = false;

  constructor({ stopIds, stopTexts }: NonNullable<GenerateOptions['latent']>, decode?: Decode) {
    this.#stopIds = stopIds;
    if (stopTexts?.length && !decode)
      throw new Error('policy: it has no tokenizer to find the end of its thought with');
    this.#stopTexts = stopTexts?.length && decode ? new StopTexts({ stopTexts }, decode) : null;
  }

  /** Whether a token that was drawn is read as a mixture; the one that ends them is not. */
  takes(id: number): boolean {
    this.over ||= this.#stopIds.includes(id) || (this.#stopTexts?.push(id) ?? false);
    return !this.over;
  }

  add(hidden: Float32Array, gate: number): void {
    this.#hidden.push(hidden);
    this.#gate += gate;
  }

  /** What the call says of them; undefined where there were none. */
  get tokens(): LatentTokens | undefined {
    const count = this.#hidden.length;
    const width = this.#hidden[0]?.length ?? 0;
    if (count === 0) return undefined;
    const hidden = new Float32Array(count * width);
    this.#hidden.forEach((row, i) => hidden.set(row, i * width));
    return { count, gate: this.#gate / count, hidden };
  }
}

/**
 * Feeds mixtures to the sessions of an engine whose adapter has gates (`latent/gates.ts`). The distribution of a row is
 * read from the device, its expectation and the gates are computed on the host, and the rows of a step in which one is
 * mixed are a table made for it. Sessions that are not asked to think so are not touched.
 */
export class LatentSteps {
  readonly #decoder: Decoder;
  readonly #decode: Decode | undefined;
  /** Where embeddings are read through. */
  readonly #reading: Step;
  readonly #slots: number;
  /** [vocabulary, hidden size], at the precision of the device. */
  #table: Float32Array | null = null;
  #picks: Picks | null = null;

  /** @param slots most rows of a decode step */
  constructor(decoder: Decoder, reading: Step, slots: number, decode: Decode | undefined) {
    this.#decoder = decoder;
    this.#reading = reading;
    this.#slots = slots;
    this.#decode = decode;
  }

  /** What a call asks for; null where nothing, or where the adapter has no gates. @throws RangeError for a large policy */
  callFor({ latent }: GenerateOptions): LatentCall | null {
    const { gates, config } = this.#decoder;
    if (!latent || !gates) return null;
    if (config.vocabSize * config.hiddenSize > MOST_VALUES)
      throw new RangeError(
        `policy: latent thinking averages all ${config.vocabSize} embeddings at every token, which is too much for this model; choose a smaller one`,
      );
    return new LatentCall(latent, this.#decode);
  }

  /**
   * Places a step's runs and makes its rows.
   * @param sessions whose runs they are
   * @returns what is to be called once the step was read
   */
  place(
    step: Step,
    runs: readonly TokenRun[],
    sessions: readonly EngineSession[],
    size: 'few' | 'many',
  ): () => void {
    const decoder = this.#decoder;
    const table = this.#table;
    if (!table || sessions.every(({ mixture: mixed }) => mixed === null)) {
      decoder.ops.place(step.tokens, runs, size);
      decoder.embed(step.tokens, step.x);
      return () => undefined;
    }
    const width = decoder.config.hiddenSize;
    const rows = new Float32Array(runs.reduce((sum, { ids }) => sum + ids.length, 0) * width);
    let at = 0;
    runs.forEach(({ ids }, r) => {
      const first = at;
      for (let i = 0; i < ids.length; i++, at += width)
        rows.set(this.#embedding(table, ids[i] ?? 0), at);
      const mixed = sessions[r]?.mixture;
      if (mixed) rows.set(mixed, first);
    });
    const made = embedRows(decoder, step, runs, rows, size);
    return () => decoder.ops.free(made);
  }

  /**
   * Mixes what the rows of a decode step drew, for the sessions that think in mixtures: before anything else is computed
   * in the step's rows.
   */
  async mix(
    { x }: Step,
    sessions: readonly EngineSession[],
    drawn: readonly Drawn[],
  ): Promise<void> {
    const decoder = this.#decoder;
    const { gates, ops, weights, config } = decoder;
    if (!gates) return;
    const wanted = sessions.flatMap((session, row) => {
      const call = session.request?.latent;
      const one = drawn[row];
      return call && !call.over && one?.finite && call.takes(one.id)
        ? [{ session, call, row, id: one.id }]
        : [];
    });
    if (wanted.length === 0) return;
    this.#picks ??= ops.picks(this.#slots);
    const rows = wanted.map(({ row }) => row);
    ops.placePicks(this.#picks, { rows, targets: rows.map(() => 0) });
    const head = { x, norm: weights.finalNorm, head: weights.head };
    const logits = await ops.readLogits({ ...head, picks: this.#picks });
    const table = (this.#table ??= await this.#readTable());
    const { vocabSize, hiddenSize: width } = config;
    for (const [i, { session, call, id }] of wanted.entries()) {
      const temperature = session.request?.options.sampling.temperature ?? 1;
      const own = logits.subarray(i * vocabSize, (i + 1) * vocabSize);
      const hidden = expectedInput(own, temperature, table, width);
      const mixed = new Float32Array(width);
      call.add(hidden, mixInput(gates, this.#embedding(table, id), hidden, mixed));
      session.mixture = mixed;
    }
  }

  /** Embeddings are read again where weights have changed. */
  forget(): void {
    this.#table = null;
  }

  dispose(): void {
    if (this.#picks) this.#decoder.ops.free(this.#picks);
    this.#picks = null;
  }

  #embedding(table: Float32Array, id: number): Float32Array {
    const { hiddenSize: width } = this.#decoder.config;
    return table.subarray(id * width, (id + 1) * width);
  }

  async #readTable(): Promise<Float32Array> {
    const { ops, config } = this.#decoder;
    const { vocabSize, hiddenSize: width } = config;
    const { tokens, x } = this.#reading;
    const table = new Float32Array(vocabSize * width);
    for (let from = 0; from < vocabSize; from += tokens.rows) {
      const count = Math.min(tokens.rows, vocabSize - from);
      const ids = Int32Array.from({ length: count }, (_, i) => from + i);
      ops.place(tokens, [{ ids, position: 0, start: 0 }], 'many');
      this.#decoder.embed(tokens, x);
      table.set(await ops.readActivations(x, count), from * width);
    }
    return table;
  }
}
