import { anyIds, raggedLengths, type Builder, type CaseBody } from './builder.ts';
import type { Activations, Tokens } from '../../../../src/policy/ops/values.ts';

const manyTokens = (b: Builder): Tokens =>
  b.tokens(
    raggedLengths(b.random, 40).map((n, i) => ({ ids: anyIds(n), position: 0, start: 40 * i })),
    'many',
  );

const fewTokens = (b: Builder): Tokens =>
  b.tokens(
    Array.from({ length: b.random.between(1, 64) }, (_, i) => ({
      ids: [0],
      position: i,
      start: 8 * i,
    })),
    'few',
  );

/** Rows of a table of every type, and copies of them. */
export const embedding: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const table = b.matrix({ out: s.V, in: s.d, type: s.type });
  const runs = [6, 0, 3].map((n, i) => ({
    ids: Array.from({ length: n }, () => random.below(s.V)),
    position: 0,
    start: 8 * i,
  }));
  const tokens = b.tokens(runs, 'many');
  const [x, copy] = [
    ops.activations(tokens.rows, s.d, 'x'),
    ops.activations(tokens.rows, s.d, 'copy'),
  ];
  ops.embed({ table, tokens, x, scale: random.pick([1, 25.25]) });
  ops.copyRows({ from: x, to: copy, tokens });
  return { rows: await ops.readActivations(copy, tokens.count) };
};

export const residual: CaseBody = async (b, s) => {
  const { ops } = b;
  const { by } = b.projection(s, [s.d], s.M, { lora: b.random.chance(0.7) });
  const outputNorm = s.outputNorm ? b.norm(s.d, s.eps) : null;
  const results: Record<string, Float32Array> = {};
  for (const [name, tokens] of [
    ['many', manyTokens(b)],
    ['few', fewTokens(b)],
  ] as const) {
    const [input, x] = [b.filled(tokens.rows, s.M), b.filled(tokens.rows, s.d)];
    ops.projectResidual({ input, by, outputNorm, tokens, x });
    results[name] = await ops.readActivations(x, tokens.count);
  }
  return results;
};

export const residualBackward: CaseBody = async (b, s) => {
  const { ops } = b;
  const tokens = manyTokens(b);
  const { by, adapter } = b.projection(s, [s.d], s.M, { lora: b.random.chance(0.8) });
  const outputNorm = s.outputNorm ? b.norm(s.d, s.eps) : null;
  const [input, dx] = [b.filled(tokens.rows, s.M), b.filled(tokens.rows, s.d)];
  const dInput = ops.activations(tokens.rows, s.M, 'dInput');
  if (adapter) ops.zeroGradients(adapter);
  ops.projectResidualBackward({ input, by, outputNorm, tokens, dx, dInput });
  return {
    dInput: await ops.readActivations(dInput, tokens.count),
    dx: await ops.readActivations(dx, tokens.count),
    ...(adapter && { gradients: await ops.readGradients(adapter) }),
  };
};

export const feedForward: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const { by } = b.projection(s, [s.M, s.M], s.d, {
    lora: random.chance(0.6),
    skip: random.between(0, 2),
  });
  const norm = b.norm(s.d, s.eps);
  const results: Record<string, Float32Array> = {};
  for (const [name, tokens] of [
    ['many', manyTokens(b)],
    ['few', fewTokens(b)],
  ] as const) {
    const x = b.filled(tokens.rows, s.d);
    const out = ops.activations(tokens.rows, s.M, 'out');
    ops.feedForward({ x, norm, by, gate: s.gate, tokens, out });
    results[name] = await ops.readActivations(out, tokens.count);
  }
  return results;
};

export const feedForwardBackward: CaseBody = async (b, s) => {
  const { ops, random } = b;
  const tokens = manyTokens(b);
  const { by, adapter } = b.projection(s, [s.M, s.M], s.d, {
    lora: true,
    skip: random.between(0, 2),
    trained: random.chance(0.8),
  });
  const norm = b.norm(s.d, s.eps);
  const make = (width: number): Activations => ops.activations(tokens.rows, width, 'made');
  const x = b.filled(tokens.rows, s.d);
  const [out, raw] = [make(s.M), make(2 * s.M)];
  ops.feedForward({ x, norm, by, gate: s.gate, tokens, out, raw });
  const [dOut, dx] = [b.filled(tokens.rows, s.M), b.filled(tokens.rows, s.d)];
  if (adapter?.trained) ops.zeroGradients(adapter);
  ops.feedForwardBackward({ x, norm, by, gate: s.gate, tokens, raw, dOut, dx });
  return {
    dx: await ops.readActivations(dx, tokens.count),
    ...(adapter?.trained && { gradients: await ops.readGradients(adapter) }),
  };
};
