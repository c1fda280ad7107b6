import { prepareNode } from './src/policy/jax/jax-node.ts';
prepareNode();
const K = await import('./src/policy/wasm/kernels.ts');
const { WasmMemory } = await import('./src/policy/wasm/memory.ts');
const orig = WasmMemory.create;
const acc = {};
WasmMemory.create = async function (...a) { const m = await orig.apply(WasmMemory, a); const k = {};
  for (const [n, f] of Object.entries(m.kernels)) k[n] = typeof f !== 'function' ? f : (...x) => { const t = process.cpuUsage(); const r = f(...x); const u = process.cpuUsage(t); const key = n === 'multiply' || n==='multiply_back' ? n+' N'+x[n==='multiply'?9:10] +' K'+x[n==='multiply'?10:9] : n; const e = acc[key] ??= [0,0,0]; e[0]++; e[1] += u.user+u.system; if (n==='multiply') e[2] += 2*x[8]*x[9]*x[10]; if (n==='multiply_back') e[2] += 2*x[8]*x[9]*x[10]; return r; };
  Object.defineProperty(m, 'kernels', { value: k }); return m; };
const { createWasmOps } = await import('./src/policy/wasm/ops.ts');
const { initWeights } = await import('./src/policy/checkpoint/weights.ts');
const { sourceOf } = await import('./src/policy/checkpoint/tensor-source.ts');
const { GenerationEngine } = await import('./src/policy/generation/engine.ts');
const { uploadDecoder } = await import('./src/policy/model/upload.ts');
const { BENCH_CONFIG, BENCH_SEED, promptLength } = await import('./bench/rollout/shape.ts');
const { DecoderLoraTrainer } = await import('./src/policy/model/trainer.ts');
const { initAdapter } = await import('./src/policy/lora/init.ts');
const { LORA_TARGETS } = await import('./src/policy/lora/spec.ts');
const { packBatch } = await import('./src/policy/lora/train-batch.ts');
const weights = initWeights(BENCH_CONFIG, BENCH_SEED);
const type = process.argv[4] ?? 'f32';
const show = (total) => { let s = 0; for (const [n, [c, t, f]] of Object.entries(acc).sort((a,b)=>b[1][1]-a[1][1])) { s += t; console.log(n.padEnd(28), c, (t/1000).toFixed(1)+' ms', f ? (f/t/1e3).toFixed(1)+' GF' : '', (100*t/total).toFixed(0)+'%'); } console.log('total', total/1000, 'outside', (total-s)/1000); };
if (process.argv[2] === 'decode') {
  const R = +process.argv[3];
  const e = new GenerationEngine(await uploadDecoder(await createWasmOps(), sourceOf(weights), { type }), { maxSlots: 64, readRows: 256, keys: 'f32' });
  const ss = Array.from({length:R},(_, i)=>e.open(i+1)); ss.forEach((s,i)=>s.append(Array.from({length: promptLength(i+1)+112},(_,t)=>(t*31+i)%256)));
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  await Promise.all(ss.map(s=>s.generate({maxTokens:1,stopIds:[],sampling})));
  if (process.argv[5] !== 'read') { for (const k in acc) delete acc[k];
  const t = process.cpuUsage(); await Promise.all(ss.map(s=>s.generate({maxTokens:32,stopIds:[],sampling}))); const u = process.cpuUsage(t);
  show(u.user+u.system); } else show(1e6);
} else {
  const spec = { rank: 16, alpha: 16, targets: [...LORA_TARGETS] };
  const tr = new DecoderLoraTrainer(await uploadDecoder(await createWasmOps(), sourceOf(weights), { type }), spec, { maxTokens: 4096, maxLength: 256 });
  await tr.setAdapter(initAdapter(BENCH_CONFIG, spec, 1).map((v,i)=>v===0?((i%13)-6)/600:v));
  const batch = packBatch(Array.from({length:16},(_, s)=>({ids:Array.from({length:256},(_,i)=>(i*31+s*17)%2048),weights:Array.from({length:256},(_,i)=>2*i>=256?1:0)})));
  for (let i=0;i<2;i++) { for (const k in acc) delete acc[k]; const t = process.cpuUsage(); await tr.accumulate(batch, (s)=>s.logprobs.map((_,i)=>(i%3)-1)); const u = process.cpuUsage(t); if (i) show(u.user+u.system); }
}
process.exit(0);
