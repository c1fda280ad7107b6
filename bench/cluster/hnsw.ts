/**
 * HNSW (hnswlib in WebAssembly) beside the full scan and the clusters on the vectors that `run.ts --export FOLDER` wrote.
 *
 *   npx tsx bench/cluster/hnsw.ts FOLDER [vectors, all by default]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterIndex } from '../../src/retrieval/cluster/cluster-index.ts';
import type { Neighbour } from '../../src/retrieval/dense/dense.ts';
import { HnswIndex } from '../../src/retrieval/dense/hnsw.ts';
import { flatScanSimd } from './flat.ts';
import { measure, printRows } from './measure.ts';

const K = 10;
/** Half of the default, for the time of the build. */
const EF_CONSTRUCTION = 100;

const floats = (path: string): Float32Array => {
  const { buffer, byteOffset, byteLength } = readFileSync(path);
  return new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength));
};

async function main(folder: string, most: number): Promise<void> {
  const { dimensions } = JSON.parse(readFileSync(join(folder, 'shape.json'), 'utf8')) as {
    dimensions: number;
  };
  const all = floats(join(folder, 'vectors.f32'));
  const n = Math.min(most, all.length / dimensions);
  const vectors = { dimensions, values: all.subarray(0, n * dimensions) };
  const flat = floats(join(folder, 'queries.f32'));
  const queries = Array.from({ length: flat.length / dimensions }, (_, i) =>
    flat.slice(i * dimensions, (i + 1) * dimensions),
  );
  const start = performance.now();
  let told = 0;
  const index = await HnswIndex.build(
    vectors,
    { efConstruction: EF_CONSTRUCTION },
    {
      onProgress: (done) => {
        if (done - told < n / 10) return;
        told = done;
        console.log(`  ${done} after ${((performance.now() - start) / 1000).toFixed(0)} s`);
      },
    },
  );
  console.log(
    `${n} × ${dimensions}: built in ${((performance.now() - start) / 1000).toFixed(0)} s (M 16, efConstruction ${EF_CONSTRUCTION})`,
  );
  const clusters = await ClusterIndex.build(vectors, { clusters: Math.round(n / 500) });
  const simd = await flatScanSimd(vectors);
  const search =
    (k: number) =>
    (query: Float32Array): Neighbour[] =>
      index.search(query, k);
  printRows(
    measure(
      [
        {
          name: 'full scan, WASM SIMD',
          bytes: vectors.values.byteLength,
          search: (q) => simd(q, K),
        },
        // Ours and the library's copy of the vectors, and its edges.
        { name: 'HNSW, efSearch 96', bytes: index.bytes, search: search(K) },
        { name: 'cluster', bytes: clusters.bytes, search: (q) => clusters.search(q, K) },
      ],
      queries,
    ),
    n,
  );
}

const [folder, most] = process.argv.slice(2);
if (!folder) throw new Error('npx tsx bench/cluster/hnsw.ts FOLDER [vectors]');
await main(folder, most === undefined ? Infinity : Number(most));
process.exit(0);
