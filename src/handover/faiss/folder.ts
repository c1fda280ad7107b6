import type { Passage } from '../../records/records.ts';
import type { ClusterParts } from '../../retrieval/cluster/build.ts';
import { type VectorTable, ExactIndex, type Neighbour } from '../../retrieval/dense/dense.ts';
import type { EncoderManifest } from '../../retrieval/encoder/manifest.ts';
import { SAMPLING_DEFAULTS } from '../../retrieval/cluster/options.ts';
import { ClusterIndex } from '../../retrieval/cluster/cluster-index.ts';

/** What a folder with an index for FAISS holds beside the index, the passages and the encoder. */

/** Forage's own search results of an exported index: the reference for FAISS, and the numbers of the README. */

/** How deep order and scores are compared. */
const COMPARED = 20;
/** How deep recall is measured. */
const RECALL_DEPTH = 10;
/** Queries whose vectors are written out. */
const WRITTEN = 16;

interface EncodedQuery {
  text: string;
  vector: Float32Array;
}

/** A line of `expected.json`. */
interface Expected {
  query: string;
  vector: number[];
  /** Row and score, best first, when every list is visited. */
  neighbours: [row: number, score: number][];
}

interface Measured {
  queries: number;
  /** Mean share of the exact scan's best 10 that are found when this many lists are visited. */
  recall: { probes: number; recall: number }[];
  /** The same by Forage's second stage over every list; null where the index has none. */
  refined: number | null;
}

/** Visits the `probes` nearest lists whole, as FAISS does: no learned weights, no budget of candidates. */
function probed(
  parts: ClusterParts,
  probes: number,
): (query: Float32Array, k: number) => Neighbour[] {
  const index = new ClusterIndex(parts, { considered: probes, candidates: parts.rows.length });
  return (query, k) => index.trace(query, k, { learn: false }).neighbours;
}

function expectedOf(parts: ClusterParts, queries: readonly EncodedQuery[]): Expected[] {
  const search = probed({ ...parts, refinement: null }, parts.offsets.length - 1);
  return queries.slice(0, WRITTEN).map(({ text, vector }) => ({
    query: text,
    vector: [...vector],
    neighbours: search(vector, COMPARED).map(({ index, similarity }) => [index, similarity]),
  }));
}

/** @param probes numbers of lists, each measured */
function measure(
  parts: ClusterParts,
  vectors: VectorTable,
  queries: readonly EncodedQuery[],
  probes: readonly number[],
): Measured {
  const exact = new ExactIndex(vectors);
  const truth = queries.map(
    ({ vector }) => new Set(exact.search(vector, RECALL_DEPTH).map(({ index }) => index)),
  );
  const recallOf = (of: ClusterParts, count: number): number => {
    const search = probed(of, count);
    const shares = queries.map(({ vector }, i) => {
      const there = truth[i] ?? new Set<number>();
      const found = search(vector, RECALL_DEPTH).filter(({ index }) => there.has(index));
      return found.length / Math.max(1, there.size);
    });
    return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
  };
  const plain = { ...parts, refinement: null };
  return {
    queries: queries.length,
    recall: probes.map((count) => ({ probes: count, recall: recallOf(plain, count) })),
    refined: parts.refinement && recallOf(parts, parts.offsets.length - 1),
  };
}

export interface IndexedPassages {
  parts: ClusterParts;
  vectors: VectorTable;
  encoder: EncoderManifest;
  /** What recall is measured with, and what FAISS is compared by. */
  queries: readonly EncodedQuery[];
  /** Version of Forage. */
  version: string;
}

/** Lists that a search visits: as many as Forage considers. */
export const probesOf = ({ offsets }: ClusterParts): number =>
  Math.min(SAMPLING_DEFAULTS.considered, offsets.length - 1);

/** A line of `passages.jsonl`; line n, from 0, is row n of the index. */
export const passageLine = ({ id, title, text, url }: Passage): string =>
  `${JSON.stringify({ id, title, text, url })}\n`;

/** Texts of `index.json`, `expected.json` and `README.md`. */
export function aboutIndex(indexed: IndexedPassages): Record<string, string> {
  const { parts, vectors, encoder, queries, version } = indexed;
  const lists = parts.offsets.length - 1;
  const steps = [1, 4, 16, probesOf(parts), lists].filter((count) => count <= lists);
  const measured = measure(
    parts,
    vectors,
    queries,
    [...new Set(steps)].sort((a, b) => a - b),
  );
  const about = {
    format: 'forage.faiss/1',
    forage: version,
    index: {
      kind: 'IndexIVFPQ',
      metric: 'inner product',
      rows: parts.rows.length,
      dimensions: parts.dimensions,
      lists,
      subspaces: parts.quantizer.subspaces,
      probes: probesOf(parts),
    },
    encoder,
    measured,
  };
  return {
    'index.json': `${JSON.stringify(about, null, 2)}\n`,
    'expected.json': `${JSON.stringify(expectedOf(parts, queries))}\n`,
    'README.md': readme(indexed, measured),
  };
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

function readme({ parts, encoder, version }: IndexedPassages, measured: Measured): string {
  const lists = parts.offsets.length - 1;
  const { subspaces } = parts.quantizer;
  const table = measured.recall.map(
    ({ probes, recall }) => `| ${probes}${probes === lists ? ' (all)' : ''} | ${percent(recall)} |`,
  );
  const refined =
    measured.refined === null
      ? ''
      : ` With that second stage Forage finds ${percent(measured.refined)} over all lists.`;
  return `# ${parts.rows.length} passages for FAISS

Written by Forage ${version}. \`index.faiss\` is Forage's index of clusters as an \`IndexIVFPQ\`: ${lists} lists,
${subspaces} bytes per passage, inner products, by residual. \`faiss.read_index\` reads it; row n is line n (from 0) of
\`passages.jsonl\`. \`encoder/\` is the encoder ${encoder.id}, which made the vectors and must make those of the queries.

    pip install -r requirements.txt
    python search.py --check
    python search.py "a question"
    python search.py --serve 8000

\`--check\` compares FAISS with Forage's results for the queries of \`expected.json\`: the same order, scores within
1e-6. \`--serve\` speaks the protocol of Search-R1's retrieval server, so that a search engine \`search-r1\` at
\`http://127.0.0.1:8000/retrieve\` answers Forage with these passages.

## What differs from a search in Forage

- Forage shares the candidates of a query out over the nearest clusters, ${probesOf(parts)} here, by what it learned from earlier queries.
  FAISS visits the \`nprobe\` nearest lists whole and learns nothing. Over all lists both see the same scores.
- Forage ranks the candidates again with 8 more bits per dimension (\`refineBits\`), scaled passage by passage. FAISS has no
  counterpart, so the index is without them.${refined}

Share of the exact scan's ${RECALL_DEPTH} nearest that are found, over ${measured.queries} queries:

| lists visited (\`nprobe\`) | found |
| --- | --- |
${table.join('\n')}
`;
}
