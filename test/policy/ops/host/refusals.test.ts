import { describe, expect, it } from 'vitest';
import { oracleOps } from '../oracle/oracle.ts';
import type { Ops } from '../../../../src/policy/ops/ops.ts';
import type { TokenRun } from '../../../../src/policy/ops/values.ts';
import { createWasmOps } from '../../../../src/policy/wasm/ops.ts';
import { anyIds, Builder } from '../support/builder.ts';

/** What no device may take, and what each makes of the smallest that it may. */

const DEVICES: [string, () => Promise<Ops>][] = [
  ['the oracle', async () => oracleOps()],
  ['wasm', createWasmOps],
];
const run = (count: number, start = 0, position = 0): TokenRun => ({
  ids: anyIds(count),
  position,
  start,
});
const single = (count: number): TokenRun[] =>
  Array.from({ length: count }, (_, i) => run(1, 8 * i));
const SHAPE = { in: 5, rank: 2, scale: 0.5, parts: [{ row: 0, out: 3 }] };

describe.each(DEVICES)('%s', (_, open) => {
  it('places as many tokens as there is room for, and no more', async () => {
    const ops = await open();
    const tokens = ops.tokens(65);
    ops.place(tokens, [run(60), run(0), run(5, 64)], 'many');
    expect(tokens.count).toBe(65);
    expect(() => ops.place(tokens, [run(60), run(6, 64)], 'many')).toThrow(
      /66 given, there is room for 65/,
    );
    ops.place(tokens, single(64), 'few');
    expect(tokens.count).toBe(64);
    expect(() => ops.place(tokens, single(65), 'few')).toThrow(/at most 64 runs of one token/);
    expect(() => ops.place(tokens, [run(2)], 'few')).toThrow(/runs of one token/);
    expect(() => ops.place(tokens, [run(1, 12)], 'many')).toThrow(/begins at 12, no multiple of 8/);
  });

  it('takes whole rows of a matrix, and makes it once it has all', async () => {
    const ops = await open();
    const writer = ops.matrix({ out: 3, in: 4, type: 'f32' }, 'matrix');
    expect(() => writer.write(0, new Float32Array(6))).toThrow(RangeError);
    expect(() => writer.write(-1, new Float32Array(4))).toThrow(RangeError);
    expect(() => writer.write(2, new Float32Array(8))).toThrow(
      /2 rows from 2 on are not those of \[3, 4\]/,
    );
    writer.write(0, new Float32Array(4));
    writer.write(2, new Float32Array(4));
    expect(() => writer.finish()).toThrow(/row 1 was not written/);
    writer.write(1, new Float32Array(4));
    expect(writer.finish()).toMatchObject({ out: 3, in: 4, type: 'f32' });
  });

  it('has an adapter of zeros at first, and gradients of one that is trained alone', async () => {
    const ops = await open();
    // What lay in the memory before must not show.
    const used = new Builder(ops, 1).filled(40, 40);
    ops.free(used);
    const trained = ops.adapter([SHAPE], true);
    expect(trained.length).toBe(2 * 5 + 3 * 2);
    expect(await ops.readGradients(trained)).toEqual(new Float32Array(16));
    expect(() => ops.writeAdapter(trained, new Float32Array(15))).toThrow(
      /15 values given, this shape has 16/,
    );
    const fixed = ops.adapter([SHAPE], false);
    expect(() => ops.zeroGradients(fixed)).toThrow(/not trained/);
    await expect(async () => ops.readGradients(fixed)).rejects.toThrow(/not trained/);
  });

  it('knows its own handles alone', async () => {
    const ops = await open();
    const foreign = ops.device === 'wasm' ? oracleOps() : await createWasmOps();
    const x = foreign.activations(1, 8, 'x');
    await expect(async () => ops.readActivations(x, 1)).rejects.toThrow(/another device/);
  });
});

describe('wasm', () => {
  it('holds a matrix in what its type takes, a scale for each group of 32', async () => {
    const b = new Builder(await createWasmOps(), 2);
    const bytes = (['f32', 'f16', 'int8', 'int4'] as const).map(
      (type) => b.matrix({ out: 16, in: 64, type }).bytes,
    );
    expect(bytes).toEqual([4 * 1024, 2 * 1024, 1024 + 2 * 32, 512 + 2 * 32]);
  });

  it('picks and draws of no more rows than there is room for', async () => {
    const ops = await createWasmOps();
    const [picks, draws] = [ops.picks(2), ops.draws(2)];
    const rows = [0, 0, 0];
    ops.placePicks(picks, { rows: [0, 0], targets: [0, 0] });
    expect(() => ops.placePicks(picks, { rows, targets: rows })).toThrow(/3 given.*room for 2/);
    const sampling = { temperature: 1, topK: 0, topP: 1 };
    const wanted = rows.map((row) => ({ row, seed: 1, counter: 0, sampling }));
    ops.placeDraws(draws, wanted.slice(1));
    expect(() => ops.placeDraws(draws, wanted)).toThrow(/3 wanted.*room for 2/);
    const b = new Builder(ops, 3);
    const [x, dx] = [b.filled(2, 8), ops.activations(2, 8, 'dx')];
    const head = { x, norm: b.norm(8, 1e-6), head: b.matrix({ out: 9, in: 8, type: 'f32' }) };
    const tokens = b.tokens([run(2)], 'many');
    const coefficients = new Float32Array(3);
    expect(() => ops.scoreBackward({ ...head, picks, tokens, coefficients, dx })).toThrow(
      /3 coefficients for 2 rows/,
    );
  });

  it('copies keys within the stores, whole panels of stores of one shape', async () => {
    const ops = await createWasmOps();
    const shape = { positions: 24, kvHeads: 2, headDim: 4, type: 'f32' } as const;
    const [a, b] = [ops.kvCache(shape, 'a'), ops.kvCache({ ...shape, kvHeads: 1 }, 'b')];
    const copy = (from: number, to: number, count: number) => (): void =>
      ops.copyKeys([a], [{ from, to, count }]);
    expect(copy(0, 16, 8)).not.toThrow();
    expect(copy(16, 0, 8)).not.toThrow();
    expect(copy(4, 8, 8)).toThrow(/multiples of 8, not 4, 8/);
    expect(copy(8, 4, 8)).toThrow(/multiples of 8, not 8, 4/);
    expect(copy(16, 0, 9)).toThrow(/16 positions from 16 to 0 do not fit/);
    expect(copy(0, 16, 9)).toThrow(/16 positions from 0 to 16 do not fit/);
    expect(() => ops.copyKeys([a], [{ from: 0, to: 0, count: 8 }], [b])).toThrow(/one shape/);
    const half = ops.kvCache({ ...shape, type: 'f16' }, 'half');
    expect(() => ops.copyKeys([a], [{ from: 0, to: 0, count: 8 }], [half])).toThrow(/one shape/);
  });
});
