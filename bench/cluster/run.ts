/**
 * The cluster retriever against the full scan on clustered unit vectors, in one run on one thread:
 * mean and 99th percentile of the time of a query, memory of a document, recall@10 against the scan.
 *
 *   npx tsx bench/cluster/run.ts [--n 1000000] [--dimensions 128] [--queries 200] [--clusters auto]
 *     [--refine 8] [--candidates 1000] [--considered 32] [--subspaces auto] [--seed 1]
 *     [--export FOLDER]  writes the vectors for faiss_reference.py
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ClusterIndex } from '../../src/retrieval/cluster/index.ts';
import type { Neighbour, VectorTable } from '../../src/retrieval/dense.ts';
import { flatScan, flatScanSimd } from './flat.ts';
import { clusteredVectors } from './vectors.ts';

const { values: options } = parseArgs({
  options: {
    n: { type: 'string', default: '1000000' },
    dimensions: { type: 'string', default: '128' },
    queries: { type: 'string', default: '200' },
    clusters: { type: 'string', default: 'auto' },
    refine: { type: 'string', default: '8' },
    candidates: { type: 'string', default: '1000' },
    considered: { type: 'string', default: '32' },
    subspaces: { type: 'string', default: 'auto' },
    seed: { type: 'string', default: '1' },
    export: { type: 'string', default: '' },
  },
});

const K = 10;
const WARM_UP = 20;

interface Row {
  name: string;
  bytes: number;
  times: number[];
  found: number[][];
}

const numberOr = (text: string): number | 'auto' => (text === 'auto' ? 'auto' : Number(text));

interface Method {
  name: string;
  bytes: number;
  search: (query: Float32Array) => Neighbour[];
}

/** Queries of one method before the next has its turn: what else the machine does then hits all alike. */
const TURN = 10;

/** Times every method on every query, in turns. */
function measure(methods: readonly Method[], queries: readonly Float32Array[]): Row[] {
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
const PAPER = [
  ['paper, full retrieval', '820', '1320', '3072', '0.82', '1.0'],
  ['paper, cluster retrieval', '85', '140', '256', '0.82', '9.6'],
];

function print(rows: readonly Row[], n: number): void {
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
  for (const row of [...table, ...PAPER]) console.log(`| ${row.join(' | ')} |`);
}

function exportVectors(
  folder: string,
  vectors: VectorTable,
  queries: readonly Float32Array[],
): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'shape.json'), JSON.stringify({ dimensions: vectors.dimensions }));
  writeFileSync(join(folder, 'vectors.f32'), vectors.values);
  writeFileSync(join(folder, 'queries.f32'), Float32Array.from(queries.flatMap((q) => [...q])));
}

async function main(): Promise<void> {
  const n = Number(options.n);
  const dimensions = Number(options.dimensions);
  let start = performance.now();
  const since = (): string => `${((performance.now() - start) / 1000).toFixed(1)} s`;
  const { vectors, queries } = clusteredVectors(
    n,
    dimensions,
    Number(options.queries),
    Number(options.seed),
  );
  console.log(`${n} × ${dimensions} vectors, ${queries.length} queries: ${since()}`);
  if (options.export) exportVectors(options.export, vectors, queries);
  start = performance.now();
  let stage = '';
  const index = await ClusterIndex.build(
    vectors,
    {
      clusters: numberOr(options.clusters),
      refineBits: options.refine === '0' ? 0 : options.refine === '4' ? 4 : 8,
      subspaces: numberOr(options.subspaces),
      sampling: {
        candidates: Number(options.candidates),
        considered: Number(options.considered),
      },
    },
    {
      onProgress: (now) => {
        if (now !== stage) console.log(`  ${now} from ${since()}`);
        stage = now;
      },
    },
  );
  const { parts } = index;
  console.log(
    `built in ${since()}: ${parts.offsets.length - 1} clusters (${parts.dissolved} dissolved), ` +
      `${parts.quantizer.subspaces} subspaces`,
  );
  for (const score of parts.choice?.scores ?? [])
    console.log(
      `  k = ${score.clusters}: inertia ${score.inertia.toFixed(1)}, elbow ${score.elbow.toFixed(3)}, ` +
        `silhouette ${score.silhouette.toFixed(3)}, score ${score.score.toFixed(3)}`,
    );
  const simd = await flatScanSimd(vectors);
  const plain = flatScan(vectors);
  const full = vectors.values.byteLength;
  const methods: Method[] = [
    { name: 'full scan, WASM SIMD', bytes: full, search: (q) => simd(q, K) },
    { name: 'full scan, JavaScript', bytes: full, search: (q) => plain(q, K) },
    { name: 'cluster', bytes: index.bytes, search: (q) => index.search(q, K) },
  ];
  const rows = measure(methods, queries);
  print(rows, n);
  const last = index.trace(queries[0]!, K).trace;
  console.log(
    `a query: τ ${last.temperature.toFixed(2)}, scanned ${last.scanned}, re-ranked ${last.candidates}`,
  );
}

await main();
