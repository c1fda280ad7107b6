import { readFile } from 'node:fs/promises';
import { loadOrt, ORT_WASM_FILE, type OrtModule } from '../../../src/retrieval/encoder/runtime.ts';

/** onnxruntime-web's WebAssembly build in Node. */
export async function nodeOrt(): Promise<OrtModule> {
  const url = new URL(
    `../../../node_modules/onnxruntime-web/dist/${ORT_WASM_FILE.wasm}`,
    import.meta.url,
  );
  return loadOrt('wasm', await readFile(url));
}
