/**
 * The block operations on WASM, one thread: tokens per processor second of a decode, of reading, and of a LoRA
 * step, each as a share of the rate of a 512³ product in the same run.
 *
 *   npx tsx bench/engine/wasm.ts [--rollouts 16,64] [--steps 48] [--rounds 3] [--type f32] [--json]
 *
 * The shape is that of bench/rollout: d = 192, 4 layers, contexts to 512. Processor time is what counts, so
 * that other load on the machine matters less, and products are on both sides of everything; medians of
 * the rounds are printed.
 */
import { parseArgs } from 'node:util';
import { prepareNode } from '../../src/policy/node/prepare.ts';

prepareNode();

const { initWeights } = await import('../../src/policy/checkpoint/weights.ts');
const { sourceOf } = await import('../../src/policy/checkpoint/tensor-source.ts');
const { GenerationEngine } = await import('../../src/policy/generation/engine.ts');
const { initAdapter } = await import('../../src/policy/lora/init.ts');
const { LORA_TARGETS } = await import('../../src/policy/lora/spec.ts');
const { packBatch } = await import('../../src/policy/lora/train-batch.ts');
const { DecoderLoraTrainer } = await import('../../src/policy/model/trainer.ts');
const { uploadDecoder } = await import('../../src/policy/model/upload.ts');
const { MATRIX_TYPES } = await import('../../src/policy/ops/values.ts');
const { createWasmOps } = await import('../../src/policy/wasm/ops.ts');
const { stepFlops, totalFlops } = await import('../train/flops.ts');
const { BENCH_CONFIG, BENCH_SEED, promptLength } = await import('../rollout/shape.ts');

const { values } = parseArgs({
  options: {
    rollouts: { type: 'string', default: '16,64' },
    steps: { type: 'string', default: '48' },
    rounds: { type: 'string', default: '3' },
    type: { type: 'string', default: 'f32' },
    json: { type: 'boolean', default: false },
  },
});
const type = MATRIX_TYPES.find((name) => name === values.type);
if (!type) throw new Error(`bench: --type is one of ${MATRIX_TYPES.join(', ')}`);
const steps = Number(values.steps);
const rounds = Number(values.rounds);
const config = BENCH_CONFIG;
const weights = initWeights(config, BENCH_SEED);

/** Processor seconds of this process. */
async function cpuSeconds(action: () => Promise<unknown> | void): Promise<number> {
  const before = process.cpuUsage();
  await action();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

interface Engine {
  open(seed: number): {
    append(ids: readonly number[]): void;
    generate(o: {
      maxTokens: number;
      stopIds: number[];
      sampling: { temperature: number; topK: number; topP: number };
    }): Promise<{ ids: number[] }>;
    close(): void;
  };
}

/** Seconds that prompts take to be read, and those of `steps` tokens for each. */
async function generation(
  engine: Engine,
  rollouts: number,
): Promise<{ reading: number; decoding: number; read: number; decoded: number }> {
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  const sessions = Array.from({ length: rollouts }, (_, i) => engine.open(i + 1));
  const all = (maxTokens: number): Promise<{ ids: number[] }[]> =>
    Promise.all(sessions.map((s) => s.generate({ maxTokens, stopIds: [], sampling })));
  let read = 0;
  sessions.forEach((session, i) => {
    // As in the middle of a rollout, when contexts hold 176 to 400 tokens.
    const length = promptLength(i + 1) + 112;
    read += length;
    session.append(Array.from({ length }, (_, t) => (t * 31 + i) % 256));
  });
  const reading = await cpuSeconds(() => all(1));
  const decoding = await cpuSeconds(() => all(steps));
  for (const session of sessions) session.close();
  return { reading, decoding, read, decoded: rollouts * steps };
}

/** Operations of one decoded token at a context in the middle of the run: products only. */
const contextMean =
  Array.from({ length: 64 }, (_, i) => promptLength(i + 1) + 112 + steps / 2).reduce(
    (a, b) => a + b,
  ) / 64;
const decodeFlops = (() => {
  const { hiddenSize: d, heads, kvHeads, headDim, intermediateSize: M, layers, vocabSize } = config;
  const matrices = d * (heads + 2 * kvHeads) * headDim + heads * headDim * d + 3 * d * M;
  return 2 * (layers * (matrices + 2 * heads * headDim * contextMean) + d * vocabSize);
})();

const SIZE = 512;
/** Products of one measurement: about as long as what it is compared with. */
const PRODUCTS = 48;
const ops = await createWasmOps();

/** Operations a second of x += W input, 512 each way. */
async function productRate(): Promise<number> {
  const writer = ops.matrix({ out: SIZE, in: SIZE, type: 'f32' }, 'product');
  writer.write(
    0,
    Float32Array.from({ length: SIZE * SIZE }, (_, i) => ((i * 31) % 97) / 97 - 0.5),
  );
  const matrix = writer.finish();
  const tokens = ops.tokens(SIZE);
  const [input, x] = [ops.activations(SIZE, SIZE, 'in'), ops.activations(SIZE, SIZE, 'out')];
  ops.place(tokens, [{ ids: new Int32Array(SIZE), position: 0, start: 0 }], 'many');
  ops.embed({ table: matrix, tokens, x: input });
  const by = { matrix, bias: null, lora: null };
  const seconds = await cpuSeconds(() => {
    for (let i = 0; i < PRODUCTS; i++) ops.projectResidual({ input, by, tokens, x });
  });
  ops.free(matrix, tokens, input, x);
  return (PRODUCTS * 2 * SIZE ** 3) / seconds;
}

const LOAD = { tokens: 4096, length: 256, rank: 16 };
const spec = { rank: LOAD.rank, alpha: LOAD.rank, targets: [...LORA_TARGETS] };
const limits = { maxTokens: LOAD.tokens, maxLength: LOAD.length };
const batch = packBatch(
  Array.from({ length: LOAD.tokens / LOAD.length }, (_, s) => ({
    ids: Array.from({ length: LOAD.length }, (_unused, i) => (i * 31 + s * 17) % config.vocabSize),
    weights: Array.from({ length: LOAD.length }, (_unused, i) => (2 * i >= LOAD.length ? 1 : 0)),
  })),
);
// B is not left zero: products of zeros would be no honest load.
const adapter = initAdapter(config, spec, 1).map((v, i) => (v === 0 ? ((i % 13) - 6) / 600 : v));

interface Trainer {
  accumulate(
    b: typeof batch,
    weigh: (scores: { logprobs: Float32Array }) => Float32Array,
  ): Promise<unknown>;
}
const step = (trainer: Trainer): Promise<number> =>
  cpuSeconds(() => trainer.accumulate(batch, (s) => s.logprobs.map((_, i) => (i % 3) - 1)));

const engine = new GenerationEngine(await uploadDecoder(ops, sourceOf(weights), { type }), {
  maxSlots: 64,
  prefillChunk: 256,
  keys: 'f32',
});
const trainer = new DecoderLoraTrainer(
  await uploadDecoder(await createWasmOps(), sourceOf(weights), { type }),
  spec,
  limits,
);
await trainer.setAdapter(adapter);

const flops = totalFlops(stepFlops(config, spec, batch));
const rates = new Map<string, number[]>();
const shares = new Map<string, number[]>();
const note = (to: Map<string, number[]>, name: string, value: number): void => {
  to.set(name, [...(to.get(name) ?? []), value]);
};

/** Measures between two products. @param operations of one token, or of one of what is counted */
async function beside(name: string, operations: number, measure: () => Promise<number>) {
  const before = await productRate();
  const rate = await measure();
  const product = (before + (await productRate())) / 2;
  note(rates, 'product, GFLOP/s', product / 1e9);
  note(rates, name, rate);
  note(shares, name, (rate * operations) / product);
}

for (let round = 0; round < rounds; round++)
  for (const rollouts of values.rollouts.split(',').map(Number))
    await beside(`decode, ${rollouts} rollouts, tokens/s`, decodeFlops, async () => {
      const { reading, decoding, read, decoded } = await generation(engine, rollouts);
      note(rates, `read, ${rollouts} rollouts, tokens/s`, read / reading);
      return decoded / decoding;
    });
for (let round = 0; round < rounds; round++)
  await beside('LoRA step, GFLOP/s', 1e9, async () => flops / (await step(trainer)) / 1e9);

const median = (all: readonly number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? Number.NaN;
const table = [...rates]
  .sort(([a], [b]) => a.localeCompare(b))
  .map(([name, all]) => {
    const share = shares.get(name);
    return { name, value: median(all), share: share ? median(share) : null };
  });
if (values.json) console.log(JSON.stringify(table));
else
  for (const { name, value, share } of table)
    console.log(
      `${name.padEnd(40)}${value.toFixed(value < 1000 ? 1 : 0).padStart(8)}` +
        (share === null ? '' : `${(100 * share).toFixed(0).padStart(6)} % of the product's rate`),
    );
process.exit(0);
