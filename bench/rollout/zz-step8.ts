import { prepareNode } from '../../src/policy/jax-node.ts';
prepareNode();
const { init, defaultDevice } = await import('@jax-js/jax');
const { initWeights } = await import('../../src/policy/weights.ts');
const { uploadWeights } = await import('../../src/policy/generation/device-weights.ts');
const { KvCache } = await import('../../src/policy/generation/kv-cache.ts');
const { Stepper } = await import('../../src/policy/generation/stepper.ts');
const { sampleToken } = await import('../../src/policy/generation/sampling.ts');
await init('wasm'); defaultDevice('wasm');
const config = { vocabSize: 2048, hiddenSize: 192, layers: 4, heads: 6, kvHeads: 3, headDim: 32, intermediateSize: 512, rmsNormEps: 1e-6, ropeTheta: 10000, tieWordEmbeddings: true, maxPositions: 1024 };
const cpu = () => { const u = process.cpuUsage(); return (u.user + u.system) / 1000; };
const stepper = new Stepper(uploadWeights(initWeights(config, 3)), true);
for (const [B, C] of [[8,256]] as const) {
  const cache = new KvCache(config, B, C);
  const toks = (p: number) => Array.from({ length: B }, (_, slot) => ({ slot, position: p, ids: [(slot * 37 + p) % 2048] }));
  for (let i = 0; i < 5; i++) await stepper.decode(cache, toks(100 + i));
  const n = 400; let t = cpu(); let logits!: Float32Array;
  for (let i = 0; i < n; i++) logits = await stepper.decode(cache, toks(105 + i));
  const ms = (cpu() - t) / n;
  const scratch = new Float64Array(2048);
  t = cpu();
  for (let r = 0; r < B; r++) sampleToken(logits.subarray(r * 2048, (r + 1) * 2048), { temperature: 1, topK: 0, topP: 1 }, 0.5, scratch);
  const sm = cpu() - t;
  t = cpu(); for (let i = 0; i < 4; i++) { cache.flush([{ slot: 0, from: 100, to: 116 }]); await (async () => cache.layers[3]!.mainK.ref.dataSync())(); } const fl = (cpu() - t) / 4;
  console.log(`B ${B} C ${C} decode ${ms.toFixed(2)} ms  ${(B / ms * 1000).toFixed(0)} tok/s; sampling ${sm.toFixed(2)} ms; flush ${fl.toFixed(2)} ms`);
  cache.dispose();
}
for (const P of [1, 4, 8]) {
  const cache = new KvCache(config, P, 256);
  const toks = Array.from({ length: P }, (_, slot) => ({ slot, position: 96, ids: Array.from({ length: 32 }, (_, i) => i * 3) }));
  for (let i = 0; i < 3; i++) await stepper.prefill(cache, toks);
  const t = cpu(); for (let i = 0; i < 10; i++) await stepper.prefill(cache, toks);
  const ms = (cpu() - t) / 10; console.log(`prefill ${P} x 32: ${ms.toFixed(2)} ms ${(P * 32 / ms * 1000).toFixed(0)} tok/s`);
}
process.exit(0);
