import type { PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { prepareNode } from '../../src/policy/node/prepare.ts';
import type { LoraSpec } from '../../src/policy/lora/spec.ts';
import { decodeTrial, readTrial, stepTrial, type Trial } from '../../src/policy/measure/trials.ts';
import type { Decoder } from '../../src/policy/model/decoder.ts';
import type { MatrixType } from '../../src/policy/ops/values.ts';
import { createWebGpuOps } from '../../src/policy/webgpu/ops.ts';
import type { Dispatch, GpuCounts } from './null-gpu/counts.ts';
import { installNullGpu, type NullGpu } from './null-gpu/install.ts';
import { unfilledDecoder } from './unfilled.ts';

/** One phase of the engine, by what it asked of the device. */
export interface Counted extends GpuCounts {
  /** Buffers that existed when it began, weights included. */
  readonly liveBefore: number;
}

/** The engine on a device that executes nothing. */
export class CountedEngine {
  readonly decoder: Decoder;
  readonly weightBytes: number;
  readonly #gpu: NullGpu;

  private constructor(gpu: NullGpu, decoder: Decoder) {
    this.#gpu = gpu;
    this.decoder = decoder;
    this.weightBytes = gpu.counter.liveBytes;
  }

  /** Makes a decoder whose weights hold nothing. @param options features and limits as an adapter has them */
  static async start(
    config: PolicyConfig,
    type: MatrixType,
    options: Parameters<typeof installNullGpu>[0] = {},
  ): Promise<CountedEngine> {
    // Node before version 21 has no navigator.
    prepareNode();
    const gpu = installNullGpu(options);
    return new CountedEngine(gpu, unfilledDecoder(await createWebGpuOps(), config, type));
  }

  get gpu(): NullGpu {
    return this.#gpu;
  }

  /** What a trial asks for when it runs for the first time, and after that. */
  async counted(trial: Trial): Promise<{ first: Counted; again: Counted }> {
    const result = { first: await this.#once(trial), again: await this.#once(trial) };
    trial.free();
    return result;
  }

  decode(slots: number, context: number): Promise<{ first: Counted; again: Counted }> {
    return this.counted(decodeTrial(this.decoder, slots, context));
  }

  read(contexts: number, length: number): Promise<{ first: Counted; again: Counted }> {
    return this.counted(readTrial(this.decoder, contexts, length));
  }

  async step(spec: LoraSpec, tokens: number, length: number) {
    return this.counted(await stepTrial(this.decoder, spec, tokens, length));
  }

  /** The dispatches of a trial that ran before, in their order. */
  async recorded(trial: Trial): Promise<{ counted: Counted; dispatches: Dispatch[] }> {
    await trial.run();
    const { counter } = this.#gpu;
    counter.recording = true;
    const counted = await this.#once(trial);
    counter.recording = false;
    const { dispatches } = counter;
    counter.restart();
    return { counted, dispatches };
  }

  /** Gives the device back. */
  close(): void {
    this.decoder.dispose();
    this.#gpu.uninstall();
  }

  async #once(trial: Trial): Promise<Counted> {
    const { counter } = this.#gpu;
    counter.restart();
    // What a trial is made of counts as well, but not the weights.
    const liveBefore = this.weightBytes;
    await trial.run();
    return { ...counter.counts, liveBefore };
  }
}
