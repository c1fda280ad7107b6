import wasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url';
import gpuWasmUrl from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url';
import { ExactIndex, type DenseIndex } from '../../src/retrieval/dense/dense.ts';
import { OnnxEncoder } from '../../src/retrieval/encoder/encoder.ts';
import { loadOrt, type EncoderDevice } from '../../src/retrieval/encoder/runtime.ts';
import type { FetchFile } from '../../src/base/fetch-file.ts';
import { HnswIndex } from '../../src/retrieval/dense/hnsw.ts';
import { openWorldRetriever } from '../../src/retrieval/open.ts';
import { loadWorld } from '../../src/retrieval/world/load.ts';
import { goldSteps } from './recall.ts';

/** Times in milliseconds. */
export interface Timing {
  mean: number;
  p95: number;
}

export interface BrowserReport {
  queries: number;
  loadMs: number;
  encoderMs: number;
  hnsw: { buildMs: number; recallAt10: number; search: Timing; exact: Timing };
  /** First coordinates of the first query's vector, to compare with Node's. */
  firstVector: number[];
  encode: Timing;
  local: Timing;
  web: Timing & { requests: number; bytes: number };
  webCached: Timing;
  both: Timing;
  webgpu: { encode: Timing; largestDifference: number } | { error: string };
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

const timing = (times: readonly number[]): Timing => {
  const sorted = [...times].sort((a, b) => a - b);
  return {
    mean: mean(times),
    p95: sorted[Math.floor(0.95 * sorted.length)] ?? 0,
  };
};

async function timed<Item, Result>(
  items: readonly Item[],
  run: (item: Item) => Result | Promise<Result>,
): Promise<{ results: Result[]; times: number[] }> {
  const [results, times]: [Result[], number[]] = [[], []];
  for (const item of items) {
    const start = performance.now();
    results.push(await run(item));
    times.push(performance.now() - start);
  }
  return { results, times };
}

/** Files below `base`, which ends with a slash. */
const fetchFromUrl =
  (base: string): FetchFile =>
  async (name) => {
    const response = await fetch(base + name);
    if (!response.ok) throw new Error(`${base + name}: HTTP ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };

async function openEncoder(device: EncoderDevice): Promise<OnnxEncoder> {
  const url = device === 'webgpu' ? gpuWasmUrl : wasmUrl;
  const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
  return OnnxEncoder.open(fetchFromUrl('/encoder/'), () => loadOrt(device, bytes), device);
}

const hits10 = (index: DenseIndex) => (vector: Float32Array) =>
  index.search(vector, 10).map((neighbour) => neighbour.index);

async function webgpuReport(
  queries: string[],
  expected: Float32Array[],
): Promise<BrowserReport['webgpu']> {
  try {
    const encoder = await openEncoder('webgpu');
    const { results, times } = await timed(queries, (query) => encoder.encodeQuery(query));
    const differences = results.flatMap((vector, row) =>
      Array.from(vector, (value, i) => Math.abs(value - (expected[row]?.[i] ?? NaN))),
    );
    return { encode: timing(times.slice(1)), largestDifference: Math.max(...differences) };
  } catch (error) {
    return { error: String(error) };
  }
}

async function measure(count: number): Promise<BrowserReport> {
  let start = performance.now();
  const worldFiles = fetchFromUrl('/world/');
  const world = await loadWorld(worldFiles);
  if (!world.vectors) throw new Error('public/world has no vectors');
  const loadMs = performance.now() - start;
  start = performance.now();
  const encoder = await openEncoder('wasm');
  const encoderMs = performance.now() - start;
  const queries = goldSteps(world.questions.filter(({ split }) => split === 'test'))
    .slice(0, count)
    .map(({ query }) => query);
  const encoded = await timed(queries, (query) => encoder.encodeQuery(query));
  start = performance.now();
  const graph = await HnswIndex.build(world.vectors);
  const buildMs = performance.now() - start;
  const exact = await timed(encoded.results, hits10(new ExactIndex(world.vectors)));
  const near = await timed(encoded.results, hits10(graph));
  const shared = near.results.map(
    (rows, i) => rows.filter((row) => exact.results[i]?.includes(row)).length / 10,
  );
  const retriever = openWorldRetriever(world, worldFiles, { encoder, webCache: 'off' });
  await retriever.web.prepare();
  const local = await timed(queries, (query) => retriever.search('local', query, 3));
  const web = await timed(queries, (query) => retriever.search('web', query, 3));
  retriever.web.cache = 'memory';
  for (const query of queries) await retriever.search('both', query, 3);
  const webCached = await timed(queries, (query) => retriever.search('web', query, 3));
  const both = await timed(queries, (query) => retriever.search('both', query, 3));
  return {
    queries: queries.length,
    loadMs,
    encoderMs,
    hnsw: {
      buildMs,
      recallAt10: mean(shared),
      search: timing(near.times),
      exact: timing(exact.times),
    },
    firstVector: Array.from(encoded.results[0]?.slice(0, 8) ?? []),
    encode: timing(encoded.times.slice(1)),
    local: timing(local.times),
    web: {
      ...timing(web.times),
      requests: mean(web.results.map((r) => r.requests ?? 0)),
      bytes: mean(web.results.map((r) => r.bytes ?? 0)),
    },
    webCached: timing(webCached.times),
    both: timing(both.times),
    webgpu: await webgpuReport(queries.slice(0, 50), encoded.results),
  };
}

declare global {
  interface Window {
    measure: typeof measure;
  }
}
window.measure = measure;
