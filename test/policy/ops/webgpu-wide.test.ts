import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { oracleOps } from './oracle/oracle.ts';
import type { Ops } from '../../../src/policy/ops/ops.ts';
import { MATRIX_TYPES, type MatrixType } from '../../../src/policy/ops/values.ts';
import type { WebGpuOps } from '../../../src/policy/webgpu/ops.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { Builder } from './support/builder.ts';
import { difference } from './support/compare.ts';
import { openOps } from './support/swiftshader.ts';

// A software driver compiles and runs these for a while.
vi.setConfig({ testTimeout: 600_000, hookTimeout: 60_000 });

// The tests' driver is not a GPU, but what a GPU would run is right on it as well.
let ops: WebGpuOps;
/** What every device with WebGPU has. */
let least: WebGpuOps;
beforeAll(async () => {
  ops = await openOps({ software: false });
  least = await openOps({
    software: false,
    without: ['f16', 'subgroups', 'timestamps'],
    limits: {
      maxStorageBuffersPerShaderStage: 8,
      maxComputeWorkgroupStorageSize: 16_384,
      maxComputeInvocationsPerWorkgroup: 256,
      maxStorageBufferBindingSize: 2 ** 27,
    },
  });
});
afterAll(() => {
  ops.dispose();
  least.dispose();
});

const ROWS = 16;
const counts = [1, 3, ROWS];
const runsOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ids: [0], position: i, start: 8 * i }));

/** Of each number of rows that is asked for, y of the first ones. */
type Products = (on: Ops, type: MatrixType) => Promise<Float32Array[]>;

/** Sums so long that each thread has several groups of inputs, and there are more threads than parts are held of. */
const long: Products = async (on, type) => {
  const b = new Builder(on, 3);
  const [inputs, outs] = [2200, 20];
  // A rank that takes two trips.
  const { by } = b.projection({ type, bias: true, rank: 18 }, [outs], inputs, { lora: true });
  const input = b.filled(ROWS, inputs);
  const before = b.values(ROWS * outs);
  const next = b.norm(outs, 1e-6);
  const all: Float32Array[] = [];
  for (const count of counts) {
    const x = b.filled(ROWS, outs, before);
    on.projectResidual({ input, by, tokens: b.tokens(runsOf(count), 'few'), x, next });
    all.push(await on.readActivations(x, count));
  }
  return all;
};

/** So many outputs that a workgroup makes 32 of them, and a norm. */
const wide: Products = async (on, type) => {
  const b = new Builder(on, 4);
  const [d, M] = [560, 1800];
  const { by } = b.projection({ type, bias: false, rank: 1 }, [M, M], d, { lora: false });
  const x = b.filled(ROWS, d);
  const norm = b.norm(d, 1e-6);
  const out = on.activations(ROWS, M, 'out');
  const all: Float32Array[] = [];
  for (const count of counts) {
    on.feedForward({ x, norm, by, tokens: b.tokens(runsOf(count), 'few'), out });
    all.push(await on.readActivations(out, count));
  }
  return all;
};

// A quick run has each type once: long sums of those of which a thread loads one, two and four groups at a time.
describe.each([
  { name: 'long sums', products: long, quick: ['int4', 'int8', 'f16'] as const },
  { name: 'many outputs', products: wide, quick: ['f32'] as const },
])('$name', ({ products, quick }) => {
  it.each(ALL_TESTS ? MATRIX_TYPES : quick)(
    'are the oracle’s, and a row’s own whoever is beside it: %s',
    async (type) => {
      const expected = await products(oracleOps(), type);
      const got = await products(ops, type);
      got.forEach((y, i) => expect(difference(y, expected[i] ?? [])).toBeLessThan(2e-5));
      const together = got.at(-1) ?? new Float32Array(0);
      for (const y of got) expect(y).toEqual(together.subarray(0, y.length));
    },
  );

  it('have the same bits without subgroups', async () => {
    const [type] = quick;
    expect(await products(least, type)).toEqual(await products(ops, type));
  });
});

it('draws from a large vocabulary on the least device', async () => {
  const [d, vocabulary, rows] = [40, 65_540, 9];
  const draw = async (on: Ops) => {
    const b = new Builder(on, 5);
    const head = b.matrix({ out: vocabulary, in: d, type: 'f16' });
    const [x, norm, draws] = [b.filled(rows, d), b.norm(d, 1e-6), on.draws(rows)];
    const sampling = { temperature: 0.9, topK: 0, topP: 1 };
    on.placeDraws(
      draws,
      Array.from({ length: rows }, (_, row) => ({ row, seed: row, counter: 3, sampling })),
    );
    on.sample({ x, norm, head, draws });
    return on.readDraws(draws);
  };
  const [got, expected] = [await draw(least), await draw(oracleOps())];
  expect(got.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
  const numbers = (drawn: typeof got) =>
    drawn.flatMap(({ logprob, entropy }) => [logprob, entropy]);
  expect(difference(numbers(got), numbers(expected))).toBeLessThan(1e-5);
});
