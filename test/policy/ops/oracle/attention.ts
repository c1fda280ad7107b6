import { itemAt } from '../../../../src/base/items.ts';
import type { AttentionInput, HeadsInput } from '../../../../src/policy/ops/ops.ts';
import {
  OracleActivations,
  OracleRotary,
  OracleKvCache,
  OracleTokens,
  OracleVector,
  type PlacedToken,
} from './handles.ts';
import { own } from '../../../../src/policy/ops/own.ts';
import { learnNorm, normed, normedBackward } from './projection.ts';
import { sum, type Table } from './table.ts';

/** What is done to a head of q or k after the projection. */
interface Turning {
  readonly norm: {
    readonly weight: Float64Array;
    readonly gradient: Float64Array | null;
    readonly eps: number;
  } | null;
  readonly rotary: OracleRotary | null;
  readonly position: number;
}

/** The pairs (i, i + D/2) of a head turned by the angles of a position; `way` −1 turns back. */
function turned(head: Float64Array, { rotary, position }: Turning, way: 1 | -1): Float64Array {
  if (!rotary) return head;
  const half = head.length / 2;
  return head.map((value, i) => {
    const pair = i % half;
    const cos = rotary.cos.at(position, pair);
    const sin = way * rotary.sin.at(position, pair);
    const other = head[(i + half) % head.length] ?? 0;
    return value * cos + (i < half ? -other : other) * sin;
  });
}

const forwardHead = (head: Float64Array, by: Turning): Float64Array =>
  turned(by.norm ? normed(head, by.norm.weight, by.norm.eps) : head, by, 1);

function backwardHead(head: Float64Array, by: Turning, gradient: Float64Array): Float64Array {
  const back = turned(gradient, by, -1);
  if (by.norm) learnNorm(head, by.norm.eps, back, by.norm.gradient);
  return by.norm ? normedBackward(head, by.norm.weight, by.norm.eps, back) : back;
}

/** Head `h` of the row `r` of [q | k | v]; q, k and v have their heads one after the other. */
const headOf = (raw: Table, r: number, h: number, D: number): Float64Array =>
  raw.row(r).subarray(h * D, (h + 1) * D);

function turningOf(o: HeadsInput, h: number, token: PlacedToken): Turning {
  const weight = o.headNorms && own(OracleVector, h < o.heads ? o.headNorms.q : o.headNorms.k);
  const norm =
    o.headNorms && weight
      ? { weight: weight.values, gradient: weight.gradient, eps: o.headNorms.eps }
      : null;
  const rotary = o.rotary && own(OracleRotary, o.rotary);
  return { norm, rotary, position: token.position };
}

/** From raw [rows, (H + 2G) D]: q, and keys and values into the store. */
export function placeHeads(o: HeadsInput, raw: Table, q: Table): void {
  const store = own(OracleKvCache, o.store);
  const { headDim: D, kvHeads: G } = store;
  const { placed, copies } = own(OracleTokens, o.tokens);
  placed.forEach((token, r) => {
    const place = token.start + token.position;
    for (let h = 0; h < o.heads + 2 * G; h++) {
      const head = headOf(raw, r, h, D);
      if (h < o.heads) {
        const values = forwardHead(head, turningOf(o, h, token));
        values.forEach((value, i) => q.set(r, h * D + i, value / Math.sqrt(D)));
      } else if (h < o.heads + G) {
        const values = forwardHead(head, turningOf(o, h, token));
        values.forEach((value, i) =>
          store.keys.set(place, (h - o.heads) * D + i, store.held(value)),
        );
      } else
        head.forEach((value, i) =>
          store.values.set(place, (h - o.heads - G) * D + i, store.held(value)),
        );
    }
  });
  for (const { from, to, count } of copies)
    for (let i = 0; i < count; i++)
      for (const table of [store.keys, store.values]) table.row(to + i).set(table.row(from + i));
}

/** Gradient of raw [rows, (H + 2G) D] where those of q, keys and values are given. */
export function placeHeadsBackward(
  o: HeadsInput & { dq: Table; dKeys: Table; dValues: Table },
  raw: Table,
  dRaw: Table,
): void {
  const { headDim: D, kvHeads: G } = o.store;
  own(OracleTokens, o.tokens).placed.forEach((token, r) => {
    for (let h = 0; h < o.heads + 2 * G; h++) {
      const to = headOf(dRaw, r, h, D);
      if (h >= o.heads + G) {
        to.set(headOf(o.dValues, r, h - o.heads - G, D));
        continue;
      }
      const gradient =
        h < o.heads
          ? headOf(o.dq, r, h, D).map((value) => value / Math.sqrt(D))
          : headOf(o.dKeys, r, h - o.heads, D);
      to.set(backwardHead(headOf(raw, r, h, D), turningOf(o, h, token), gradient));
    }
  });
}

/** Softmax of a row's scores with the positions of its context that it attends to, and the logarithm of its sum. */
function weightsOf(
  o: AttentionInput,
  token: PlacedToken,
  r: number,
  h: number,
): { p: number[]; lse: number } {
  const first = o.window === undefined ? 0 : token.position + 1 - o.window;
  const { keys, headDim: D, kvHeads } = own(OracleKvCache, o.store);
  const q = own(OracleActivations, o.q);
  const g = Math.floor(h / (o.heads / kvHeads));
  const scores = Array.from({ length: token.position + 1 }, (_, j) =>
    j < first ? -Infinity : sum(D, (i) => q.at(r, h * D + i) * keys.at(token.start + j, g * D + i)),
  );
  const max = scores.reduce((a, b) => Math.max(a, b), -Infinity);
  const lse = max + Math.log(scores.reduce((total, s) => total + Math.exp(s - max), 0));
  return { p: scores.map((s) => Math.exp(s - lse)), lse };
}

export function attend(o: AttentionInput, out: Table, lse: Table | null): void {
  const { values, headDim: D, kvHeads } = own(OracleKvCache, o.store);
  own(OracleTokens, o.tokens).placed.forEach((token, r) => {
    for (let h = 0; h < o.heads; h++) {
      const g = Math.floor(h / (o.heads / kvHeads));
      const { p, lse: total } = weightsOf(o, token, r, h);
      lse?.set(r, h, total);
      for (let i = 0; i < D; i++)
        out.set(
          r,
          h * D + i,
          sum(p.length, (j) => itemAt(p, j) * values.at(token.start + j, g * D + i)),
        );
    }
  });
}

/** Adds nothing: dq, dKeys and dValues are written. */
export function attendBackward(
  o: AttentionInput & { dOut: Table; dq: Table; dKeys: Table; dValues: Table },
): void {
  const { keys, values, headDim: D, kvHeads } = own(OracleKvCache, o.store);
  const q = own(OracleActivations, o.q);
  const { placed, copies } = own(OracleTokens, o.tokens);
  const rowOf = new Map(placed.map((token, r) => [token.start + token.position, r]));
  for (const { from, to, count } of copies)
    for (let i = 0; i < count; i++) {
      const row = rowOf.get(from + i);
      if (row !== undefined) rowOf.set(to + i, row);
    }
  for (const to of [o.dq, o.dKeys, o.dValues]) to.values.fill(0, 0, placed.length * to.columns);
  placed.forEach((token, r) => {
    for (let h = 0; h < o.heads; h++) {
      const g = Math.floor(h / (o.heads / kvHeads));
      const { p } = weightsOf(o, token, r, h);
      const dp = p.map((_, j) =>
        sum(D, (i) => o.dOut.at(r, h * D + i) * values.at(token.start + j, g * D + i)),
      );
      const mean = sum(p.length, (j) => itemAt(p, j) * itemAt(dp, j));
      p.forEach((weight, j) => {
        const row = rowOf.get(token.start + j);
        if (row === undefined)
          throw new Error(`oracle: position ${j} of a context is not among the tokens`);
        const dScore = weight * (itemAt(dp, j) - mean);
        for (let i = 0; i < D; i++) {
          o.dq.add(r, h * D + i, dScore * keys.at(token.start + j, g * D + i));
          o.dKeys.add(row, g * D + i, dScore * q.at(r, h * D + i));
          o.dValues.add(row, g * D + i, weight * o.dOut.at(r, h * D + i));
        }
      });
    }
  });
}
