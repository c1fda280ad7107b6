import { describe, expect, it } from 'vitest';
import { itemAt, present } from '../../../src/base/items.ts';
import { Random } from '../../../src/base/random.ts';
import { OracleMatrix, OraclePicks, OracleVector } from '../../../src/policy/ops/oracle/handles.ts';
import { trainableOracleOps } from '../../../src/policy/ops/oracle/learning.ts';
import { own } from '../../../src/policy/ops/own.ts';
import type { TrainableOps } from '../../../src/policy/ops/trainable.ts';
import type { Activations, Matrix, Picks, Vector } from '../../../src/policy/ops/values.ts';
import { createTrainableWasmOps } from '../../../src/policy/wasm/ops.ts';
import { Builder, layOut, randomSizes, type Sizes } from '../ops/support/builder.ts';
import { difference } from '../ops/support/compare.ts';

const LENGTHS = [5, 0, 3];
const PICKED = { rows: [1, 3, 7, 3], targets: [2, 0, 6, 5], temperatures: [1, 0.5, 1.3, 1] };
const COEFFICIENTS = Float32Array.of(0.7, -1.2, 2, 0.4);

interface Learner {
  readonly ops: TrainableOps;
  readonly learned: Record<string, Matrix | Vector>;
  readonly picks: Picks;
  forward(): ReturnType<TrainableOps['readHits']>;
  /** `forward`, and back through all of it. */
  accumulate(): ReturnType<TrainableOps['readHits']>;
}

/** One decoder layer between a table and a head, all of which learn. */
function learner(ops: TrainableOps, seed: number, s: Sizes): Learner {
  const b = new Builder(ops, seed);
  const type = 'f32' as const;
  const { starts, positions } = layOut(LENGTHS);
  const ids = LENGTHS.map((n, i) => Array.from({ length: n }, (_, t) => (3 * t + 5 * i) % s.V));
  const tokens = b.tokens(
    ids.map((of, i) => ({ ids: of, position: 0, start: itemAt(starts, i) })),
    'many',
  );
  const sizes = { ...s, type };
  const table = b.matrix({ out: s.V, in: s.d, type });
  const head = b.matrix({ out: s.V, in: s.d, type });
  const [queries, keys] = [s.H * s.D, s.G * s.D];
  const linear = (outs: number[], input: number) =>
    b.projection(sizes, outs, input, { lora: false }).by;
  const [qkv, o] = [linear([queries, keys, keys], s.d), linear([s.d], queries)];
  const [gateUp, down] = [linear([s.M, s.M], s.d), linear([s.d], s.M)];
  const [first, second, last] = [1, 2, 3].map(() => b.norm(s.d, s.eps));
  if (!first || !second || !last) throw new Error('three norms');
  const headNorms = s.headNorms
    ? { q: b.norm(s.D, s.eps).weight, k: b.norm(s.D, s.eps).weight, eps: s.eps }
    : null;
  const rotary = s.rotary ? b.rotary(8, s.D) : null;
  const store = b.store({ ...s, store: 'f32' }, positions);
  const picks = ops.picks(4);
  ops.placePicks(picks, PICKED);
  const make = (width: number): Activations => ops.activations(tokens.rows, width, 'made');
  const [x, middle, end, dx] = [make(s.d), make(s.d), make(s.d), make(s.d)];
  const [q, attended, lse, raw] = [
    make(queries),
    make(queries),
    make(s.H),
    make(queries + 2 * keys),
  ];
  const [inner, gates, dInner] = [make(s.M), make(2 * s.M), make(s.M)];
  const [dq, dAttended, dKeys, dValues] = [make(queries), make(queries), make(keys), make(keys)];
  const heads = { x, norm: first, by: qkv, headNorms, rotary, heads: s.H, tokens, store };
  const look = { q, heads: s.H, store, tokens, out: attended, lse };
  const feed = { x: middle, norm: second, by: gateUp, tokens };
  const scored = { x: end, norm: last, head, picks };
  const layers = (): void => {
    ops.embed({ table, tokens, x });
    ops.copyRows({ from: x, to: middle, tokens });
    ops.projectHeads({ ...heads, q, raw });
    ops.attend(look);
    ops.projectResidual({ input: attended, by: o, tokens, x: middle });
    ops.copyRows({ from: middle, to: end, tokens });
    ops.feedForward({ ...feed, out: inner, raw: gates });
    ops.projectResidual({ input: inner, by: down, tokens, x: end });
  };
  const learned: Record<string, Matrix | Vector> = { table, head };
  Object.entries({ qkv, o, gateUp, down }).forEach(([name, { matrix, bias }]) => {
    learned[name] = matrix;
    if (bias) learned[`${name} bias`] = bias;
  });
  [first, second, last].forEach(({ weight }, i) => (learned[`norm ${i}`] = weight));
  if (headNorms) [learned['q norm'], learned['k norm']] = [headNorms.q, headNorms.k];
  ops.learn(...Object.values(learned));
  return {
    ops,
    learned,
    picks,
    forward() {
      layers();
      ops.score(scored);
      return ops.readHits(picks);
    },
    accumulate() {
      layers();
      ops.scoreAndLearn({ ...scored, tokens, coefficients: COEFFICIENTS, dx });
      ops.projectResidualBackward({ input: inner, by: down, tokens, dx, dInput: dInner });
      ops.feedForwardBackward({ ...feed, raw: gates, dOut: dInner, dx });
      ops.projectResidualBackward({ input: attended, by: o, tokens, dx, dInput: dAttended });
      ops.attendBackward({ ...look, dOut: dAttended, dq, dKeys, dValues });
      ops.projectHeadsBackward({ ...heads, raw, dq, dKeys, dValues, dx });
      ops.embedBackward({ table, tokens, dx });
      return ops.readHits(picks);
    },
  };
}

const gradientsOf = ({ ops, learned }: Learner): Record<string, Float32Array> =>
  Object.fromEntries(
    Object.entries(learned).map(([name, one]) => {
      const into = new Float32Array(one.kind === 'matrix' ? one.out * one.in : one.length);
      ops.readGradient(one, into);
      return [name, into];
    }),
  );

const SIZES = Array.from({ length: 12 }, (_, i) => randomSizes(new Random(300 + i), 'f32'));

describe.each(SIZES)('whole gradients: %o', (s) => {
  it('of the oracle are slopes of its loss', () => {
    const one = learner(trainableOracleOps(), 7, s);
    one.accumulate();
    const gradients = gradientsOf(one);
    const random = new Random(8);
    for (const [name, handle] of Object.entries(one.learned)) {
      const { values } =
        handle.kind === 'matrix' ? own(OracleMatrix, handle) : own(OracleVector, handle);
      const before = values.slice();
      const direction = values.map(() => random.normal());
      const loss = (step: number): number => {
        values.forEach((_, i) => (values[i] = (before[i] ?? 0) + step * (direction[i] ?? 0)));
        one.forward();
        const { logprobs } = own(OraclePicks, one.picks);
        return logprobs.reduce((sum, value, i) => sum - (COEFFICIENTS[i] ?? 0) * value, 0);
      };
      const slope = (loss(1e-5) - loss(-1e-5)) / 2e-5;
      values.set(before);
      const got = present(gradients[name], name);
      const expected = got.reduce((sum, g, i) => sum + g * (direction[i] ?? 0), 0);
      const size = Math.hypot(...got);
      expect(size, name).toBeGreaterThan(0);
      expect(Math.abs(slope - expected) / size, name).toBeLessThan(1e-5);
    }
  });

  it.each([true, false])('of the kernels are those of the oracle (relaxed %s)', async (relaxed) => {
    const oracle = learner(trainableOracleOps(), 7, s);
    const wasm = learner(await createTrainableWasmOps(relaxed && undefined), 7, s);
    for (const one of [oracle, wasm]) {
      // What is left of an earlier step goes; what follows adds up.
      one.accumulate();
      for (const handle of Object.values(one.learned)) one.ops.zeroGradient(handle);
      one.accumulate();
      one.accumulate();
    }
    const expected = gradientsOf(oracle);
    for (const [name, got] of Object.entries(gradientsOf(wasm)))
      expect(difference(got, expected[name] ?? []), name).toBeLessThan(1e-4);
    const [a, b] = [oracle.forward(), wasm.forward()];
    expect(difference(b.logprobs, a.logprobs)).toBeLessThan(1e-4);
    expect(b.hits).toEqual(a.hits);
  });
});
