import { describe, expect, it } from 'vitest';
import { Random } from '../../../src/base/random.ts';
import { itemAt } from '../../../src/base/items.ts';
import { OracleActivations, OracleAdapter, OraclePicks, OracleKvCache } from './oracle/handles.ts';
import { oracleOps } from './oracle/oracle.ts';
import { own } from '../../../src/policy/ops/own.ts';
import type { Activations, Adapter } from '../../../src/policy/ops/values.ts';
import { headsInput } from './support/attention-cases.ts';
import { anyIds, Builder, layOut, randomSizes, type Sizes } from './support/builder.ts';
import { expectPeftParity } from './support/peft-parity.ts';

const doubles = (x: Activations): Float64Array => own(OracleActivations, x).values;

/** Doubles of all factors, and what their gradients are. */
const factors = (adapter: Adapter): { values: Float64Array; gradient: Float64Array }[] =>
  own(OracleAdapter, adapter).parts.flatMap(({ A, B, dA, dB }) => [
    { values: A.values, gradient: dA.values },
    { values: B.values, gradient: dB.values },
  ]);

/**
 * Expects the gradients of `loss` by `inputs` to be its slopes along random directions. Everything is
 * double, so that a step of 1e-5 leaves ten digits.
 */
function expectSlopes(
  random: Random,
  loss: () => number,
  inputs: Record<string, { values: Float64Array; gradient: Float64Array }>,
): void {
  const h = 1e-5;
  for (const [name, { values, gradient }] of Object.entries(inputs)) {
    const before = values.slice();
    for (let n = 0; n < 3; n++) {
      const direction = values.map(() => random.normal());
      const at = (step: number): number => {
        values.forEach((_, i) => {
          values[i] = (before[i] ?? 0) + step * (direction[i] ?? 0);
        });
        return loss();
      };
      const slope = (at(h) - at(-h)) / (2 * h);
      values.set(before);
      const expected = gradient.reduce((sum, g, i) => sum + g * (direction[i] ?? 0), 0);
      const size = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
      expect(Math.abs(slope - expected) / size, name).toBeLessThan(1e-6);
    }
  }
}

const weighted = (x: Activations, weights: Float64Array, count: number): number =>
  doubles(x)
    .subarray(0, count * x.width)
    .reduce((sum, value, i) => sum + value * (weights[i] ?? 0), 0);

/** `count` sizes with stores that keep doubles. */
const sizes = (count: number): Sizes[] =>
  Array.from({ length: count }, (_, i) => ({
    ...randomSizes(new Random(100 + i)),
    store: 'f32',
  }));

const named = (adapter: Adapter | null) =>
  Object.fromEntries((adapter ? factors(adapter) : []).map((f, i) => [`factor ${i}`, f]));

describe.each(sizes(6))('the gradients of the oracle are slopes of its forward pass: %o', (s) => {
  it('of projections with a residual', () => {
    const ops = oracleOps();
    const b = new Builder(ops, 1);
    const tokens = b.tokens([{ ids: anyIds(4), position: 0, start: 0 }], 'many');
    const { by, adapter } = b.projection(s, [s.d], s.M, { lora: true });
    const input = b.filled(4, s.M);
    const dx = b.filled(4, s.d);
    const dInput = ops.activations(4, s.M, 'dInput');
    const outputNorm = s.outputNorm ? b.norm(s.d, s.eps) : null;
    ops.projectResidualBackward({ input, by, outputNorm, tokens, dx, dInput });
    const loss = (): number => {
      const x = ops.activations(4, s.d, 'x');
      ops.projectResidual({ input, by, outputNorm, tokens, x });
      return weighted(x, doubles(dx), 4);
    };
    expectSlopes(b.random, loss, {
      input: { values: doubles(input), gradient: doubles(dInput) },
      ...named(adapter),
    });
  });

  it('of the feed-forward part', () => {
    const ops = oracleOps();
    const b = new Builder(ops, 2);
    const tokens = b.tokens([{ ids: anyIds(4), position: 0, start: 0 }], 'many');
    const { by, adapter } = b.projection(s, [s.M, s.M], s.d, { lora: true });
    const norm = b.norm(s.d, s.eps);
    const x = b.filled(4, s.d);
    const [out, raw] = [ops.activations(4, s.M, 'out'), ops.activations(4, 2 * s.M, 'raw')];
    const dOut = b.filled(4, s.M);
    const dx = ops.activations(4, s.d, 'dx');
    const loss = (): number => {
      ops.feedForward({ x, norm, by, gate: s.gate, tokens, out, raw });
      return weighted(out, doubles(dOut), 4);
    };
    loss();
    ops.feedForwardBackward({ x, norm, by, gate: s.gate, tokens, raw, dOut, dx });
    expectSlopes(b.random, loss, {
      x: { values: doubles(x), gradient: doubles(dx) },
      ...named(adapter),
    });
  });

  it('of attention, by queries, keys and values, and through projection, norms and turning', () => {
    const ops = oracleOps();
    const b = new Builder(ops, 3);
    const lengths = [5, 0, 3];
    const { starts, positions: places } = layOut(lengths);
    const { input, adapter } = headsInput(b, s, { positions: 5, places }, { lora: true });
    const runs = lengths.map((n, i) => ({ ids: anyIds(n), position: 0, start: itemAt(starts, i) }));
    const tokens = b.tokens(runs, 'many');
    const rows = tokens.count;
    const [queries, keys] = [s.H * s.D, s.G * s.D];
    const make = (width: number): Activations => ops.activations(rows, width, 'made');
    const x = b.filled(rows, s.d);
    const [q, raw, out] = [make(queries), make(queries + 2 * keys), make(queries)];
    const look = { q, heads: s.H, store: input.store, tokens, window: s.window };
    const attended = { ...look, out, lse: make(s.H) };
    const dOut = b.filled(rows, queries);
    const [dq, dKeys, dValues, dx] = [make(queries), make(keys), make(keys), make(s.d)];
    ops.projectHeads({ ...input, x, tokens, q, raw });
    const fromQueries = (): number => {
      ops.attend(attended);
      return weighted(out, doubles(dOut), rows);
    };
    fromQueries();
    ops.attendBackward({ ...attended, dOut, dq, dKeys, dValues });
    const store = own(OracleKvCache, input.store);
    // The gradients of keys and values are by row; in the store they lie at the rows' places.
    const placed = (gradient: Float64Array): Float64Array => {
      const at = new Float64Array(store.keys.values.length);
      let row = 0;
      lengths.forEach((n, i) => {
        at.set(gradient.subarray(row * keys, (row + n) * keys), itemAt(starts, i) * keys);
        row += n;
      });
      return at;
    };
    expectSlopes(b.random, fromQueries, {
      q: { values: doubles(q), gradient: doubles(dq) },
      keys: { values: store.keys.values, gradient: placed(doubles(dKeys)) },
      values: { values: store.values.values, gradient: placed(doubles(dValues)) },
    });
    ops.projectHeadsBackward({ ...input, x, tokens, raw, dq, dKeys, dValues, dx });
    const fromInput = (): number => {
      ops.projectHeads({ ...input, x, tokens, q });
      return fromQueries();
    };
    expectSlopes(b.random, fromInput, {
      x: { values: doubles(x), gradient: doubles(dx) },
      ...named(adapter),
    });
  });

  it('of log-probabilities', () => {
    const ops = oracleOps();
    const b = new Builder(ops, 4);
    const tokens = b.tokens([{ ids: anyIds(4), position: 0, start: 0 }], 'many');
    const head = b.matrix({ out: s.V, in: s.d, type: s.type });
    const x = b.filled(4, s.d);
    const input = { x, norm: b.norm(s.d, s.eps), head };
    const picks = ops.picks(4);
    ops.placePicks(picks, { rows: [1, 3, 1], targets: [2, 0, 6], temperatures: [1, 0.5, 1.3] });
    const coefficients = Float32Array.of(0.7, -1.2, 2);
    const dx = b.filled(4, s.d);
    ops.scoreBackward({ ...input, picks, tokens, coefficients, dx });
    const loss = (): number => {
      ops.score({ ...input, picks });
      const { logprobs } = own(OraclePicks, picks);
      return logprobs.reduce((sum, value, i) => sum - (coefficients[i] ?? 0) * value, 0);
    };
    expectSlopes(b.random, loss, { x: { values: doubles(x), gradient: doubles(dx) } });
  });
});

describe('the oracle', () => {
  it('is the decoder that PyTorch and PEFT compute', async () => {
    await expectPeftParity(oracleOps());
  });

  it('has softmax, turning and norms as by hand', async () => {
    const ops = oracleOps();
    const b = new Builder(ops, 5);
    // rms of (3, 4) is 5/√2, so that normed it is (0.6, 0.8) √2.
    const x = b.filled(2, 2, Float32Array.of(3, 4, 3, 4));
    const rows = [1, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 2];
    const matrix = b.matrix(
      { out: 6, in: 2, type: 'f32', turned: { rows: 4, headDim: 2 } },
      Float32Array.from(rows),
    );
    const ones = ops.vector(Float32Array.of(1, 1), 'ones');
    // A quarter turn at position 1.
    const rotary = ops.rotary(Float32Array.of(1, 0), Float32Array.of(0, 1), 1);
    const store = ops.kvCache({ positions: 8, kvHeads: 1, headDim: 2, type: 'f32' }, 'keys');
    const tokens = b.tokens([{ ids: [0, 0], position: 0, start: 0 }], 'many');
    const [q, out, lse] = [
      ops.activations(2, 2, 'q'),
      ops.activations(2, 2, 'out'),
      ops.activations(2, 1, 'lse'),
    ];
    ops.projectHeads({
      x,
      norm: { weight: ones, eps: 0 },
      by: { matrix, bias: ops.vector(Float32Array.of(0, 0, 0, 0, 1, 0), 'bias'), lora: null },
      headNorms: null,
      rotary,
      heads: 1,
      tokens,
      store,
      q,
    });
    // (0.6, 0.8) √2 / √2 at position 0, turned (x, y) → (−y, x) at position 1.
    expect([...(await ops.readActivations(q, 2))]).toEqual(
      [0.6, 0.8, -0.8, 0.6].map((v) => expect.closeTo(v, 6)),
    );
    ops.attend({ q, heads: 1, store, tokens, out, lse });
    // Values are 2 (0.6, 0.8) √2 + (1, 0) at both positions, so that every average of them is the same.
    const value = [1 + 1.2 * Math.SQRT2, 1.6 * Math.SQRT2].map((v) => expect.closeTo(v, 5));
    expect([...(await ops.readActivations(out, 2))]).toEqual([...value, ...value]);
    // Scores of the second row: 0 with the first key, √2 with its own.
    const sums = [Math.SQRT2, Math.log(1 + Math.exp(Math.SQRT2))];
    expect([...(await ops.readActivations(lse, 2))]).toEqual(sums.map((v) => expect.closeTo(v, 5)));
  });

  it('counts what was made and not freed', () => {
    const ops = oracleOps();
    const before = ops.bytes;
    const x = ops.activations(3, 5, 'x');
    expect(ops.bytes - before).toBe(8 * 15);
    ops.free(x);
    expect(ops.bytes).toBe(before);
  });

  it('refuses a matrix with a row missing, and handles of another device', async () => {
    const ops = oracleOps();
    const writer = ops.matrix({ out: 3, in: 2, type: 'f32' }, 'matrix');
    writer.write(0, Float32Array.of(1, 2, 3, 4));
    expect(() => writer.finish()).toThrow(/row 2 was not written/);
    expect(() => writer.write(2, new Float32Array(4))).toThrow(RangeError);
    const stranger: Activations = { kind: 'activations', rows: 1, width: 1 };
    await expect(ops.readActivations(stranger, 1)).rejects.toThrow(/another device/);
  });
});
