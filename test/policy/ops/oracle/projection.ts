import { itemAt } from '../../../../src/base/items.ts';
import type { Norm, Projection } from '../../../../src/policy/ops/ops.ts';
import { OracleLora, OracleMatrix, OracleVector } from './handles.ts';
import { own } from '../../../../src/policy/ops/own.ts';
import { sum, Table } from './table.ts';

const loraOf = ({ lora }: Projection): OracleLora | null => lora && own(OracleLora, lora);

/** y = W x + b + scale · B (A x), row by row, of the first `rows` rows of x. */
export function project(x: Table, rows: number, by: Projection): Table {
  const W = own(OracleMatrix, by.matrix);
  const bias = by.bias && own(OracleVector, by.bias).values;
  const y = new Table(rows, W.out);
  for (let r = 0; r < rows; r++)
    for (let o = 0; o < W.out; o++)
      y.set(r, o, (bias ? itemAt(bias, o) : 0) + sum(W.in, (i) => W.at(o, i) * x.at(r, i)));
  const lora = loraOf(by);
  if (!lora) return y;
  for (const { row, out, A, B } of lora.parts)
    for (let r = 0; r < rows; r++) {
      const inner = innerOf(A, x, r);
      for (let o = 0; o < out; o++) {
        const product = sum(A.rows, (k) => B.at(o, k) * itemAt(inner, k));
        y.add(r, row + o, lora.shape.scale * product);
      }
    }
  return y;
}

/** A x of one row. */
const innerOf = (A: Table, x: Table, r: number): number[] =>
  Array.from({ length: A.rows }, (_, k) => sum(A.columns, (i) => A.at(k, i) * x.at(r, i)));

/**
 * dx = Wᵀ dy + scale · Aᵀ (Bᵀ dy); adds to the gradients of A and B where they are trained, and of W and b
 * where they learn.
 */
export function projectBackward(x: Table, rows: number, by: Projection, dy: Table): Table {
  const W = own(OracleMatrix, by.matrix);
  const dx = new Table(rows, W.in);
  for (let r = 0; r < rows; r++)
    for (let i = 0; i < W.in; i++)
      dx.set(
        r,
        i,
        sum(W.out, (o) => W.at(o, i) * dy.at(r, o)),
      );
  const bias = by.bias && own(OracleVector, by.bias).gradient;
  for (let r = 0; r < rows; r++)
    for (let o = 0; o < W.out; o++) {
      if (bias) bias[o] = itemAt(bias, o) + dy.at(r, o);
      for (let i = 0; W.gradient && i < W.in; i++) W.gradient.add(o, i, dy.at(r, o) * x.at(r, i));
    }
  const lora = loraOf(by);
  if (!lora) return dx;
  const { scale } = lora.shape;
  for (const { row, out, A, B, dA, dB } of lora.parts)
    for (let r = 0; r < rows; r++) {
      const inner = innerOf(A, x, r);
      for (let k = 0; k < A.rows; k++) {
        const dInner = scale * sum(out, (o) => B.at(o, k) * dy.at(r, row + o));
        for (let i = 0; i < W.in; i++) dx.add(r, i, A.at(k, i) * dInner);
        if (!lora.adapter.trained) continue;
        for (let i = 0; i < W.in; i++) dA.add(k, i, dInner * x.at(r, i));
        for (let o = 0; o < out; o++) dB.add(o, k, scale * dy.at(r, row + o) * itemAt(inner, k));
      }
    }
  return dx;
}

/** 1 / √(mean x² + eps) */
const inverseRms = (x: Float64Array, eps: number): number =>
  1 / Math.sqrt(sum(x.length, (i) => itemAt(x, i) ** 2) / x.length + eps);

/** x / rms(x) · w */
export function normed(x: Float64Array, weight: Float64Array, eps: number): Float64Array {
  const inverse = inverseRms(x, eps);
  return x.map((value, i) => value * inverse * itemAt(weight, i));
}

/** The gradient of x where dy is that of `normed`. */
export function normedBackward(
  x: Float64Array,
  weight: Float64Array,
  eps: number,
  dy: Float64Array,
): Float64Array {
  const inverse = inverseRms(x, eps);
  const weighted = dy.map((value, i) => value * itemAt(weight, i));
  // d(x / rms) = (g − x̂ · mean(g x̂)) / rms with x̂ = x / rms
  const mean = sum(x.length, (i) => itemAt(weighted, i) * itemAt(x, i) * inverse) / x.length;
  return weighted.map((value, i) => inverse * (value - itemAt(x, i) * inverse * mean));
}

/** Adds to the gradient of a norm's weights that learn: dw += dy · x̂. */
export function learnNorm(
  x: Float64Array,
  eps: number,
  dy: Float64Array,
  gradient: Float64Array | null,
): void {
  if (!gradient) return;
  const inverse = inverseRms(x, eps);
  dy.forEach((d, i) => {
    gradient[i] = itemAt(gradient, i) + d * itemAt(x, i) * inverse;
  });
}

/** `normed` of the first `rows` rows. */
export function normRows(x: Table, rows: number, norm: Norm): Table {
  const weight = own(OracleVector, norm.weight).values;
  const y = new Table(rows, x.columns);
  for (let r = 0; r < rows; r++) y.row(r).set(normed(x.row(r), weight, norm.eps));
  return y;
}

/** dx[r] += gradient through `normRows` */
export function normRowsBackward(x: Table, rows: number, norm: Norm, dy: Table, dx: Table): void {
  const { values: weight, gradient } = own(OracleVector, norm.weight);
  for (let r = 0; r < rows; r++) {
    learnNorm(x.row(r), norm.eps, dy.row(r), gradient);
    normedBackward(x.row(r), weight, norm.eps, dy.row(r)).forEach((value, i) =>
      dx.add(r, i, value),
    );
  }
}
