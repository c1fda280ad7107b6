import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import type { WeightType } from '../../src/policy/checkpoint/weight-type.ts';
import type { DeviceWeights } from '../../src/policy/engine/device-weights.ts';
import { CHUNK, PREFILL_SLOTS } from '../../src/policy/engine/shapes.ts';
import type { LoraSpec } from '../../src/policy/lora/spec.ts';
import { packBatch } from '../../src/policy/lora/train-batch.ts';
import type { GpuCounts } from './null-gpu/counts.ts';
import { installNullGpu, type NullGpu } from './null-gpu/install.ts';
import { zeroSource } from './zero-source.ts';

/** One phase of the engine, by what it asked of the device. */
export interface Counted extends GpuCounts {
  /** Buffers that existed when it began, weights included. */
  readonly liveBefore: number;
}

export interface LoraBatch {
  readonly tokens: number;
  readonly length: number;
}

const roundUp = (count: number, step: number): number => Math.ceil(count / step) * step;

/**
 * Node before version 24 has no Float16Array, without which halves are uploaded as float32 first; browsers
 * have it. Of no use for numbers: it holds 16 bits an element.
 */
function fillInHalves(): void {
  if (!('Float16Array' in globalThis))
    Object.assign(globalThis, { Float16Array: class Float16Array extends Uint16Array {} });
}

/** jax-js keeps its device for the life of a process, and so there is one null device. */
let started: Promise<NullGpu> | null = null;

async function startDevice(): Promise<NullGpu> {
  fillInHalves();
  const gpu = installNullGpu({ features: ['shader-f16'] });
  const { defaultDevice, init } = await import('@jax-js/jax');
  await init('webgpu');
  defaultDevice('webgpu');
  const { manageDeviceMemory } = await import('../../src/policy/jax/device-memory.ts');
  await manageDeviceMemory();
  return gpu;
}

/** The engine of this repository on a null device. */
export class PresentEngine {
  readonly #gpu: NullGpu;
  readonly #config: PolicyConfig;
  readonly #type: WeightType;

  private constructor(gpu: NullGpu, config: PolicyConfig, type: WeightType) {
    this.#gpu = gpu;
    this.#config = config;
    this.#type = type;
  }

  static async start(config: PolicyConfig, type: WeightType): Promise<PresentEngine> {
    started ??= startDevice();
    const gpu = await started;
    // Nothing that another left free.
    const { trimDeviceMemory } = await import('../../src/policy/jax/device-memory.ts');
    trimDeviceMemory(0);
    return new PresentEngine(gpu, config, type);
  }

  get liveBytes(): number {
    return this.#gpu.counter.liveBytes;
  }

  async counted(phase: () => Promise<unknown>): Promise<Counted> {
    const { counter } = this.#gpu;
    counter.restart();
    const liveBefore = counter.liveBytes;
    await phase();
    return { ...counter.counts, liveBefore };
  }

  async upload(): Promise<DeviceWeights> {
    const { uploadFrom } = await import('../../src/policy/engine/device-weights.ts');
    const source = zeroSource(this.#config, this.#type === 'f16' ? 'bf16' : 'f32');
    return uploadFrom(source, { type: this.#type });
  }

  /**
   * Sampling at the fullest: contexts whose last chunk is read in the cache of the reader, moved to the slots,
   * written to the main store, and continued by one token.
   */
  async sampling(weights: DeviceWeights, slots: number, context: number) {
    const { Stepper } = await import('../../src/policy/engine/stepper.ts');
    const { KvCache } = await import('../../src/policy/engine/kv-cache.ts');
    const { bucketOf, COARSE_BUCKETS } = await import('../../src/policy/engine/shapes.ts');
    const { trimDeviceMemory } = await import('../../src/policy/jax/device-memory.ts');
    trimDeviceMemory(0);
    const config = this.#config;
    const [decoding, capacity] = [
      bucketOf(COARSE_BUCKETS.decode, slots),
      bucketOf(COARSE_BUCKETS.capacity, context),
    ];
    const stepper = new Stepper(weights, false);
    const main = new KvCache(config, decoding, capacity);
    const reader = new KvCache(config, PREFILL_SLOTS, capacity);
    const last = roundUp(context, CHUNK) - CHUNK;
    const places = Array.from({ length: Math.min(slots, PREFILL_SLOTS) }, (_, slot) => slot);
    const ids = Array.from({ length: context - last - 1 }, (_, i) => i % config.vocabSize);
    const flush = (of: InstanceType<typeof KvCache>, to: number) =>
      of.flush(places.map((slot) => ({ slot, from: Math.max(0, to - CHUNK), to })));
    const prefill = async () => {
      flush(reader, last);
      await stepper.prefill(
        reader,
        places.map((slot) => ({ slot, position: last, ids })),
      );
    };
    const move = () => {
      main.copyFrom(
        reader,
        places.map((slot) => ({ from: slot, to: slot })),
      );
      flush(main, context - 1);
      return Promise.resolve();
    };
    const step = Array.from({ length: slots }, (_, slot) => ({
      slot,
      position: context - 1,
      ids: [slot % config.vocabSize],
    }));
    const decode = () => stepper.decode(main, step);
    const first = await this.counted(async () => {
      await prefill();
      await move();
      await decode();
    });
    const phases = {
      first,
      prefill: await this.counted(prefill),
      move: await this.counted(move),
      decode: await this.counted(decode),
    };
    main.dispose();
    reader.dispose();
    return phases;
  }

  /** LoRA steps over `tokens` in sequences of `length`, all of whose tokens are trained; by one trainer. */
  async loraSteps(adapter: LoraSpec, batches: readonly LoraBatch[]) {
    const { createJaxLoraTrainer } = await import('../../src/policy/lora/jax/trainer.ts');
    const { initAdapter } = await import('../../src/policy/lora/init.ts');
    const { trimDeviceMemory } = await import('../../src/policy/jax/device-memory.ts');
    const source = zeroSource(this.#config, this.#type === 'f16' ? 'bf16' : 'f32');
    const limits = {
      maxTokens: Math.max(...batches.map(({ tokens }) => tokens)),
      maxLength: Math.max(...batches.map(({ length }) => length)),
    };
    const before = this.liveBytes;
    const trainer = await createJaxLoraTrainer(source, adapter, limits, this.#type);
    const baseBytes = this.liveBytes - before;
    await trainer.setAdapter(initAdapter(this.#config, adapter, 1));
    const all: { first: Counted; step: Counted; score: Counted }[] = [];
    for (const { tokens, length } of batches) {
      trimDeviceMemory(0);
      const ids = Array.from({ length }, (_, i) => i % this.#config.vocabSize);
      const sequence = { ids, weights: ids.map(() => 1) };
      const batch = packBatch(Array.from({ length: Math.floor(tokens / length) }, () => sequence));
      const step = () => trainer.accumulate(batch, ({ logprobs }) => logprobs.map(() => 1));
      all.push({
        first: await this.counted(step),
        step: await this.counted(step),
        score: await this.counted(() => trainer.score(batch)),
      });
    }
    trainer.dispose();
    return { baseBytes, steps: all };
  }
}
