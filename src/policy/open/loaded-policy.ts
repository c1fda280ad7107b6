import { viewGates } from '../latent/gates.ts';
import { checkedSlots } from '../lora/check.ts';
import type { LoraSpec } from '../lora/spec.ts';
import type { TrainLimits } from '../lora/train-batch.ts';
import type { LoraTrainer } from '../lora/trainer.ts';
import type { TensorSource } from '../checkpoint/tensor-source.ts';
import type { HeldTypes } from '../checkpoint/weight-type.ts';
import { parameterCount } from '../checkpoint/weights.ts';
import { GenerationEngine } from '../generation/engine.ts';
import type { EngineOptions } from '../generation/options.ts';
import { measureDevice, type DeviceMeasure, type MeasureOptions } from '../measure/device.ts';
import { adapterShapes } from '../model/adapter.ts';
import { agreement, type Agreement, type AgreementOptions } from '../model/agreement.ts';
import type { AdapterPlaces, Decoder } from '../model/decoder.ts';
import { DecoderLoraTrainer } from '../model/trainer.ts';
import type { Adapter, MatrixType, StoreType } from '../ops/values.ts';
import type {
  LoraValues,
  Policy,
  PolicyChat,
  PolicyInfo,
  PolicySession,
  PolicyTokenizer,
} from '../policy.ts';
import type { Work } from '../watchdog.ts';
import type { PolicyDevice } from './device.ts';

/** Tokens of the text that packed weights are compared with their checkpoint on. */
const AGREEMENT_TOKENS = 256;

/** Plain English of several kinds: narration, facts with figures, a question, a list, some code. */
export const AGREEMENT_TEXT = `The lighthouse at the end of the bay was built in 1874, after two ships had been lost on the rocks in one winter. It stands 38 metres high, and its lamp can be seen from a distance of about thirty kilometres. For more than a hundred years a keeper lived there with his family; since 1983 it has worked by itself, and an engineer comes once a month to look after it.

"Did nobody miss the keeper?" asked the girl.

"The birds did," said her grandfather, and laughed. "He used to feed them every morning, in any weather. When he left, they sat on the railing for weeks and waited."

Water boils at 100 degrees Celsius at sea level, but at a lower temperature in the mountains, because the pressure of the air is lower there. This is why it takes longer to cook rice on a high pass than in a harbour.

Question: Which river flows through both Vienna and Budapest?
Answer: The Danube. It rises in the Black Forest in Germany and flows east for some 2,850 kilometres before it reaches the Black Sea.

To make bread for four people you need:
1. 500 grams of flour
2. 300 millilitres of warm water
3. 10 grams of salt
4. a little yeast
Mix everything, let the dough rest for two hours, and bake it until the crust is brown.

function total(prices) {
  let sum = 0;
  for (const price of prices) sum += price;
  return sum;
}

In the end the committee decided, by seven votes to two, that the old bridge should be repaired rather than replaced.`;

export type Started = Omit<
  PolicyInfo,
  'device' | 'parameters' | 'maxContext' | 'onDevice' | 'keys'
>;

export interface LoadedOptions {
  readonly device: PolicyDevice;
  /** What its matrices are held in. */
  readonly type: HeldTypes;
  /** What keys and values of its contexts are held in. */
  readonly keys: StoreType;
  readonly maxSlots?: number | undefined;
  readonly chat?: PolicyChat | undefined;
  /** What weights or contexts of fewer bits stand for, to be compared with. */
  readonly source?: TensorSource | undefined;
}

/** Tokens of given text that a turn reads: some tens of milliseconds on either device. */
const PREFILL_CHUNK = { wasm: 256, webgpu: 1024 } as const;

/** As long as a search may take, after which a context that rests continues and ends. */
const MEMORY_WAIT_MS = 60_000;

/** Contexts that decode together by default. */
export const MAX_SLOTS = 64;

/** How the engine of a policy works on a device, except for stop texts. */
export const engineOptions = (
  device: PolicyDevice,
  maxSlots: number,
  keys: StoreType,
): EngineOptions => ({
  maxSlots,
  prefillChunk: PREFILL_CHUNK[device],
  keys,
  memoryWaitMs: MEMORY_WAIT_MS,
});

/** The type that all matrices have. */
function onlyType(types: HeldTypes): MatrixType | 'mixed' {
  if (typeof types === 'string') return types;
  const [first, ...others] = new Set(Object.values(types));
  return first && others.length === 0 ? first : 'mixed';
}

/** A policy on this device. It samples, and trains adapters, over one copy of its weights. */
export class LoadedPolicy implements Policy {
  readonly info: PolicyInfo;
  readonly tokenizer: PolicyTokenizer;
  readonly chat?: PolicyChat;
  readonly #decoder: Decoder;
  readonly #engine: GenerationEngine;
  readonly #source: TensorSource | null;
  readonly #keys: StoreType;
  #adapter: { adapter: Adapter; places: AdapterPlaces; key: string } | null = null;

  /** @throws MemoryError */
  constructor(
    decoder: Decoder,
    tokenizer: PolicyTokenizer,
    info: Started,
    { device, type, keys, maxSlots = MAX_SLOTS, chat, source }: LoadedOptions,
  ) {
    const { config } = decoder;
    this.info = {
      ...info,
      device,
      onDevice: onlyType(type),
      keys,
      parameters: parameterCount(config),
      maxContext: config.maxPositions,
    };
    this.tokenizer = tokenizer;
    if (chat) this.chat = chat;
    this.#decoder = decoder;
    this.#source = source ?? null;
    this.#keys = keys;
    this.#engine = new GenerationEngine(decoder, {
      ...engineOptions(device, maxSlots, keys),
      decode: (ids) => tokenizer.decode(ids),
    });
  }

  open(seed: number, drawn = 0): Promise<PolicySession> {
    return Promise.resolve(this.#engine.open(seed, drawn));
  }

  /** The adapter is added to the products; the weights stay as they are. */
  async setAdapter(adapter: LoraValues | null): Promise<void> {
    const { ops, config } = this.#decoder;
    if (!adapter) return this.#engine.useAdapter(null);
    checkedSlots(config, adapter.spec, adapter.flat);
    await this.#engine.update(async (decoder) => {
      const on = this.#adapterFor(adapter.spec);
      const { spec, flat } = adapter;
      const factors = on.adapter.length;
      ops.writeAdapter(on.adapter, flat.subarray(0, factors));
      const gates = spec.gates ? viewGates(flat.slice(factors), config.hiddenSize) : null;
      decoder.useAdapter(on.adapter, on.places, gates);
    });
  }

  /**
   * A trainer of adapters over the same weights, whose keys and values are held like those that were sampled with:
   * else the two would give the same tokens other probabilities. To be disposed of before the policy.
   * @throws RangeError for a spec that no adapter can have; MemoryError
   */
  trainer(spec: LoraSpec, limits: TrainLimits): LoraTrainer {
    return new DecoderLoraTrainer(this.#decoder.view(), spec, limits, this.#keys);
  }

  /** Resolves with the reason when the device is taken away; it is of no use any more then. */
  get lost(): Promise<string> | undefined {
    return this.#decoder.ops.lost;
  }

  /**
   * How near weights and contexts of fewer bits are to their checkpoint, on a fixed English text.
   * @throws Error where neither has fewer; the signal's reason; MemoryError
   */
  async agreement(options: Omit<AgreementOptions, 'type' | 'keys'> = {}): Promise<Agreement> {
    if (!this.#source)
      throw new Error(
        'policy: weights and contexts are not quantised; there is nothing to compare',
      );
    const ids = this.tokenizer.encodeText(AGREEMENT_TEXT);
    const tokens = ids.slice(0, Math.min(AGREEMENT_TOKENS, this.info.maxContext));
    const type = this.#source.dtype === 'f16' ? 'f16' : 'f32';
    return agreement(this.#decoder, this.#source, tokens, { ...options, type, keys: this.#keys });
  }

  /** How fast its device is, and how much of that it uses. @throws the signal's reason */
  measure(options: Omit<MeasureOptions, 'keys'> = {}): Promise<DeviceMeasure> {
    return measureDevice(this.#decoder, { ...options, keys: this.#keys });
  }

  onWork(listener: (work: Work) => void): void {
    this.#engine.onWork(listener);
  }

  dispose(): void {
    this.#engine.dispose();
  }

  /** Kept from one set of values to the next of the same shape. */
  #adapterFor(spec: LoraSpec): { adapter: Adapter; places: AdapterPlaces } {
    const key = JSON.stringify([spec.rank, spec.alpha, spec.targets]);
    if (this.#adapter?.key === key) return this.#adapter;
    const { ops, config } = this.#decoder;
    if (this.#adapter) ops.free(this.#adapter.adapter);
    const { shapes, places } = adapterShapes(config, spec);
    this.#adapter = { adapter: ops.adapter(shapes, false), places, key };
    return this.#adapter;
  }
}
