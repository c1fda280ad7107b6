import { numpy as np } from '@jax-js/jax';
import { variantOf, type PolicyConfig } from '../checkpoint/config.ts';
import {
  decoderLayer,
  HIDDEN,
  outputHead,
  type HeadFunction,
  type LayerFunction,
  type LayerShape,
} from './decoder.ts';
import type { DeviceHead, DeviceLayer, DeviceWeights } from './device-weights.ts';
import type { KvCache } from './kv-cache.ts';
import { Rotary } from './rotary.ts';
import { CHUNK, ringStart } from './shapes.ts';
import type { Work } from '../watchdog.ts';

/** New tokens of one slot: a token to decode, or the part of a chunk that is to be read. */
export interface SlotTokens {
  readonly slot: number;
  /** Position of the first token. */
  readonly position: number;
  readonly ids: readonly number[];
}

interface HostInputs {
  readonly x: Float32Array<ArrayBuffer>;
  readonly cos: Float32Array<ArrayBuffer>;
  readonly sin: Float32Array<ArrayBuffer>;
  readonly write: Float32Array<ArrayBuffer>;
  readonly hideMain: Float32Array<ArrayBuffer>;
  readonly hideRing: Float32Array<ArrayBuffer>;
}

/** Another reference to every array of a layer or the head, for a call that consumes it. */
const refs = <T extends DeviceLayer | DeviceHead>(w: T): T =>
  Object.fromEntries(
    Object.entries(w).map(([name, array]: [string, np.Array]) => [name, array.ref]),
  ) as unknown as T;

/** Runs the decoder over a cache: single decode steps, and chunks of given text. */
export class Stepper {
  #weights: DeviceWeights;
  readonly #config: PolicyConfig;
  readonly #rotary: Rotary;
  /** Layers whose queries and keys are not turned. */
  readonly #unturned: ReadonlySet<number>;
  readonly #layers = new Map<string, LayerFunction>();
  readonly #head: HeadFunction;
  /** WASM kernels run at once in this thread; a GPU answers later. */
  readonly #sync: boolean;
  /** Shapes of steps whose kernels exist. */
  readonly #compiled = new Set<string>();
  /** Told before a step, behind each of its layers and at its end. */
  onWork: (work: Work) => void = () => undefined;
  #work: Work = 'compiling';

  constructor(weights: DeviceWeights, sync: boolean) {
    this.#weights = weights;
    this.#config = weights.config;
    this.#rotary = new Rotary(weights.config);
    this.#unturned = new Set(variantOf(weights.config).unturnedLayers);
    this.#head = outputHead(weights.config);
    this.#sync = sync;
  }

  /** Other weights of the same shape; what was compiled stays, for weights are its arguments. */
  setWeights(weights: DeviceWeights): void {
    // The bound on scores is compiled in; adapters leave q and k norms, and so the bound, alone.
    if (weights.scoreBound !== this.#weights.scoreBound) {
      this.#layers.clear();
      this.#compiled.clear();
    }
    this.#weights = weights;
  }

  /** Layers were made anew where they lie; other types of their arrays have other kernels. */
  layersChanged(): void {
    this.#compiled.clear();
  }

  /** Feeds one token to each given slot. Logits of all slots of the cache: [slots, vocab]. */
  async decode(cache: KvCache, tokens: readonly SlotTokens[]): Promise<Float32Array> {
    const inputs = this.#emptyInputs(cache, 1);
    for (const { slot, position, ids } of tokens) {
      this.#placeToken(inputs, slot, position, ids[0]!);
      inputs.write[slot * CHUNK + (position % CHUNK)] = 1;
      const start = ringStart(position);
      inputs.hideMain.fill(0, slot * cache.capacity, slot * cache.capacity + start);
      for (let p = start; p <= position; p++) inputs.hideRing[slot * CHUNK + (p % CHUNK)] = 0;
    }
    return this.#working(`${cache.slots}/1/${cache.capacity}`, () => {
      const x = this.#runLayers(cache, 1, inputs);
      return this.#head(x, refs(this.#weights.head));
    });
  }

  /**
   * Reads text into slots, at most to the end of the chunk that `position` lies in. Positions
   * before that chunk must have been flushed to the main store.
   */
  async prefill(cache: KvCache, tokens: readonly SlotTokens[]): Promise<void> {
    const inputs = this.#emptyInputs(cache, CHUNK);
    const group = this.#config.heads / this.#config.kvHeads;
    for (const { slot, position, ids } of tokens) {
      const base = position - (position % CHUNK);
      ids.forEach((id, i) => {
        const row = position + i - base;
        this.#placeToken(inputs, slot * CHUNK + row, position + i, id);
        inputs.write[slot * CHUNK + row] = 1;
        for (let head = 0; head < group; head++) {
          const at = ((slot * group + head) * CHUNK + row) * CHUNK;
          inputs.hideRing.fill(0, at, at + row + 1);
        }
      });
      inputs.hideMain.fill(0, slot * cache.capacity, slot * cache.capacity + base);
    }
    const shape = `${cache.slots}/${CHUNK}/${cache.capacity}`;
    await this.#working(shape, () => this.#runLayers(cache, CHUNK, inputs));
  }

  /** Runs a step and reads what it gives. The first of a shape compiles its kernels. */
  async #working(shape: string, step: () => np.Array): Promise<Float32Array> {
    this.#work = this.#compiled.has(shape) ? 'computing' : 'compiling';
    this.onWork(this.#work);
    const read = await this.#read(step());
    this.#compiled.add(shape);
    this.onWork('computing');
    return read;
  }

  #emptyInputs(cache: KvCache, tokens: number): HostInputs {
    const { slots, capacity } = cache;
    const { hiddenSize, headDim, heads, kvHeads } = this.#config;
    const rows = tokens === 1 ? 1 : (heads / kvHeads) * tokens;
    return {
      x: new Float32Array(slots * tokens * hiddenSize),
      cos: new Float32Array(slots * tokens * headDim),
      sin: new Float32Array(slots * tokens * headDim),
      write: new Float32Array(slots * CHUNK),
      hideMain: new Float32Array(slots * capacity).fill(HIDDEN),
      hideRing: new Float32Array(slots * rows * CHUNK).fill(HIDDEN),
    };
  }

  /** Embedding and rotary factors of a token into row `row` of [slots tokens, …]. */
  #placeToken(inputs: HostInputs, row: number, position: number, id: number): void {
    const { hiddenSize, headDim } = this.#config;
    inputs.x.set(this.#weights.embed.row(id), row * hiddenSize);
    const { cos, sin } = this.#rotary.at(position);
    inputs.cos.set(cos, row * headDim);
    inputs.sin.set(sin, row * headDim);
  }

  #runLayers(cache: KvCache, tokens: number, host: HostInputs): np.Array {
    const { slots, capacity } = cache;
    const { hiddenSize, headDim } = this.#config;
    const step = {
      cos: np.array(host.cos, { shape: [slots, tokens, 1, headDim] }),
      sin: np.array(host.sin, { shape: [slots, tokens, 1, headDim] }),
      write: np.array(host.write, { shape: [slots, CHUNK] }),
      hideMain: np.array(host.hideMain, { shape: [slots, 1, 1, capacity] }),
      hideRing: np.array(host.hideRing, {
        shape: [slots, 1, host.hideRing.length / (slots * CHUNK), CHUNK],
      }),
    };
    // Turning by no angle, for layers without positions.
    const still = this.#unturned.size > 0 && {
      cos: np.array(new Float32Array(host.cos.length).fill(1), { shape: step.cos.shape }),
      sin: np.array(new Float32Array(host.sin.length), { shape: step.sin.shape }),
    };
    let x = np.array(host.x, { shape: [slots * tokens, hiddenSize] });
    for (const [i, weights] of this.#weights.layers.entries()) {
      const turn = still && this.#unturned.has(i) ? still : step;
      const at = {
        cos: turn.cos.ref,
        sin: turn.sin.ref,
        write: step.write.ref,
        hideMain: step.hideMain.ref,
        hideRing: step.hideRing.ref,
      };
      const { mainK, mainV, ringK, ringV } = cache.layers[i]!;
      // One more kind of layer to compile, which pays on the CPU only.
      const cacheOnly = this.#sync && tokens > 1 && i === cache.layers.length - 1;
      const out = this.#layer({ slots, tokens, cacheOnly })(
        x,
        { mainK: mainK.ref, mainV: mainV.ref, ringK, ringV },
        at,
        refs(weights),
      );
      cache.layers[i] = { mainK, mainV, ringK: out.ringK, ringV: out.ringV };
      x = out.x;
      // Kernels wait until something is read. On the CPU, reading a little now lets the next layer
      // reuse memory that is still in the processor's cache; on a GPU it would only cost a round trip.
      if (this.#sync) x.ref.dataSync();
      this.onWork(this.#work);
    }
    for (const array of Object.values(step)) array.dispose();
    if (still) for (const array of Object.values(still)) array.dispose();
    return x;
  }

  #layer(shape: Pick<LayerShape, 'slots' | 'tokens' | 'cacheOnly'>): LayerFunction {
    const key = `${shape.slots}/${shape.tokens}/${shape.cacheOnly}`;
    let layer = this.#layers.get(key);
    if (!layer) {
      const { config, scoreBound } = this.#weights;
      layer = decoderLayer({ ...shape, config, scoreBound });
      this.#layers.set(key, layer);
    }
    return layer;
  }

  async #read(array: np.Array): Promise<Float32Array> {
    return (this.#sync ? array.dataSync() : await array.data()) as Float32Array;
  }
}
