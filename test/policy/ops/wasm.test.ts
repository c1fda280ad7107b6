import { describe, expect, it } from 'vitest';
import { itemAt } from '../../../src/base/items.ts';
import { Random } from '../../../src/base/random.ts';
import { draw, drawNumber } from '../../../src/policy/ops/draw.ts';
import { MemoryError } from '../../../src/policy/ops/faults.ts';
import { oracleOps } from './oracle/oracle.ts';
import type { Draw, Ops } from '../../../src/policy/ops/ops.ts';
import type { Tokens } from '../../../src/policy/ops/values.ts';
import { hasRelaxedSimd } from '../../../src/policy/wasm/kernels.ts';
import { createWasmOps } from '../../../src/policy/wasm/ops.ts';
import { ALL_TESTS } from '../../slow/slow.ts';
import { headsInput } from './support/attention-cases.ts';
import { anyIds, Builder, layOut, randomSizes, type Sizes } from './support/builder.ts';
import { opCases, type OpCase } from './support/cases.ts';
import { expectSame } from './support/compare.ts';
import { expectPeftParity } from './support/peft-parity.ts';

/** Engines without fused multiply-add have the plain build alone. */
const builds = hasRelaxedSimd() ? [false, true] : [false];

const oracle = oracleOps();

/** What the oracle computes of a case is computed once, whichever builds are held against it. */
const remembering = (one: OpCase): OpCase => {
  let known: ReturnType<OpCase['run']> | undefined;
  return { ...one, run: (ops) => (ops === oracle ? (known ??= one.run(oracle)) : one.run(ops)) };
};
const seeds = (ALL_TESTS ? [1, 2, 3, 4] : [1, 2]).map((seed) => ({
  seed,
  cases: [...opCases(seed)].map(remembering),
}));

describe.each(builds)('the operations on kernels, fused: %s', (relaxed) => {
  it.each(seeds)('are those of the oracle: cases of seed $seed', async ({ cases }) => {
    const ops = await createWasmOps(relaxed);
    for (const one of cases) await expectSame(one, oracle, ops, 1e-5);
  });

  it('are the decoder that PyTorch and PEFT compute', async () => {
    await expectPeftParity(await createWasmOps(relaxed));
  });

  it('repeat bit for bit', async () => {
    for (const one of opCases(5)) {
      // Once more in a memory that was used: what was left there must not matter.
      const ops = await createWasmOps(relaxed);
      const first = await one.run(ops);
      expect(await one.run(ops), one.name).toEqual(first);
    }
  });
});

const shapes = Array.from({ length: ALL_TESTS ? 12 : 4 }, (_, i) =>
  randomSizes(new Random(300 + i)),
);

/** A layer over rows of x: out of attention, residual, feed-forward and logits. */
async function layer(ops: Ops, s: Sizes, make: (b: Builder) => Tokens, x: Float32Array) {
  const b = new Builder(ops, 8);
  const { input } = headsInput(b, s, { positions: 64, places: 512 }, { lora: true });
  const o = b.projection(s, [s.d], s.H * s.D, { lora: true }).by;
  const gateUp = b.projection(s, [s.M, s.M], s.d, { lora: true }).by;
  const down = b.projection(s, [s.d], s.M, { lora: true }).by;
  const norm = b.norm(s.d, s.eps);
  const head = b.matrix({ out: s.V, in: s.d, type: s.type });
  // What is before the last token of each context, the same for all who ask.
  const before = b.tokens(
    [0, 1, 2, 3, 4, 5, 6].map((i) => ({ ids: anyIds(3 * i), position: 0, start: 64 * i })),
    'many',
  );
  const past = b.filled(before.rows, s.d);
  const q = ops.activations(before.rows, s.H * s.D, 'q');
  ops.projectHeads({ ...input, x: past, tokens: before, q });
  const tokens = make(b);
  const rows = b.filled(x.length / s.d, s.d, x);
  const [q1, out] = [
    ops.activations(rows.rows, s.H * s.D, 'q'),
    ops.activations(rows.rows, s.H * s.D, 'out'),
  ];
  ops.projectHeads({ ...input, x: rows, tokens, q: q1 });
  ops.attend({ q: q1, heads: s.H, store: input.store, tokens, window: s.window, out });
  const outputNorm = s.outputNorm ? norm : null;
  ops.projectResidual({ input: out, by: o, outputNorm, tokens, x: rows });
  const inner = ops.activations(rows.rows, s.M, 'inner');
  ops.feedForward({ x: rows, norm, by: gateUp, gate: s.gate, tokens, out: inner });
  ops.projectResidual({ input: inner, by: down, outputNorm, tokens, x: rows });
  const picks = ops.picks(tokens.count);
  const all = Array.from({ length: tokens.count }, (_, row) => row);
  ops.placePicks(picks, { rows: all, targets: all.map(() => 0) });
  return ops.readLogits({ x: rows, norm, head, picks });
}

describe('a row has the same bits', () => {
  // More than a kernel for few rows takes.
  const starts = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const step = (b: Builder, contexts: readonly number[], size: 'few' | 'many'): Tokens =>
    b.tokens(
      contexts.map((i) => ({ ids: [0], position: 3 * i, start: 40 * i })),
      size,
    );

  it.each(shapes)('alone, among others, and read as decoded: %o', async (s) => {
    const x = new Builder(oracleOps(), 9).values(starts.length * s.d);
    const run = async (
      contexts: readonly number[],
      size: 'few' | 'many',
    ): Promise<Float32Array> => {
      const rows = Float32Array.from(
        contexts.flatMap((i) => [...x.subarray(i * s.d, (i + 1) * s.d)]),
      );
      return layer(await createWasmOps(), s, (b) => step(b, contexts, size), rows);
    };
    const together = await run(starts, 'few');
    expect(await run(starts, 'many')).toEqual(together);
    for (const i of [0, 3, 6, 10])
      expect(await run([i], 'few')).toEqual(together.subarray(i * s.V, (i + 1) * s.V));
    const turned = await run([5, 2, 0], 'few');
    for (const [row, i] of [5, 2, 0].entries())
      expect(turned.subarray(row * s.V, (row + 1) * s.V)).toEqual(
        together.subarray(i * s.V, (i + 1) * s.V),
      );
  });

  it.each(shapes)('whether a text is read at once or token by token: %o', async (s) => {
    const length = 41;
    const x = new Builder(oracleOps(), 10).values(length * s.d);
    const read = async (pieces: readonly number[]): Promise<Float32Array> => {
      const ops = await createWasmOps();
      const b = new Builder(ops, 11);
      const { positions: places } = layOut([length]);
      const { input } = headsInput(b, s, { positions: length, places }, { lora: true });
      const results: number[] = [];
      let position = 0;
      for (const count of pieces) {
        const tokens = b.tokens([{ ids: anyIds(count), position, start: 0 }], 'many');
        const rows = b.filled(count, s.d, x.subarray(position * s.d, (position + count) * s.d));
        const [q, out] = [
          ops.activations(count, s.H * s.D, 'q'),
          ops.activations(count, s.H * s.D, 'out'),
        ];
        ops.projectHeads({ ...input, x: rows, tokens, q });
        ops.attend({ q, heads: s.H, store: input.store, tokens, window: s.window, out });
        results.push(...(await ops.readActivations(out, count)));
        position += count;
      }
      return Float32Array.from(results);
    };
    const whole = await read([length]);
    expect(await read(Array.from({ length }, () => 1))).toEqual(whole);
    expect(await read([7, 20, 1, 13])).toEqual(whole);
  });
});

it('draws as the host does, 10,000 times', async () => {
  const ops = await createWasmOps();
  const b = new Builder(ops, 12);
  const [rows, vocabulary, d] = [100, 331, 16];
  const head = b.matrix({ out: vocabulary, in: d, type: 'f32' }, b.values(vocabulary * d, 0.7));
  const input = { x: b.filled(rows, d), norm: b.norm(d, 1e-6), head };
  const picks = ops.picks(rows);
  const all = Array.from({ length: rows }, (_, row) => row);
  ops.placePicks(picks, { rows: all, targets: all });
  const logits = await ops.readLogits({ ...input, picks });
  const draws = ops.draws(rows);
  for (let round = 0; round < 100; round++) {
    const wanted = all.map((row): Draw => ({
      row,
      seed: b.random.below(2 ** 32),
      counter: round,
      sampling: {
        temperature: b.random.pick([0, 0.6, 1, 1, 1.5]),
        topK: b.random.pick([0, 0, 5, 40]),
        topP: b.random.pick([1, 1, 0.9]),
      },
    }));
    ops.placeDraws(draws, wanted);
    ops.sample({ ...input, draws });
    const drawn = await ops.readDraws(draws);
    for (const { row, seed, counter, sampling } of wanted) {
      const own = logits.subarray(row * vocabulary, (row + 1) * vocabulary);
      // Bit for bit: the kernel does what the host does.
      expect(drawn[row]).toEqual(draw(own, sampling, drawNumber(seed, counter)));
    }
  }
});

it('says of every row whose logits are no numbers, and of no other', async () => {
  const ops = await createWasmOps();
  const b = new Builder(ops, 13);
  const head = b.matrix({ out: 9, in: 8, type: 'f32' });
  const values = b.values(24);
  values[12] = NaN;
  const draws = ops.draws(3);
  const sampling = { temperature: 1, topK: 0, topP: 1 };
  const wanted = [0, 1, 2].map((row) => ({ row, seed: 1, counter: 0, sampling }));
  ops.placeDraws(draws, wanted);
  ops.sample({ x: b.filled(3, 8, values), norm: b.norm(8, 1e-6), head, draws });
  expect((await ops.readDraws(draws)).map(({ finite }) => finite)).toEqual([true, false, true]);
});

describe('memory', () => {
  it('is used again once it is freed', async () => {
    const ops = await createWasmOps();
    const before = ops.bytes;
    for (let i = 0; i < 200; i++) {
      // 64 MB each: together three times what there is.
      const x = ops.activations(2 ** 16, 256, 'x');
      const y = ops.activations(8, 8, 'y');
      ops.free(x);
      expect(ops.bytes - before).toBeLessThan(4096);
      ops.free(y);
    }
    expect(ops.bytes).toBe(before);
  });

  it('keeps what it holds while it grows', async () => {
    const ops = await createWasmOps();
    const b = new Builder(ops, 14);
    const values = b.values(50);
    const x = b.filled(10, 5, values);
    const large = ops.activations(2 ** 16, 512, 'large');
    expect(await ops.readActivations(x, 10)).toEqual(values);
    expect((await ops.readActivations(large, 1)).every((v) => v === 0)).toBe(true);
  });

  it('says that it is too small, and stays usable', async () => {
    const ops = await createWasmOps();
    const b = new Builder(ops, 15);
    const x = b.filled(3, 5);
    const held = ops.bytes;
    expect(() => ops.activations(2 ** 20, 2 ** 11, 'far too many')).toThrow(MemoryError);
    expect(() => ops.activations(2 ** 20, 2 ** 11, 'far too many')).toThrow(/far too many.*int4/);
    expect(ops.bytes).toBe(held);
    expect(await ops.readActivations(x, 3)).toHaveLength(15);
  });
});

it('refuses what does not fit: ids, places, positions, gradients of an adapter that has none', async () => {
  const ops = await createWasmOps();
  const b = new Builder(ops, 16);
  const s = { ...itemAt(shapes, 0), rotary: true, d: 8 };
  const table = b.matrix({ out: 4, in: 8, type: 'f32' });
  const x = ops.activations(4, 8, 'x');
  const tokensAt = (id: number, position: number): Tokens =>
    b.tokens([{ ids: [id], position, start: 0 }], 'many');
  expect(() => ops.embed({ table, tokens: tokensAt(4, 0), x })).toThrow(/beyond the vocabulary/);
  const { input } = headsInput(b, s, { positions: 5, places: 16 }, { lora: false });
  const q = ops.activations(4, s.H * s.D, 'q');
  expect(() => ops.projectHeads({ ...input, x, q, tokens: tokensAt(0, 5) })).toThrow(/position 5/);
  expect(() => ops.projectHeads({ ...input, x, q, tokens: tokensAt(0, 16) })).toThrow(/place 16/);
  expect(() => b.tokens([{ ids: [0], position: 0, start: 4 }], 'many')).toThrow(/multiple of 8/);
  expect(() => ops.zeroGradients(ops.adapter([], false))).toThrow(/not trained/);
});
