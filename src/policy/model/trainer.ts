import { itemAt } from '../../base/items.ts';
import { checkSpec } from '../lora/check.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { PackedBatch, TrainLimits } from '../lora/train-batch.ts';
import type { HiddenStates, LoraTrainer, RowScores } from '../lora/trainer.ts';
import { MemoryError } from '../ops/faults.ts';
import type { Activations, KeyStore, StoreType, TokenRun } from '../ops/values.ts';
import { adapterShapes } from './adapter.ts';
import type { AdapterPlaces, Decoder } from './decoder.ts';
import { attention, feedForward, headsOf } from './forward.ts';
import { surely, trainingMemory, trainingStore, type TrainingMemory } from './training-memory.ts';

/** Contexts begin at multiples of this in a store. */
const ALIGNED = 8;
/** Sequences of a batch that the store has gaps for at first. */
const GAPS = 64;
const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/**
 * LoRA training of a frozen decoder over block operations. Of a layer only its input is kept; the
 * backward pass computes the rest again, layer by layer, in buffers that layers share. Gradients add up
 * on the device: a step reads back the scores of its rows, and at its end the gradients.
 */
export class DecoderLoraTrainer implements LoraTrainer {
  readonly maxTokens: number;
  readonly #decoder: Decoder;
  readonly #limits: TrainLimits;
  readonly #keys: StoreType;
  readonly #places: AdapterPlaces;
  readonly #adapter: TrainingMemory['adapter'];
  readonly #tokens: TrainingMemory['tokens'];
  readonly #picks: TrainingMemory['picks'];
  readonly #forward: TrainingMemory['forward'];
  readonly #backward: TrainingMemory['backward'];
  readonly #inputs: TrainingMemory['inputs'];
  #store: KeyStore;
  #state: 'none' | 'off' | 'on' = 'none';
  /** Once it is certain that the device has the memory of all that. */
  readonly #ready: Promise<void>;
  /** Whether it has not, and nothing is left of it. */
  #refused = false;

  /**
   * @param decoder goes with the trainer
   * @param keys what keys and values are held in; gradients pass what rounds them as if it were not there
   * @throws RangeError for a spec that no adapter can have; MemoryError, which a GPU says when the trainer is first used
   */
  constructor(decoder: Decoder, spec: LoraSpec, limits: TrainLimits, keys: StoreType = 'f32') {
    checkSpec(spec);
    const { ops, config: c } = decoder;
    const { shapes, places } = adapterShapes(c, spec);
    const rows = limits.maxTokens;
    this.maxTokens = rows;
    this.#decoder = decoder;
    this.#limits = limits;
    this.#keys = keys;
    this.#places = places;
    const before = ops.bytes;
    const positions = aligned(rows) + GAPS * ALIGNED;
    const held = surely(ops, (keep) =>
      trainingMemory(decoder, { shapes, rows, positions, keys }, keep),
    );
    const bytes = ops.bytes - before;
    this.#ready = held.certain.then(
      () => undefined,
      (error: unknown) => {
        this.#refused = true;
        throw this.#inWords(error, bytes);
      },
    );
    // Said to whoever uses it first.
    this.#ready.catch(() => undefined);
    const { adapter, tokens, picks, forward, inputs, backward, store } = held.made;
    this.#adapter = adapter;
    this.#tokens = tokens;
    this.#picks = picks;
    this.#forward = forward;
    this.#inputs = inputs;
    this.#backward = backward;
    this.#store = store;
    decoder.reach(limits.maxLength);
  }

  get bytes(): number {
    return this.#decoder.ops.bytes;
  }

  async setAdapter(flat: Float32Array | null): Promise<void> {
    if (flat && flat.length !== this.#adapter.length)
      throw new Error(
        `adapter: ${flat.length} values given, this shape has ${this.#adapter.length}`,
      );
    await this.#ready;
    if (flat) this.#decoder.ops.writeAdapter(this.#adapter, flat);
    this.#state = flat ? 'on' : 'off';
  }

  async score(batch: PackedBatch): Promise<RowScores> {
    await this.#reserve(batch, false);
    this.#runForward(batch);
    return this.#scores(batch);
  }

  async hidden(batch: PackedBatch): Promise<HiddenStates> {
    await this.#reserve(batch, false);
    this.#runForward(batch);
    const { ops, config } = this.#decoder;
    const { hiddenSize: width, layers } = config;
    const all = await ops.readActivations(itemAt(this.#inputs, layers, 'inputs'), batch.ids.length);
    const values = new Float32Array(batch.rows.length * width);
    batch.rows.forEach((row, i) =>
      values.set(all.subarray(row * width, (row + 1) * width), i * width),
    );
    return { values, width };
  }

  async accumulate(
    batch: PackedBatch,
    weigh: (scores: RowScores) => Float32Array,
  ): Promise<RowScores> {
    if (this.#state !== 'on') throw new Error('adapter: it is switched off; there is no gradient');
    await this.#reserve(batch, true);
    this.#runForward(batch);
    const scores = await this.#scores(batch);
    const coefficients = weigh(scores);
    if (coefficients.length !== batch.rows.length)
      throw new Error('batch: the loss must give one coefficient a row');
    const { ops, config } = this.#decoder;
    this.#headBackward(coefficients);
    for (let layer = config.layers - 1; layer >= 0; layer--) this.#layerBackward(layer);
    ops.submit();
    return scores;
  }

  zeroGradients(): void {
    this.#decoder.ops.zeroGradients(this.#adapter);
  }

  gradients(): Promise<Float32Array> {
    return this.#decoder.ops.readGradients(this.#adapter);
  }

  dispose(): void {
    const { ops } = this.#decoder;
    if (this.#refused) return this.#decoder.dispose();
    const activations = Object.values<Activations>({ ...this.#forward, ...this.#backward });
    ops.free(
      ...activations,
      ...this.#inputs,
      this.#adapter,
      this.#tokens,
      this.#picks,
      this.#store,
    );
    this.#decoder.dispose();
  }

  /** Final norm and output matrix over what the last layer gave. */
  #head() {
    const { finalNorm: norm, head } = this.#decoder.weights;
    return { x: itemAt(this.#inputs, this.#decoder.config.layers, 'inputs'), norm, head };
  }

  /**
   * Memory of all that a step over the batch computes, asked for before any of it runs: a device that has not got
   * it is then what it was.
   * @throws MemoryError, with what to do
   */
  async #reserve(batch: PackedBatch, train: boolean): Promise<void> {
    await this.#ready;
    const { positions } = this.#runs(batch);
    const { ops, config } = this.#decoder;
    try {
      if (this.#store.positions < positions) {
        const { made, certain } = surely(ops, () =>
          trainingStore(ops, config, aligned(positions), this.#keys),
        );
        await certain;
        ops.free(this.#store);
        this.#store = made;
      }
      // Layers share what they compute in.
      await ops.reserve?.(() => {
        this.#runForward(batch, 1);
        this.#score(batch);
        if (!train) return;
        this.#headBackward(new Float32Array(batch.rows.length));
        this.#layerBackward(config.layers - 1);
      });
    } catch (error) {
      throw this.#inWords(error, 0);
    }
  }

  /** @param bytes of what there is no memory for; 0 where that is not known */
  #inWords(error: unknown, bytes: number): unknown {
    if (!(error instanceof MemoryError)) return error;
    const size = bytes > 0 ? ` (${Math.ceil(bytes / 1e6)} MB)` : '';
    return new MemoryError(
      `training: there is no memory for a step of ${this.#limits.maxTokens} tokens${size} beside weights and contexts; ` +
        'nothing was lost, and a run goes on from its last snapshot. Take fewer tokens at a time (micro-tokens), ' +
        `weights in int4 or int8, contexts in f16, or shorter or fewer contexts. (${error.message})`,
    );
  }

  /** Places the sequences and takes them through the layers, keeping every layer's input. */
  #runForward(batch: PackedBatch, layers = this.#decoder.config.layers): void {
    if (this.#state === 'none') throw new Error('adapter: none was set');
    const decoder = this.#decoder;
    const { ops } = decoder;
    decoder.useAdapter(this.#state === 'on' ? this.#adapter : null, this.#places);
    const { runs } = this.#runs(batch);
    const store = this.#store;
    const tokens = this.#tokens;
    ops.place(tokens, runs, 'many');
    decoder.embed(tokens, itemAt(this.#inputs, 0, 'inputs'));
    for (let layer = 0; layer < layers; layer++) {
      const from = itemAt(this.#inputs, layer, 'inputs');
      const x = itemAt(this.#inputs, layer + 1, 'inputs');
      ops.copyRows({ from, to: x, tokens });
      attention(decoder, layer, from, x, tokens, store, this.#forward);
      feedForward(decoder, layer, x, tokens, this.#forward);
    }
  }

  #scores(batch: PackedBatch): Promise<RowScores> {
    this.#score(batch);
    return this.#decoder.ops.readScores(this.#picks);
  }

  /** Says which rows are scored, and scores them. */
  #score({ rows, targets, temperatures }: PackedBatch): void {
    const { ops } = this.#decoder;
    ops.placePicks(this.#picks, { rows, targets, ...(temperatures && { temperatures }) });
    ops.score({ ...this.#head(), picks: this.#picks });
  }

  #headBackward(coefficients: Float32Array): void {
    const { dx } = this.#backward;
    const head = { ...this.#head(), picks: this.#picks, tokens: this.#tokens };
    this.#decoder.ops.scoreBackward({ ...head, coefficients, dx });
  }

  /** `dx` holds the gradient of the layer's output, and then of its input. */
  #layerBackward(layer: number): void {
    const decoder = this.#decoder;
    const store = this.#store;
    const { ops } = decoder;
    const tokens = this.#tokens;
    const x = itemAt(this.#inputs, layer, 'inputs');
    const { q, attended, inner } = this.#forward;
    const { middle, dx, dq, dKeys, dValues, dAttended, dInner, lse, ...kept } = this.#backward;
    const { postNorm: norm } = decoder.layer(layer);

    ops.copyRows({ from: x, to: middle, tokens });
    attention(decoder, layer, x, middle, tokens, store, this.#forward, { lse, ...kept });
    const feed = { x: middle, norm, by: decoder.projection(layer, 'gateUp'), tokens };
    ops.feedForward({ ...feed, out: inner, raw: kept.gateUp });

    const down = decoder.projection(layer, 'down');
    ops.projectResidualBackward({ input: inner, by: down, tokens, dx, dInput: dInner });
    ops.feedForwardBackward({ ...feed, raw: kept.gateUp, dOut: dInner, dx });
    const o = decoder.projection(layer, 'o');
    ops.projectResidualBackward({ input: attended, by: o, tokens, dx, dInput: dAttended });
    const { heads } = decoder.config;
    const look = { q, heads, store, tokens, out: attended, lse };
    ops.attendBackward({ ...look, dOut: dAttended, dq, dKeys, dValues });
    const gradients = { raw: kept.heads, dq, dKeys, dValues, dx: layer > 0 ? dx : null };
    ops.projectHeadsBackward({ ...headsOf(decoder, layer, x, tokens, store), ...gradients });
    ops.submit();
  }

  /** The sequences as runs, each at an aligned place. @throws Error over the limits */
  #runs({ ids, lengths }: PackedBatch): { runs: TokenRun[]; positions: number } {
    const { maxTokens, maxLength } = this.#limits;
    if (ids.length > maxTokens)
      throw new Error(`batch: ${ids.length} tokens, the limit is ${maxTokens}`);
    const runs: TokenRun[] = [];
    let [token, start] = [0, 0];
    for (const length of lengths) {
      if (length > maxLength)
        throw new Error(`batch: a sequence has ${length} tokens, the limit is ${maxLength}`);
      runs.push({ ids: ids.subarray(token, token + length), position: 0, start });
      token += length;
      start += aligned(length);
    }
    return { runs, positions: start };
  }
}
