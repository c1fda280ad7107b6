import { itemAt } from '../../base/items.ts';
import { checkSpec } from '../lora/check.ts';
import { gateSize, type LoraSpec } from '../lora/spec.ts';
import type { PackedBatch, TrainLimits } from '../lora/train-batch.ts';
import type { HiddenStates, LoraTrainer, RowScores } from '../lora/trainer.ts';
import { MemoryError } from '../ops/faults.ts';
import type { Activations, Matrix, StoreType, TokenRun } from '../ops/values.ts';
import { adapterShapes } from './adapter.ts';
import { embedRows, LearningGates, type MixedBatch } from './mixtures.ts';
import type { AdapterPlaces, Decoder } from './decoder.ts';
import {
  attention,
  attentionOutput,
  feedForward,
  headsOf,
  mlpInput,
  mlpOutput,
} from './forward.ts';
import {
  stepInsides,
  surely,
  trainingMemory,
  trainingStore,
  type StepInside,
  type TrainingMemory,
} from './training-memory.ts';

/** Contexts begin at multiples of this in a store. */
const ALIGNED = 8;
const aligned = (count: number): number => Math.ceil(count / ALIGNED) * ALIGNED;

/** Of a step's operations, those of the backward pass: two products for each of the forward pass. */
const BACKWARD_SHARE = 2 / 3;

/**
 * LoRA training of a frozen decoder over block operations. Of a layer its input is kept, and what it computes where
 * there is room for that of all layers; else the backward pass computes it again, layer by layer, in buffers that layers
 * share. Gradients add up on the device: a step reads back the scores of its rows, and at its end the gradients. Gates learn on the host, from the
 * gradient of the first layer's input.
 */
export class DecoderLoraTrainer implements LoraTrainer {
  onTokens: LoraTrainer['onTokens'];
  readonly maxTokens: number;
  readonly #decoder: Decoder;
  readonly #limits: TrainLimits;
  readonly #keys: StoreType;
  readonly #places: AdapterPlaces;
  readonly #adapter: TrainingMemory['adapter'];
  /** Null where the adapter has none. */
  readonly #gates: LearningGates | null;
  readonly #tokens: TrainingMemory['tokens'];
  readonly #picks: TrainingMemory['picks'];
  readonly #insides: TrainingMemory['insides'];
  readonly #stores: TrainingMemory['stores'];
  /** Of the step under way: what its first layers compute, where not all layers have a place that stays. */
  #step: readonly StepInside[] = [];
  readonly #backward: TrainingMemory['backward'];
  readonly #inputs: TrainingMemory['inputs'];
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
    this.maxTokens = limits.maxTokens;
    this.#decoder = decoder;
    this.#limits = limits;
    this.#keys = keys;
    this.#places = places;
    this.#gates = spec.gates ? new LearningGates(c.hiddenSize) : null;
    const before = ops.bytes;
    const held = surely(ops, (keep) => trainingMemory(decoder, { shapes, limits, keys }, keep));
    const bytes = ops.bytes - before;
    this.#ready = held.certain.then(
      () => undefined,
      (error: unknown) => {
        this.#refused = true;
        throw this.#inWords(error, bytes);
      },
    );
    // Reported to the first caller.
    this.#ready.catch(() => undefined);
    const { adapter, tokens, picks, insides, inputs, backward, stores } = held.made;
    this.#adapter = adapter;
    this.#tokens = tokens;
    this.#picks = picks;
    this.#insides = insides;
    this.#inputs = inputs;
    this.#backward = backward;
    this.#stores = stores;
    decoder.reach(limits.maxLength);
  }

  get bytes(): number {
    return this.#decoder.ops.bytes;
  }

  async setAdapter(flat: Float32Array | null): Promise<void> {
    const factors = this.#adapter.length;
    const length = factors + (this.#gates ? gateSize(this.#gates.width) : 0);
    if (flat && flat.length !== length)
      throw new Error(`adapter: ${flat.length} values given, this shape has ${length}`);
    await this.#ready;
    if (flat) this.#decoder.ops.writeAdapter(this.#adapter, flat.subarray(0, factors));
    this.#gates?.set(flat && flat.subarray(factors));
    this.#state = flat ? 'on' : 'off';
  }

  async score(batch: PackedBatch): Promise<RowScores> {
    await this.#reserve(batch, false);
    return this.#withInputs(batch, 1, () => this.#scores(batch));
  }

  async hidden(batch: PackedBatch): Promise<HiddenStates> {
    await this.#reserve(batch, false);
    const { ops, config } = this.#decoder;
    const { hiddenSize: width, layers } = config;
    const all = await this.#withInputs(batch, 1, () =>
      ops.readActivations(itemAt(this.#inputs, layers, 'inputs'), batch.ids.length),
    );
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
    const { ops } = this.#decoder;
    if (!this.#keepsAll) {
      const positions = aligned(this.#runs(batch).positions);
      const at = { rows: batch.ids.length, positions, keys: this.#keys };
      this.#step = stepInsides(this.#decoder, this.#limits, at);
    }
    try {
      return await this.#gradientOf(batch, weigh);
    } finally {
      ops.free(...this.#step.flatMap(({ handles }) => handles));
      this.#step = [];
    }
  }

  #gradientOf(batch: PackedBatch, weigh: (scores: RowScores) => Float32Array): Promise<RowScores> {
    return this.#withInputs(batch, 1 - BACKWARD_SHARE, async (mixed) => {
      const scores = await this.#scores(batch);
      const coefficients = weigh(scores);
      if (coefficients.length !== batch.rows.length)
        throw new Error('batch: the loss must give one coefficient per row');
      const { ops, config } = this.#decoder;
      this.#headBackward(coefficients);
      for (let layer = config.layers - 1; layer >= 0; layer--) {
        this.#layerBackward(layer, layer > 0 || mixed !== null);
        this.onTokens?.((BACKWARD_SHARE * batch.ids.length) / config.layers);
      }
      ops.submit();
      if (mixed && batch.latents)
        this.#gates?.learn(
          mixed,
          batch.latents,
          await ops.readActivations(this.#backward.dx, batch.ids.length),
        );
      return scores;
    });
  }

  zeroGradients(): void {
    this.#decoder.ops.zeroGradients(this.#adapter);
    this.#gates?.zero();
  }

  async gradients(): Promise<Float32Array> {
    const factors = await this.#decoder.ops.readGradients(this.#adapter);
    if (!this.#gates) return factors;
    const all = new Float32Array(factors.length + gateSize(this.#gates.width));
    all.set(factors);
    all.set(this.#gates.gradient(), factors.length);
    return all;
  }

  dispose(): void {
    const { ops } = this.#decoder;
    if (this.#refused) return this.#decoder.dispose();
    const activations = [...this.#insides, this.#backward].flatMap((buffers) =>
      Object.values<Activations>({ ...buffers }),
    );
    ops.free(...activations, ...this.#inputs, ...this.#stores);
    ops.free(this.#adapter, this.#tokens, this.#picks);
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
      for (const [i, store] of this.#stores.entries()) {
        if (store.positions >= positions) continue;
        const { made, certain } = surely(ops, () =>
          trainingStore(ops, config, aligned(positions), this.#keys),
        );
        await certain;
        ops.free(store);
        this.#stores[i] = made;
      }
      // Layers share what they compute in.
      await ops.reserve?.(() => {
        this.#place(batch);
        this.#runLayers(1);
        this.#score(batch);
        if (!train) return;
        this.#headBackward(new Float32Array(batch.rows.length));
        this.#layerBackward(config.layers - 1, true);
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
        'nothing was lost, and a run continues from its last snapshot. Take fewer tokens at a time (micro-tokens), ' +
        `weights in int4 or int8, contexts in f16, or shorter or fewer contexts. (${error.message})`,
    );
  }

  /** Places the sequences and takes their tokens to the input of the first layer. */
  #place(batch: PackedBatch): void {
    this.#decoder.ops.place(this.#tokens, this.#runs(batch).runs, 'many');
    this.#decoder.embed(this.#tokens, itemAt(this.#inputs, 0, 'inputs'));
  }

  /**
   * The forward pass over a batch, its latent tokens mixed by the gates; then `work`, which reads what it made.
   * @param share of the work on the batch
   */
  async #withInputs<T>(
    batch: PackedBatch,
    share: number,
    work: (mixed: MixedBatch | null) => Promise<T>,
  ): Promise<T> {
    const decoder = this.#decoder;
    const { ops, config } = decoder;
    const x = itemAt(this.#inputs, 0, 'inputs');
    this.#place(batch);
    let [mixed, table]: [MixedBatch | null, Matrix | null] = [null, null];
    try {
      if (this.#gates && batch.latents && this.#state === 'on') {
        mixed = this.#gates.mixed(await ops.readActivations(x, batch.ids.length), batch.latents);
        const at = { tokens: this.#tokens, x };
        if (mixed) table = embedRows(decoder, at, this.#runs(batch).runs, mixed.rows, 'many');
      }
      this.#runLayers(config.layers, (share * batch.ids.length) / config.layers);
      return await work(mixed);
    } finally {
      if (table) ops.free(table);
    }
  }

  /**
   * Takes what was placed through the layers, keeping every layer's input.
   * @param tokensEach that each layer counts as; 0: it is not counted
   */
  #runLayers(layers: number, tokensEach = 0): void {
    if (this.#state === 'none') throw new Error('adapter: none was set');
    const decoder = this.#decoder;
    const { ops } = decoder;
    decoder.useAdapter(this.#state === 'on' ? this.#adapter : null, this.#places);
    const tokens = this.#tokens;
    for (let layer = 0; layer < layers; layer++) {
      const { from, inside, store } = this.#at(layer);
      const x = itemAt(this.#inputs, layer + 1, 'inputs');
      if (this.#keeps(layer)) {
        this.#inside(layer);
        ops.copyRows({ from: inside.middle, to: x, tokens });
        const next = decoder.normOf(layer + 1);
        ops.projectResidual({ ...mlpOutput(decoder, layer, inside.inner, tokens), x, next });
      } else {
        ops.copyRows({ from, to: x, tokens });
        attention(decoder, layer, from, x, tokens, store, inside);
        feedForward(decoder, layer, x, tokens, inside);
      }
      if (tokensEach > 0) this.onTokens?.(tokensEach);
    }
  }

  /** Whether every layer has a place for what it computes. */
  get #keepsAll(): boolean {
    return this.#insides.length === this.#decoder.config.layers;
  }

  /** Whether the way back finds what a layer computed. */
  #keeps(layer: number): boolean {
    return this.#keepsAll || layer < this.#step.length;
  }

  /** Input of a layer, and where it computes. */
  #at(layer: number) {
    const from = itemAt(this.#inputs, layer, 'inputs');
    const own = this.#step[layer];
    if (own) return { from, inside: own.inside, store: own.store };
    const at = this.#keepsAll ? layer : 0;
    return {
      from,
      inside: itemAt(this.#insides, at, 'insides'),
      store: itemAt(this.#stores, at, 'stores'),
    };
  }

  /** All that a layer computes from its input but its output. */
  #inside(layer: number): void {
    const decoder = this.#decoder;
    const { ops } = decoder;
    const tokens = this.#tokens;
    const { from, inside, store } = this.#at(layer);
    const { middle: x, inner: out, gateUp: raw } = inside;
    ops.copyRows({ from, to: x, tokens });
    attention(decoder, layer, from, x, tokens, store, inside, inside);
    ops.feedForward({ ...mlpInput(decoder, layer, x, tokens), out, raw });
  }

  #scores(batch: PackedBatch): Promise<RowScores> {
    this.#score(batch);
    return this.#decoder.ops.readScores(this.#picks);
  }

  /** Says which rows are scored, and scores them. */
  #score({ rows, targets, temperatures }: PackedBatch): void {
    const { ops } = this.#decoder;
    ops.placePicks(this.#picks, { rows, targets, temperatures });
    ops.score({ ...this.#head(), picks: this.#picks });
  }

  #headBackward(coefficients: Float32Array): void {
    const { dx } = this.#backward;
    const head = { ...this.#head(), picks: this.#picks, tokens: this.#tokens };
    this.#decoder.ops.scoreBackward({ ...head, coefficients, dx });
  }

  /** `dx` holds the gradient of the layer's output, and then of its input, where that is wanted. */
  #layerBackward(layer: number, below: boolean): void {
    const decoder = this.#decoder;
    const { ops } = decoder;
    const tokens = this.#tokens;
    const { from: x, inside, store } = this.#at(layer);
    const { q, attended, inner, middle, lse, gateUp, heads: raw } = inside;
    const { dx, dq, dKeys, dValues, dAttended, dInner } = this.#backward;
    if (!this.#keeps(layer)) this.#inside(layer);

    const down = mlpOutput(decoder, layer, inner, tokens);
    ops.projectResidualBackward({ ...down, dx, dInput: dInner });
    const feed = mlpInput(decoder, layer, middle, tokens);
    ops.feedForwardBackward({ ...feed, raw: gateUp, dOut: dInner, dx });
    const o = attentionOutput(decoder, layer, attended, tokens);
    ops.projectResidualBackward({ ...o, dx, dInput: dAttended });
    const { heads } = decoder.config;
    const window = decoder.windowOf(layer);
    const look = { q, heads, store, tokens, window, out: attended, lse };
    ops.attendBackward({ ...look, dOut: dAttended, dq, dKeys, dValues });
    const gradients = { raw, dq, dKeys, dValues, dx: below ? dx : null };
    ops.projectHeadsBackward({ ...headsOf(decoder, layer, x, tokens, store), ...gradients });
    ops.submit();
  }

  /** The sequences as runs, each at an aligned place. @throws Error over the limits */
  #runs({ ids, lengths, after }: PackedBatch): { runs: TokenRun[]; positions: number } {
    const { maxTokens, maxLength } = this.#limits;
    if (ids.length > maxTokens)
      throw new Error(`batch: ${ids.length} tokens, the limit is ${maxTokens}`);
    const runs: TokenRun[] = [];
    let [token, start] = [0, 0];
    const ends: number[] = [];
    for (const [i, length] of lengths.entries()) {
      const parent = after?.[i] ?? -1;
      const position = parent < 0 ? 0 : itemAt(ends, parent, 'runs');
      const end = position + length;
      if (end > maxLength)
        throw new Error(`batch: a sequence has ${end} tokens, the limit is ${maxLength}`);
      const continued = parent < 0 ? {} : { after: parent };
      runs.push({ ids: ids.subarray(token, token + length), position, start, ...continued });
      ends.push(end);
      token += length;
      start += aligned(end);
    }
    return { runs, positions: start };
  }
}
