import { ExactIndex, type VectorTable } from '../../../src/retrieval/dense/dense.ts';
import { HnswIndex } from '../../../src/retrieval/dense/hnsw.ts';
import { Random } from '../../../src/base/random.ts';

/** What HNSW finds beside the exact scan, over random unit vectors. */
export interface HnswReport {
  size: number;
  queries: number;
  /** Share of the exact ten nearest that HNSW finds too. */
  recallAt10: number;
  /** Largest difference of a similarity from that of the exact scan. */
  worstSimilarity: number;
  /** Whether a text is refused by `Function`, as the page's content security policy asks. */
  evalRefused: boolean;
}

const [SIZE, DIMENSIONS, QUERIES, NEAREST] = [800, 32, 40, 10];

function unitVectors(count: number, random: Random): Float32Array {
  const values = new Float32Array(count * DIMENSIONS);
  random.fillNormal(values, 1);
  for (let row = 0; row < count; row++) {
    const vector = values.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
    const norm = Math.hypot(...vector);
    vector.forEach((value, i) => (vector[i] = value / norm));
  }
  return values;
}

function isEvalRefused(): boolean {
  try {
    // oxlint-disable-next-line typescript/no-implied-eval -- this is what must not work
    return new Function('return 1')() !== 1;
  } catch {
    return true;
  }
}

async function measure(): Promise<HnswReport> {
  const random = new Random(3);
  const table: VectorTable = { values: unitVectors(SIZE, random), dimensions: DIMENSIONS };
  const queries = unitVectors(QUERIES, random);
  const graph = await HnswIndex.build(table);
  const exact = new ExactIndex(table);
  let [found, worst] = [0, 0];
  for (let q = 0; q < QUERIES; q++) {
    const query = queries.slice(q * DIMENSIONS, (q + 1) * DIMENSIONS);
    const near = new Map(graph.search(query, NEAREST).map((n) => [n.index, n.similarity]));
    for (const { index, similarity } of exact.search(query, NEAREST)) {
      const other = near.get(index);
      if (other === undefined) continue;
      found++;
      worst = Math.max(worst, Math.abs(other - similarity));
    }
  }
  return {
    size: SIZE,
    queries: QUERIES,
    recallAt10: found / (QUERIES * NEAREST),
    worstSimilarity: worst,
    evalRefused: isEvalRefused(),
  };
}

measure().then(
  (report) => postMessage(report),
  (error: unknown) => postMessage({ error: String(error) }),
);
