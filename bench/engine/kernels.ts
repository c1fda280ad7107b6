/**
 * Where the time of a GPU goes: decode steps, reading and LoRA steps of a decoder of random weights, each with its time
 * on the wall, that of its kernels, and its share of the device's rates, and a table of the kernels, slowest first.
 *
 *   npx tsx bench/engine/kernels.ts [--shape qwen2-0.5b] [--layers 24] [--vocabulary 151936] [--types f16,int4]
 *     [--slots 1,16,64] [--context 512] [--tokens 2048] [--product 4096] [--kernels 24]
 *     [--dawn enable-dawn-features=NAME,…] [--json FILE]
 *
 * Kernels are timed each in a pass of its own, so that their sum may exceed the time on the wall. WebGPU in Node is Dawn;
 * VK_DRIVER_FILES or VK_ICD_FILENAMES choose its driver. Ends with 1 where a part failed; the others are measured then.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { messageOf } from '../../src/base/errors.ts';
import { parsePolicyConfig, type PolicyConfig } from '../../src/policy/checkpoint/config.ts';
import { LORA_TARGETS } from '../../src/policy/lora/spec.ts';
import { slowest } from '../../src/policy/measure/device.ts';
import { decodeBytes } from '../../src/policy/measure/model.ts';
import { measureRates, timed } from '../../src/policy/measure/rates.ts';
import { decodeTrial, readTrial, stepTrial, type Trial } from '../../src/policy/measure/trials.ts';
import { ADAPTED } from '../../src/policy/model/decoder.ts';
import { matrixValues, stepFlops } from '../../src/policy/model/operations.ts';
import { keyTypeFor } from '../../src/policy/open/device.ts';
import type { WebGpuOps } from '../../src/policy/webgpu/ops.ts';
import { SHAPES, type ShapeName } from '../gpu-counts/shapes.ts';
import { openDawn } from './dawn.ts';
import { randomDecoder, randomMatrix, type FilledType } from './random-decoder.ts';

const { values } = parseArgs({
  options: {
    shape: { type: 'string', default: 'qwen2-0.5b' },
    layers: { type: 'string' },
    vocabulary: { type: 'string' },
    types: { type: 'string', default: 'f16,int4' },
    slots: { type: 'string', default: '1,16,64' },
    context: { type: 'string', default: '512' },
    tokens: { type: 'string', default: '2048' },
    product: { type: 'string', default: '4096' },
    kernels: { type: 'string', default: '24' },
    dawn: { type: 'string' },
    json: { type: 'string' },
  },
});
const isShape = (name: string): name is ShapeName => name in SHAPES;
if (!isShape(values.shape))
  throw new Error(`--shape: "${values.shape}" is none of ${Object.keys(SHAPES).join(', ')}`);
const isType = (name: string): name is FilledType => name === 'f16' || name === 'int4';
const types = values.types.split(',').filter(isType);
if (types.length === 0) throw new Error(`--types: "${values.types}" names none of f16, int4`);
const slots = values.slots.split(',').map(Number);
const [context, tokens, product, most] = [
  values.context,
  values.tokens,
  values.product,
  values.kernels,
].map(Number) as [number, number, number, number];
if (![...slots, context, tokens, product, most].every((one) => Number.isInteger(one) && one >= 1))
  throw new Error(
    '--slots, --context, --tokens, --product and --kernels are whole numbers above 0',
  );
const shape = SHAPES[values.shape];
const config = parsePolicyConfig(
  {
    ...shape,
    num_hidden_layers: Number(values.layers ?? shape.num_hidden_layers),
    vocab_size: Number(values.vocabulary ?? shape.vocab_size),
  },
  4096,
);
/** Positions of a context of an engine, by which it chooses what keys are held in. */
const POSITIONS = 1024;
const LENGTH = 512;
const SPEC = { rank: 16, alpha: 32, targets: [...LORA_TARGETS] };

const { ops, adapter, software } = await openDawn(values.dawn ? [values.dawn] : []);
console.log(
  `${adapter.info.description}${software ? ' — THE CPU, NO GPU' : ''}; ${values.dawn ?? 'toggles as in a browser'}`,
);
const records: object[] = [];
const say = (name: string, value: string, record: object): void => {
  console.log(`${name.padEnd(44)}${value}`);
  records.push({ name, ...record });
};
let failed = 0;
async function part(name: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    failed++;
    say(name, `FAILED: ${messageOf(error)}`, { error: messageOf(error) });
  }
}
const giga = (value: number): string => (value / 1e9).toFixed(0);
const ms = (seconds: number): string => `${(1000 * seconds).toFixed(3)} ms`;
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Bytes a second, read and written, of large copies by the driver. */
async function bulkCopy(of: WebGpuOps): Promise<number> {
  const { device, encoder } = of.gpu;
  const size = Math.min(2 ** 29, 2 ** 17 * product, device.limits.maxBufferSize);
  const [from, to] = [device.buffer(size, 'from'), device.buffer(size, 'to')];
  try {
    const seconds = await timed(of, () => {
      for (let i = 0; i < 8; i++) encoder.copy(from, 0, to, 0, size);
    });
    return (8 * 2 * size) / seconds;
  } finally {
    encoder.release(from);
    encoder.release(to);
  }
}

/** Operations a second of a large product of the engine's kernels for many rows. */
async function bulkProduct(of: WebGpuOps, type: FilledType): Promise<number> {
  const rows = product / 2;
  const matrix = randomMatrix(of, { out: product, in: product, type }, 'product');
  const place = of.tokens(rows);
  const [input, x] = [of.activations(rows, product, 'in'), of.activations(rows, product, 'out')];
  try {
    of.place(place, [{ ids: new Int32Array(rows), position: 0, start: 0 }], 'many');
    for (const to of [input, x]) of.embed({ table: matrix, tokens: place, x: to });
    const by = { matrix, bias: null, lora: null };
    const seconds = await timed(of, () => {
      for (let i = 0; i < 4; i++) of.projectResidual({ input, by, tokens: place, x });
    });
    return (4 * 2 * rows * product * product) / seconds;
  } finally {
    of.free(matrix, place, input, x);
  }
}

const rates = await measureRates(ops);
say('copy by a kernel', `${giga(rates.copy)} GB/s`, { bytesPerSecond: rates.copy });
say('product, f32, 512 × 1024 × 1024', `${giga(rates.product)} GFLOP/s`, {
  flopsPerSecond: rates.product,
});
await part('copy by the driver', async () => {
  const bytesPerSecond = await bulkCopy(ops);
  say('copy by the driver', `${giga(bytesPerSecond)} GB/s`, { bytesPerSecond });
});
const products = new Map<FilledType, number>();
for (const type of types)
  await part(`large product, ${type}`, async () => {
    const flopsPerSecond = await bulkProduct(ops, type);
    products.set(type, flopsPerSecond);
    const name = `product, ${type}, ${product / 2} × ${product} × ${product}`;
    say(name, `${giga(flopsPerSecond)} GFLOP/s`, { flopsPerSecond });
  });

interface Work {
  readonly name: string;
  readonly tokens: number;
  readonly make: () => Trial | Promise<Trial>;
  /** Share of a rate that the device has, and of which. */
  readonly share: (seconds: number) => string;
  readonly table: boolean;
}

async function measured({ name, tokens: count, make, share, table }: Work): Promise<void> {
  const trial = await make();
  try {
    const before = { ...ops.gpu.encoder.counts };
    const start = performance.now();
    await trial.run();
    const first = (performance.now() - start) / 1000;
    const dispatches = ops.gpu.encoder.counts.dispatches - before.dispatches;
    const compiled = ops.gpu.encoder.counts.pipelines - before.pipelines;
    const seconds = await timed(ops, () => trial.run());
    const times = (await ops.kernelTimes?.(() => trial.run())) ?? [];
    const sum = times.reduce((all, one) => all + one.seconds, 0);
    const kernels = slowest(name, times, most);
    say(
      name,
      `${ms(seconds)}, ${(count / seconds).toFixed(0)} tokens/s, ${share(seconds)}; ` +
        `${dispatches} dispatches, kernels ${ms(sum)} (${share(sum)}); first ${ms(first)}, ${compiled} compiled`,
      { seconds, tokens: count, kernelSeconds: sum, dispatches, first, compiled, kernels },
    );
    if (times.length < dispatches)
      console.log(`  only the first ${times.length} dispatches of ${dispatches} are timed`);
    if (!table) return;
    console.log(
      `  ${'ms'.padStart(9)}${'calls'.padStart(7)}${'µs each'.padStart(10)}   share  kernel`,
    );
    for (const { kernel, calls, seconds: all, share: part } of kernels)
      console.log(
        `  ${(1000 * all).toFixed(3).padStart(9)}${String(calls).padStart(7)}${((1e6 * all) / calls).toFixed(1).padStart(10)}${percent(part).padStart(8)}  ${kernel}`,
      );
  } finally {
    trial.free();
  }
}

async function measureType(type: FilledType, of: PolicyConfig): Promise<void> {
  const start = performance.now();
  const decoder = randomDecoder(ops, of, type);
  await ops.settled();
  const loading = (performance.now() - start) / 1000;
  say(`\n${values.shape}, ${of.layers} layers, ${type}`, `filled in ${loading.toFixed(1)} s`, {
    loading,
    bytes: ops.bytes,
  });
  const large = products.get(type) ?? rates.product;
  const ofProduct =
    (flops: number) =>
    (seconds: number): string =>
      `${giga(flops / seconds)} GFLOP/s, ${percent(flops / seconds / large)} of the large product`;
  const works: Work[] = slots.map((count) => {
    const keys = keyTypeFor({ ...of, maxPositions: POSITIONS }, count, 'webgpu');
    const bytes = decodeBytes(decoder, { slots: count, context, keys });
    return {
      name: `decode ${count} × ${context}, keys ${keys}`,
      tokens: count,
      make: () => decodeTrial(decoder, count, context, keys),
      share: (seconds) =>
        `${giga(bytes / seconds)} GB/s, ${percent(bytes / seconds / rates.copy)} of copy`,
      table: count <= 16,
    };
  });
  const length = Math.min(LENGTH, tokens);
  const texts = Math.max(1, Math.floor(tokens / length));
  works.push(
    {
      name: `read ${texts} × ${length}`,
      tokens: texts * length,
      make: () => readTrial(decoder, texts, length),
      share: ofProduct(2 * matrixValues(of) * texts * length),
      table: true,
    },
    {
      name: `LoRA step, rank ${SPEC.rank}, all matrices, ${texts} × ${length}`,
      tokens: texts * length,
      make: () => stepTrial(decoder, SPEC, tokens),
      share: ofProduct(stepFlops(of, SPEC, texts * length, length)),
      table: true,
    },
  );
  for (const work of works) await part(work.name, () => measured(work));
  const { layers, embed } = decoder.weights;
  ops.free(embed, ...layers.flatMap((layer) => ADAPTED.map((name) => layer[name].matrix)));
}

for (const type of types) await part(`${values.shape}, ${type}`, () => measureType(type, config));
if (values.json !== undefined)
  writeFileSync(
    values.json,
    JSON.stringify({ adapter: adapter.info.description, software, shape: values.shape, records }),
  );
process.exit(failed > 0 ? 1 : 0);
