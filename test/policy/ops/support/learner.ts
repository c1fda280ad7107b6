import { itemAt } from '../../../../src/base/items.ts';
import type { Gradients, TrainableOps } from '../../../../src/policy/ops/trainable.ts';
import type { Activations, Matrix, Picks, Vector } from '../../../../src/policy/ops/values.ts';
import { Builder, layOut, type Sizes } from './builder.ts';

const LENGTHS = [5, 0, 3];
const PICKED = { rows: [1, 3, 7, 3], targets: [2, 0, 6, 5], temperatures: [1, 0.5, 1.3, 1] };
/** Of the picked rows. */
export const COEFFICIENTS = Float32Array.of(0.7, -1.2, 2, 0.4);

/** A small policy that learns whole. */
export interface Learner {
  readonly ops: TrainableOps;
  readonly learned: Record<string, Matrix | Vector>;
  readonly gradients: Gradients;
  readonly picks: Picks;
  forward(): ReturnType<TrainableOps['readHits']>;
  /** `forward`, and back through all of it. */
  accumulate(): ReturnType<TrainableOps['readHits']>;
}

/** One decoder layer between a table and a head, all of which learn. */
export function learner(ops: TrainableOps, seed: number, s: Sizes): Learner {
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
  const gradients = ops.learn(...Object.values(learned));
  return {
    ops,
    gradients,
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

/** By name, row-major. */
export async function gradientsOf({
  gradients,
  learned,
}: Learner): Promise<Record<string, Float32Array>> {
  const into = Object.entries(learned).map(
    ([name, one]) =>
      [name, new Float32Array(one.kind === 'matrix' ? one.out * one.in : one.length)] as const,
  );
  await gradients.read(into.map(([, values]) => values));
  return Object.fromEntries(into);
}
