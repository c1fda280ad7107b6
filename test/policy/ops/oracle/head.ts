import { itemAt } from '../../../../src/base/items.ts';
import type { HeadInput } from '../../../../src/policy/ops/ops.ts';
import { OracleActivations, OracleMatrix, type Pick } from './handles.ts';
import { own } from '../../../../src/policy/ops/own.ts';
import { normRows, normRowsBackward } from './projection.ts';
import { sum, Table } from './table.ts';

/** The picked rows of x. */
function gathered(o: HeadInput, rows: readonly number[]): Table {
  const x = own(OracleActivations, o.x);
  const picked = new Table(rows.length, x.columns);
  rows.forEach((row, r) => picked.row(r).set(x.row(row)));
  return picked;
}

/** Logits [picked, vocabulary] of rows of x, at temperature 1. */
export function logitsOf(o: HeadInput, rows: readonly number[]): Table {
  const picked = gathered(o, rows);
  return project(normRows(picked, rows.length, o.norm), own(OracleMatrix, o.head));
}

function project(x: Table, head: Table): Table {
  const y = new Table(x.rows, head.rows);
  for (let r = 0; r < x.rows; r++)
    for (let id = 0; id < head.rows; id++)
      y.set(
        r,
        id,
        sum(head.columns, (i) => x.at(r, i) * head.at(id, i)),
      );
  return y;
}

/** Natural logarithms of softmax(logits / temperature). */
export function logSoftmax(logits: Float64Array, temperature: number): Float64Array {
  const scaled = logits.map((logit) => logit / temperature);
  const max = scaled.reduce((a, b) => Math.max(a, b), -Infinity);
  const total = scaled.reduce((all, logit) => all + Math.exp(logit - max), 0);
  return scaled.map((logit) => logit - max - Math.log(total));
}

/** dx = ∂/∂x of Σ c (−log-probability) over the picks; 0 in the other rows below `count`. */
export function headBackward(
  o: HeadInput,
  picks: readonly Pick[],
  coefficients: ArrayLike<number>,
  dx: Table,
  count: number,
): void {
  const head = own(OracleMatrix, o.head);
  const rows = picks.map(({ row }) => row);
  const logits = logitsOf(o, rows);
  const picked = gathered(o, rows);
  const dNormed = new Table(picks.length, picked.columns);
  const given = normRows(picked, rows.length, o.norm);
  picks.forEach(({ target, temperature }, r) => {
    const dLogits = logSoftmax(logits.row(r), temperature).map(
      (logprob, id) =>
        (itemAt(coefficients, r) * (Math.exp(logprob) - (id === target ? 1 : 0))) / temperature,
    );
    dLogits.forEach((d, id) => {
      for (let i = 0; head.gradient && i < picked.columns; i++)
        head.gradient.add(id, i, d * given.at(r, i));
    });
    for (let i = 0; i < picked.columns; i++)
      dNormed.set(
        r,
        i,
        sum(head.rows, (id) => itemAt(dLogits, id) * head.at(id, i)),
      );
  });
  const dPicked = new Table(picks.length, picked.columns);
  normRowsBackward(picked, picks.length, o.norm, dNormed, dPicked);
  dx.values.fill(0, 0, count * dx.columns);
  picks.forEach(({ row }, r) => dPicked.row(r).forEach((value, i) => dx.add(row, i, value)));
}
