import { itemAt } from '../../../../src/base/items.ts';
import type { Gate } from '../../../../src/policy/checkpoint/config.ts';
import { draw, drawNumber } from '../../../../src/policy/ops/draw.ts';
import type { FeedForwardInput, Handle, Ops } from '../../../../src/policy/ops/ops.ts';
import type { Matrix } from '../../../../src/policy/ops/values.ts';
import { attend, attendBackward, placeHeads, placeHeadsBackward } from './attention.ts';
import {
  OracleActivations,
  OracleAdapter,
  OracleDraws,
  OracleMatrix,
  OraclePicks,
  OracleRotary,
  OracleKvCache,
  OracleTokens,
  OracleVector,
  OracleWriter,
} from './handles.ts';
import { headBackward, logitsOf, logSoftmax } from './head.ts';
import { own } from '../../../../src/policy/ops/own.ts';
import { normRows, normRowsBackward, project, projectBackward } from './projection.ts';
import { Table } from './table.ts';

const activations = (handle: object): OracleActivations => own(OracleActivations, handle);
const tokensOf = (handle: object): OracleTokens => own(OracleTokens, handle);
const picksOf = (handle: object): OraclePicks => own(OraclePicks, handle);
const drawsOf = (handle: object): OracleDraws => own(OracleDraws, handle);
const adapterOf = (handle: object): OracleAdapter => own(OracleAdapter, handle);

function gradientsOf(adapter: object): Table[] {
  const { trained, parts } = adapterOf(adapter);
  if (!trained) throw new Error('adapter: it is not trained and has no gradients');
  return parts.flatMap(({ dA, dB }) => [dA, dB]);
}

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

/** A gate and its derivative. */
const GATES: Record<Gate, (x: number) => { value: number; slope: number }> = {
  silu(x) {
    const s = sigmoid(x);
    return { value: x * s, slope: s * (1 + x * (1 - s)) };
  },
  // In its tanh form: x/2 · (1 + tanh(√(2/π) (x + 0.044715 x³)))
  gelu(x) {
    const factor = Math.sqrt(2 / Math.PI);
    const t = Math.tanh(factor * (x + 0.044715 * x ** 3));
    const inner = factor * (1 + 3 * 0.044715 * x ** 2);
    return { value: (x / 2) * (1 + t), slope: (1 + t) / 2 + (x / 2) * (1 - t * t) * inner };
  },
};
const gateOf = ({ gate = 'silu' }: FeedForwardInput) => GATES[gate];

/** First rows of `to` become those of `from`. */
const place = (from: Table, to: Table): void => to.values.set(from.values);

/** [gate | up] of every row: W rms(x) + b. */
const gateAndUp = (o: FeedForwardInput): Table => {
  const rows = o.tokens.count;
  return project(normRows(activations(o.x), rows, o.norm), rows, o.by);
};

/**
 * The block operations in plain TypeScript, everything in double precision: obvious rather than fast, the
 * reference that the devices are compared with.
 */
export function oracleOps(): Ops {
  const live = new Map<Handle, number>();
  const made = <T extends Handle>(handle: T, doubles: number): T => {
    live.set(handle, 8 * doubles);
    return handle;
  };
  const matrixMade = (matrix: Matrix): Matrix => made(matrix, matrix.out * matrix.in);

  return {
    device: 'oracle',
    get bytes() {
      return [...live.values()].reduce((total, bytes) => total + bytes, 0);
    },

    activations: (rows, width) => made(new OracleActivations(rows, width), rows * width),
    vector: (values) => made(new OracleVector(values), values.length),
    matrix(shape) {
      const writer = new OracleWriter(shape);
      return {
        write: (from, values) => writer.write(from, values),
        finish: () => matrixMade(writer.finish()),
        abandon: () => writer.abandon(),
      };
    },
    rotary: (cos, sin, pairs) => made(new OracleRotary(cos, sin, pairs), 2 * cos.length),
    kvCache: (shape) =>
      made(new OracleKvCache(shape), 2 * shape.positions * shape.kvHeads * shape.headDim),
    tokens: (rows) => made(new OracleTokens(rows), rows),
    picks: (rows) => made(new OraclePicks(rows), rows),
    draws: (rows) => made(new OracleDraws(rows), rows),
    adapter(shapes, trained) {
      const adapter = new OracleAdapter(shapes, trained);
      return made(adapter, 2 * adapter.length);
    },
    free(...handles) {
      for (const handle of handles) live.delete(handle);
    },

    place: (tokens, runs, size) => tokensOf(tokens).place(runs, size),

    copyKeys(stores, moves, targets = stores) {
      stores.forEach((store, s) => {
        const target = targets[s];
        if (!target) throw new Error('oracle: one target a store');
        const [source, to] = [own(OracleKvCache, store), own(OracleKvCache, target)];
        for (const { from, to: first, count } of moves)
          for (let i = 0; i < count; i++) {
            to.keys.row(first + i).set(source.keys.row(from + i).map((v) => to.held(v)));
            to.values.row(first + i).set(source.values.row(from + i).map((v) => to.held(v)));
          }
      });
    },

    embed({ table, tokens, x, scale = 1 }) {
      const rows = own(OracleMatrix, table);
      tokensOf(tokens).placed.forEach(({ id }, r) =>
        activations(x)
          .row(r)
          .set(rows.row(id).map((value) => scale * value)),
      );
    },

    projectHeads(o) {
      const rows = o.tokens.count;
      const raw = project(normRows(activations(o.x), rows, o.norm), rows, o.by);
      placeHeads(o, raw, activations(o.q));
      if (o.raw) place(raw, activations(o.raw));
    },

    attend: (o) => attend(o, activations(o.out), o.lse ? activations(o.lse) : null),

    projectResidual({ input, by, outputNorm, tokens, x }) {
      const rows = tokens.count;
      const [raw, to] = [project(activations(input), rows, by), activations(x)];
      const y = outputNorm ? normRows(raw, rows, outputNorm) : raw;
      y.values.forEach((value, i) => (to.values[i] = itemAt(to.values, i) + value));
    },

    feedForward(o) {
      const raw = gateAndUp(o);
      const out = activations(o.out);
      const M = raw.columns / 2;
      for (let r = 0; r < raw.rows; r++)
        for (let i = 0; i < M; i++) {
          out.set(r, i, gateOf(o)(raw.at(r, i)).value * raw.at(r, M + i));
        }
      if (o.raw) place(raw, activations(o.raw));
    },

    copyRows({ from, to, tokens }) {
      for (let r = 0; r < tokens.count; r++) activations(to).row(r).set(activations(from).row(r));
    },

    readActivations: async (from, rows) =>
      Float32Array.from(activations(from).values.subarray(0, rows * from.width)),

    placeDraws(draws, wanted) {
      drawsOf(draws).wanted = [...wanted];
    },

    sample({ draws, ...o }) {
      const to = drawsOf(draws);
      const rows = to.wanted.map(({ row }) => row);
      const logits = logitsOf(o, rows);
      to.drawn = to.wanted.map(({ seed, counter, sampling }, r) =>
        draw(Float32Array.from(logits.row(r)), sampling, drawNumber(seed, counter)),
      );
    },

    readDraws: async (draws) => drawsOf(draws).drawn,

    placePicks(picks, { rows, targets, temperatures }) {
      picksOf(picks).picked = Array.from(rows, (row, i) => ({
        row,
        target: itemAt(targets, i),
        temperature: temperatures?.[i] ?? 1,
      }));
    },

    score({ picks, ...o }) {
      const to = picksOf(picks);
      const logits = logitsOf(
        o,
        to.picked.map(({ row }) => row),
      );
      const scores = to.picked.map(({ temperature }, r) => logSoftmax(logits.row(r), temperature));
      to.logprobs = Float64Array.from(scores, (row, r) => itemAt(row, itemAt(to.picked, r).target));
      to.entropies = Float64Array.from(scores, (row) =>
        row.reduce((sum, logprob) => sum - Math.exp(logprob) * logprob, 0),
      );
    },

    readScores: async (picks) => {
      const { logprobs, entropies } = picksOf(picks);
      return { logprobs: Float32Array.from(logprobs), entropies: Float32Array.from(entropies) };
    },

    scoreBackward({ picks, tokens, coefficients, dx, ...o }) {
      headBackward(o, picksOf(picks).picked, coefficients, activations(dx), tokens.count);
    },

    readLogits: async ({ picks, ...o }) =>
      Float32Array.from(
        logitsOf(
          o,
          picksOf(picks).picked.map(({ row }) => row),
        ).values,
      ),

    projectResidualBackward({ input, by, outputNorm, tokens, dx, dInput }) {
      const [x, rows] = [activations(input), tokens.count];
      let dy: Table = activations(dx);
      if (outputNorm) {
        dy = new Table(rows, dx.width);
        normRowsBackward(project(x, rows, by), rows, outputNorm, activations(dx), dy);
      }
      place(projectBackward(x, rows, by, dy), activations(dInput));
    },

    feedForwardBackward(o) {
      const [rows, raw, dOut] = [o.tokens.count, activations(o.raw), activations(o.dOut)];
      const M = raw.columns / 2;
      for (let r = 0; r < rows; r++)
        for (let i = 0; i < M; i++) {
          const [gate, up, d] = [raw.at(r, i), raw.at(r, M + i), dOut.at(r, i)];
          const { value, slope } = gateOf(o)(gate);
          raw.set(r, i, d * up * slope);
          raw.set(r, M + i, d * value);
        }
      const x = activations(o.x);
      const dNormed = projectBackward(normRows(x, rows, o.norm), rows, o.by, raw);
      normRowsBackward(x, rows, o.norm, dNormed, activations(o.dx));
    },

    attendBackward(o) {
      const [dOut, dq] = [activations(o.dOut), activations(o.dq)];
      attendBackward({
        ...o,
        dOut,
        dq,
        dKeys: activations(o.dKeys),
        dValues: activations(o.dValues),
      });
    },

    projectHeadsBackward(o) {
      const [rows, raw, x] = [o.tokens.count, activations(o.raw), activations(o.x)];
      const dRaw = new Table(rows, raw.columns);
      const [dq, dKeys] = [activations(o.dq), activations(o.dKeys)];
      placeHeadsBackward({ ...o, dq, dKeys, dValues: activations(o.dValues) }, raw, dRaw);
      const dNormed = projectBackward(normRows(x, rows, o.norm), rows, o.by, dRaw);
      if (o.dx) normRowsBackward(x, rows, o.norm, dNormed, activations(o.dx));
    },

    writeAdapter(adapter, values) {
      const to = adapterOf(adapter);
      if (values.length !== to.length)
        throw new Error(`adapter: ${values.length} values given, this shape has ${to.length}`);
      let at = 0;
      for (const { A, B } of to.parts)
        for (const factor of [A, B]) {
          factor.values.set(values.subarray(at, at + factor.values.length));
          at += factor.values.length;
        }
    },

    zeroGradients(adapter) {
      for (const factor of gradientsOf(adapter)) factor.values.fill(0);
    },

    readGradients: async (adapter) =>
      Float32Array.from(gradientsOf(adapter).flatMap(({ values }) => [...values])),

    submit() {},
    settled: async () => {},
    dispose() {
      live.clear();
    },
  };
}
