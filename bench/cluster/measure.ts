import type { Neighbour } from '../../src/retrieval/dense/dense.ts';

/** Times, memory and recall of ways to search, side by side. */

const WARM_UP = 20;

export interface Row {
  name: string;
  bytes: number;
  times: number[];
  found: number[][];
}

export interface Method {
  name: string;
  bytes: number;
  search: (query: Float32Array) => Neighbour[];
}

/** Queries of one method before the next has its turn: what else the machine does then hits all alike. */
const TURN = 10;

/** Times every method on every query, in turns. */
export function measure(methods: readonly Method[], queries: readonly Float32Array[]): Row[] {
  for (const { search } of methods) for (const query of queries.slice(0, WARM_UP)) search(query);
  const rows = methods.map(({ name, bytes }): Row => ({ name, bytes, times: [], found: [] }));
  for (let from = 0; from < queries.length; from += TURN) {
    methods.forEach(({ search }, m) => {
      for (const query of queries.slice(from, from + TURN)) {
        const start = performance.now();
        const neighbours = search(query);
        rows[m]!.times.push(performance.now() - start);
        rows[m]!.found.push(neighbours.map(({ index }) => index));
      }
    });
  }
  return rows;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
const p99 = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1] ?? 0;

function recall(found: readonly number[][], truth: readonly number[][]): number {
  return mean(
    truth.map((rows, i) => rows.filter((row) => found[i]?.includes(row)).length / rows.length),
  );
}

/** The paper's Table 1, its storage and its recall (KunLunBaizeRAG, section 3.1.1). */
export const PAPER = [
  ['paper, full retrieval', '820', '1320', '3072', '0.82', '1.0'],
  ['paper, cluster retrieval', '85', '140', '256', '0.82', '9.6'],
];

export function printRows(rows: readonly Row[], n: number, others: readonly string[][] = []): void {
  const [flat] = rows;
  if (!flat) return;
  const table = rows.map(({ name, bytes, times, found }) => [
    name,
    mean(times).toFixed(3),
    p99(times).toFixed(3),
    (bytes / n).toFixed(0),
    recall(found, flat.found).toFixed(4),
    (mean(flat.times) / mean(times)).toFixed(1),
  ]);
  console.log('| method | mean ms | P99 ms | bytes a document | recall@10 | times faster |');
  console.log('|---|---|---|---|---|---|');
  for (const row of [...table, ...others]) console.log(`| ${row.join(' | ')} |`);
}
