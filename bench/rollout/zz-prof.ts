import { prepareNode } from '../../src/policy/jax-node.ts';
prepareNode();
const RealInstance = WebAssembly.Instance;
interface Stat { n: number; times: number[]; size: number; nargs: number }
const stats = new Map<WebAssembly.Module, Stat>();
let inst = 0;
const cached = new WeakMap<WebAssembly.Module, WebAssembly.Instance>();
(WebAssembly as any).Instance = function (m: WebAssembly.Module, i: WebAssembly.Imports) {
  const t0 = performance.now();
  let r = process.env['CACHE'] ? cached.get(m) : undefined;
  if (!r) { r = new RealInstance(m, i); cached.set(m, r); }
  inst += performance.now() - t0;
  const k = r.exports['kernel'] as (...a: number[]) => void;
  let s = stats.get(m); if (!s) stats.set(m, s = { n: 0, times: [], size: 0, nargs: 0 });
  return { exports: { kernel: (...a: number[]) => { s.size = a.at(-1)!; s.nargs = a.length - 2; s.n++; const t = performance.now(); k(...a); s.times.push(performance.now() - t); } } };
};
const { init, defaultDevice } = await import('@jax-js/jax');
const { initWeights } = await import('../../src/policy/weights.ts');
const { uploadWeights } = await import('../../src/policy/generation/device-weights.ts');
const { KvCache } = await import('../../src/policy/generation/kv-cache.ts');
const { Stepper } = await import('../../src/policy/generation/stepper.ts');
await init('wasm'); defaultDevice('wasm');
const config = { vocabSize: 2048, hiddenSize: 192, layers: 4, heads: 6, kvHeads: 3, headDim: 32, intermediateSize: 512, rmsNormEps: 1e-6, ropeTheta: 10000, tieWordEmbeddings: true, maxPositions: 1024 };
const stepper = new Stepper(uploadWeights(initWeights(config, 3)), true);
const [B, C] = [+(process.argv[2] ?? 16), +(process.argv[3] ?? 256)];
const cache = new KvCache(config, B, C);
const toks = (p: number) => Array.from({ length: B }, (_, slot) => ({ slot, position: p, ids: [(slot * 37 + p) % 2048] }));
for (let i = 0; i < 10; i++) await stepper.decode(cache, toks(100 + i));
stats.clear(); inst = 0;
const n = 40; const steps: number[] = [];
for (let i = 0; i < n; i++) { const t = performance.now(); await stepper.decode(cache, toks(105 + i % 10)); steps.push(performance.now() - t); }
const med = (a: number[]) => [...a].sort((x, y) => x - y)[a.length >> 2]!;
const rows = [...stats.values()].map((s) => ({ calls: s.n / n, size: s.size, args: s.nargs, us: med(s.times) * 1000, perStep: med(s.times) * s.n / n })).sort((a, b) => b.perStep - a.perStep);
console.table(rows.map((r) => ({ ...r, us: r.us.toFixed(1), perStep: r.perStep.toFixed(3) })));
console.log('step', med(steps).toFixed(2), 'kernels', rows.reduce((a, r) => a + r.perStep, 0).toFixed(2), 'count', rows.reduce((a, r) => a + r.calls, 0), 'instances/step', (inst / n).toFixed(2));
process.exit(0);
