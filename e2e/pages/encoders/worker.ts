import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import gpuWasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import config from '../../../test/fixtures/encoders/bert-encoder/config.json?raw';
import expectedText from '../../../test/fixtures/encoders/bert-encoder/expected.json?raw';
import modelUrl from '../../../test/fixtures/encoders/bert-encoder/onnx/model.onnx?url';
import modules from '../../../test/fixtures/encoders/bert-encoder/modules.json?raw';
import pooling from '../../../test/fixtures/encoders/bert-encoder/1_Pooling/config.json?raw';
import prompts from '../../../test/fixtures/encoders/bert-encoder/config_sentence_transformers.json?raw';
import tokenizer from '../../../test/fixtures/encoders/bert-encoder/tokenizer.json?raw';
import tokenizerConfig from '../../../test/fixtures/encoders/bert-encoder/tokenizer_config.json?raw';
import { loadOrt, type EncoderDevice } from '../../../src/retrieval/encoder/runtime.ts';
import { EncoderHost } from '../../../src/lab/models/encoder-host.ts';
import { EncoderStore } from '../../../src/lab/models/encoder-store.ts';
import { OpfsBlobs } from '../../../src/lab/storage/opfs.ts';

/** Largest differences of vectors from those of sentence-transformers, by device. */
export interface EncodersReport {
  wasm: number;
  webgpu: number;
  /** Encoders that a second host finds on the disk. */
  stored: number;
}

const ORT: Record<EncoderDevice, string> = { wasm: wasmUrl, webgpu: gpuWasmUrl };
const bytesOf = async (url: string): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(url)).arrayBuffer());

const host = (): EncoderHost =>
  new EncoderHost(new EncoderStore(new OpfsBlobs()), async (device) =>
    loadOrt(device, await bytesOf(ORT[device])),
  );

async function worstDifference(device: EncoderDevice, id: string): Promise<number> {
  const { texts, document: vectors } = JSON.parse(expectedText) as {
    texts: string[];
    document: number[][];
  };
  const encoder = await host().encoder(id, device);
  const { values } = await encoder.encodePassages(
    texts.map((text, i) => ({ id: String(i), title: '', text, sentences: [text] })),
  );
  await encoder.dispose();
  return Math.max(...vectors.flat().map((value, i) => Math.abs(value - values[i]!)));
}

async function measure(): Promise<EncodersReport> {
  const files = {
    'modules.json': modules,
    '1_Pooling/config.json': pooling,
    'config_sentence_transformers.json': prompts,
    'config.json': config,
    'tokenizer.json': tokenizer,
    'tokenizer_config.json': tokenizerConfig,
    'onnx/model.onnx': await bytesOf(modelUrl),
  };
  const { id } = await host().add(
    Object.entries(files).map(([path, text]) => ({ path: `tiny/${path}`, blob: new Blob([text]) })),
  );
  return {
    stored: (await host().list()).length,
    wasm: await worstDifference('wasm', id),
    webgpu: await worstDifference('webgpu', id),
  };
}

measure().then(
  (report) => postMessage(report),
  (error: unknown) =>
    postMessage({
      error: error instanceof Error ? `${error.message}: ${String(error.cause)}` : '',
    }),
);
