import { WasmMemory } from '../../policy/wasm/memory.ts';
import { EncoderError } from './errors.ts';
import type { EncoderManifest } from './manifest.ts';
import type { PaddedBatch } from './tokens.ts';
import { EncoderModel } from './built-in/model.ts';
import { OUTPUT, readOnnx } from './built-in/onnx-file.ts';
import { Products } from './built-in/products.ts';

/** Most memory of the encoder, 64 MiB in pages: 16 texts of 128 tokens take a sixth of it. */
const PAGES = 1024;

/** Runs the built-in encoder without onnxruntime: unit vectors [texts, dimensions] of a batch. */
export type RunBuiltIn = (batch: PaddedBatch) => Float32Array;

/**
 * The built-in encoder on kernels that the policy has already brought along. onnxruntime is 14 MB of WebAssembly, and a
 * browser takes seconds to optimise it; for a query of ten tokens that is most of what a first visit would do.
 * Without fused multiply-add, so that every browser and Node give a query the same bits.
 * @returns null where the folder holds another model
 * @throws MemoryError where the engine gives no memory
 */
export async function openBuiltIn(
  manifest: EncoderManifest,
  file: Uint8Array,
): Promise<RunBuiltIn | null> {
  const { dimensions, maxTokens, normalize, output = OUTPUT, pooling } = manifest;
  if (output !== OUTPUT || pooling !== 'none' || normalize) return null;
  const read = readOnnx(file);
  if (!read || read.config.out !== dimensions || read.config.maxTokens < maxTokens) return null;
  const { config, weights } = read;
  const memory = await WasmMemory.create(false, [PAGES]);
  const model = new EncoderModel(config, new Products(memory), weights);
  return (batch) => {
    const unknown = batch.ids.find((id) => id >= config.vocabSize);
    if (unknown !== undefined)
      throw new EncoderError(
        `${manifest.tokenizer} gives token ${unknown}; ${manifest.model} knows ${config.vocabSize}`,
      );
    return model.encode(batch);
  };
}
