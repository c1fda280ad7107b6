/** What is used of onnxruntime-web; both of its builds have this shape. */
export type OrtModule = typeof import('onnxruntime-web');

export type EncoderDevice = 'wasm' | 'webgpu';

/** The WebAssembly file of onnxruntime-web's build for a device, in the package's `dist` folder. */
export const ORT_WASM_FILE: Record<EncoderDevice, string> = {
  wasm: 'ort-wasm-simd-threaded.wasm',
  webgpu: 'ort-wasm-simd-threaded.asyncify.wasm',
};

/**
 * Loads onnxruntime-web's build for a device, with the bytes of its WebAssembly file
 * (`ORT_WASM_FILE`), which the caller reads from where it serves them. One thread: the model is
 * small, and sums in one order are the same everywhere.
 */
export async function loadOrt(device: EncoderDevice, wasmBinary: Uint8Array): Promise<OrtModule> {
  const ort =
    device === 'webgpu'
      ? await import('onnxruntime-web/webgpu')
      : await import('onnxruntime-web/wasm');
  ort.env.wasm.numThreads = 1;
  ort.env.wasm.wasmBinary = wasmBinary;
  ort.env.logLevel = 'error';
  return ort;
}
