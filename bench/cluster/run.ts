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
import { ClusterIndex } from '../../src/retrieval/cluster/cluster-index.ts';
import type { VectorTable } from '../../src/retrieval/dense/dense.ts';
import { measure, PAPER, printRows, type Method } from './measure.ts';
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
const numberOr = (text: string): number | 'auto' => (text === 'auto' ? 'auto' : Number(text));

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
  printRows(rows, n, PAPER);
  const last = index.trace(queries[0]!, K).trace;
  console.log(
    `a query: τ ${last.temperature.toFixed(2)}, scanned ${last.scanned}, re-ranked ${last.candidates}`,
  );
}

await main();
