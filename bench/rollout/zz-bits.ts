import v8 from 'node:v8';
if (process.env['FMA']) v8.setFlagsFromString('--experimental-wasm-relaxed-simd');
(globalThis as {navigator?: unknown}).navigator ??= { hardwareConcurrency: 2 };
const { init, defaultDevice } = await import('@jax-js/jax');
const { initWeights } = await import('../../src/policy/weights.ts');
const { uploadWeights } = await import('../../src/policy/generation/device-weights.ts');
const { KvCache } = await import('../../src/policy/generation/kv-cache.ts');
const { Stepper } = await import('../../src/policy/generation/stepper.ts');
await init('wasm'); defaultDevice('wasm');
const tiny = process.argv[2] === 'tiny';
const config = tiny ? { vocabSize: 288, hiddenSize: 32, layers: 2, heads: 4, kvHeads: 2, headDim: 8, intermediateSize: 32, rmsNormEps: 1e-6, ropeTheta: 10000, tieWordEmbeddings: true, maxPositions: 256 }
 : { vocabSize: 2048, hiddenSize: +(process.argv[3] ?? 192), layers: 2, heads: +(process.argv[4]??6), kvHeads: +(process.argv[5]??3), headDim: 32, intermediateSize: +(process.argv[6]??512), rmsNormEps: 1e-6, ropeTheta: 10000, tieWordEmbeddings: true, maxPositions: 1024 };
const stepper = new Stepper(uploadWeights(initWeights(config, 3)), true);
const ids = Array.from({ length: 80 }, (_, i) => (i * 37) % config.vocabSize);
const hash = (a: Float32Array) => { const b = new Uint32Array(a.buffer, a.byteOffset, a.length); let h = 7; for (const v of b) h = (Math.imul(h, 31) + v) >>> 0; return h.toString(16); };
for (const [B, C] of [[1, 64], [1, 128], [2, 128], [3, 128], [4, 64], [4, 128], [4, 256], [8, 128], [16, 128], [16, 512], [32, 128], [64, 128]] as const) {
  const cache = new KvCache(config, B, C);
  const slot = B - 1; const out: string[] = [];
  await stepper.prefill(cache, [{ slot, position: 0, ids: ids.slice(0, 32) }]);
  out.push('prefillV ' + hash((cache.layers[1]!.ringV.ref.dataSync() as Float32Array).subarray(slot * config.kvHeads * 32 * config.headDim)));
  cache.flush([{ slot, from: 0, to: 32 }]);
  for (let p = 32; p < 36; p++) { const l = await stepper.decode(cache, [{ slot, position: p, ids: [ids[p]!] }]); out.push(hash(l.subarray(slot * config.vocabSize, (slot + 1) * config.vocabSize))); }
  console.log(B, C, out.join(' '));
  cache.dispose();
}
