/**
 * An index over clustered random vectors as a file for FAISS, and the scores that Forage gives every row
 * by decoding it: `tsx scripts/handover/faiss-values.ts DIR`.
 */
import { writeFileSync } from 'node:fs';
import { faissIndex } from '../../src/handover/faiss/index-ivf-pq.ts';
import { randomNumbers } from '../../src/base/random.ts';
import { ClusterIndex } from '../../src/retrieval/cluster/cluster-index.ts';

const [out] = process.argv.slice(2);
if (out === undefined) throw new Error('faiss-values.ts DIR');
const [ROWS, DIMENSIONS, TOPICS, CLUSTERS, QUERIES] = [20_000, 64, 80, 64, 16];

const random = randomNumbers(7);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
const topics = Array.from({ length: TOPICS }, () =>
  Float64Array.from({ length: DIMENSIONS }, normal),
);
const values = new Float32Array(ROWS * DIMENSIONS);
for (let row = 0; row < ROWS; row++) {
  const vector = (topics[row % TOPICS] ?? new Float64Array()).map((x) => x + 0.7 * normal());
  const length = Math.hypot(...vector);
  values.set(
    vector.map((x) => x / length),
    row * DIMENSIONS,
  );
}
const index = await ClusterIndex.build(
  { values, dimensions: DIMENSIONS },
  { clusters: CLUSTERS, refineBits: 0 },
);
const queries = Array.from({ length: QUERIES }, (_, i) => {
  const row = Math.floor((i * ROWS) / QUERIES);
  return values.slice(row * DIMENSIONS, (row + 1) * DIMENSIONS);
});
writeFileSync(`${out}/random.faiss`, Buffer.concat([...faissIndex(index.parts, 8)]));
writeFileSync(
  `${out}/random.json`,
  JSON.stringify({
    rows: ROWS,
    lists: index.parts.offsets.length - 1,
    probes: 8,
    queries: queries.map((query) => [...query]),
    scores: queries.map((query) =>
      Array.from({ length: ROWS }, (_, row) => index.similarity(query, row)),
    ),
  }),
);
