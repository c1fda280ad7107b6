import { EncoderError } from './errors.ts';
import type { InferenceSession } from 'onnxruntime-web';
import { present } from '../../base/items.ts';
import { fromFloat16 } from '../../base/float16.ts';
import type { EncoderDevice, OrtModule } from './runtime.ts';
import type { PaddedBatch } from './tokens.ts';

/** An ONNX model over padded token ids, run by onnxruntime-web; one run at a time. */
export class TextModelSession {
  readonly #ort: OrtModule;
  readonly #session: InferenceSession;
  readonly #output: string;
  /** Runs follow one another: a session takes one at a time. */
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(ort: OrtModule, session: InferenceSession, output: string) {
    this.#ort = ort;
    this.#session = session;
    this.#output = output;
  }

  /** @throws Error that names the file, the output or the input that is at fault */
  static async open(
    ort: OrtModule,
    device: EncoderDevice,
    file: { name: string; bytes: Uint8Array; output?: string },
  ): Promise<TextModelSession> {
    const { name, bytes } = file;
    const session = await ort.InferenceSession.create(bytes, {
      executionProviders: [device],
    }).catch((cause: unknown) => {
      throw new EncoderError(`${name}: onnxruntime cannot load it on ${device}`, { cause });
    });
    const output = file.output ?? session.outputNames[0] ?? '';
    if (!session.outputNames.includes(output)) {
      await session.release();
      throw new EncoderError(
        `${name}: has no output "${output}"; it has ${session.outputNames.join(', ')}`,
      );
    }
    const unknown = session.inputNames.filter((input) => !INPUTS.has(input));
    if (unknown.length > 0) {
      await session.release();
      throw new EncoderError(`${name}: needs unknown inputs: ${unknown.join(', ')}`);
    }
    return new TextModelSession(ort, session, output);
  }

  /** The values of the output for one batch. */
  run(batch: PaddedBatch): Promise<Float32Array> {
    const run = this.#queue.catch(() => undefined).then(() => this.#runNow(batch));
    this.#queue = run;
    return run;
  }

  async dispose(): Promise<void> {
    await this.#queue.catch(() => undefined);
    await this.#session.release();
  }

  async #runNow(batch: PaddedBatch): Promise<Float32Array> {
    const dims = [batch.rows, batch.length];
    const inputs: Record<string, InstanceType<OrtModule['Tensor']>> = {};
    for (const name of this.#session.inputNames) {
      const values = BigInt64Array.from(valuesOf(batch, name), BigInt);
      inputs[name] = new this.#ort.Tensor('int64', values, dims);
    }
    const outputs = await this.#session.run(inputs, [this.#output]);
    const { type, data } = present(outputs[this.#output], `the model's output "${this.#output}"`);
    if (data instanceof Float32Array) return data;
    if (type === 'float16')
      // Where the engine has halves of its own, onnxruntime gives those.
      return data instanceof Uint16Array
        ? fromFloat16(data)
        : Float32Array.from(data as ArrayLike<number>);
    throw new EncoderError(`the model's output "${this.#output}" holds no floating-point numbers`);
  }
}

const INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);

function valuesOf({ ids, mask, types, length }: PaddedBatch, input: string): Int32Array {
  if (input === 'input_ids') return ids;
  if (input === 'attention_mask') return mask;
  if (input === 'token_type_ids') return types;
  return Int32Array.from(ids, (_, i) => i % length);
}
