import type { Passage } from '../../records/records.ts';
import type { ClusterParts } from '../../retrieval/cluster/build.ts';
import type { VectorTable } from '../../retrieval/dense/dense.ts';
import type { EncoderManifest } from '../../retrieval/encoder/manifest.ts';
import { SAMPLING_DEFAULTS } from '../../retrieval/cluster/options.ts';
import { expectedOf, measure, RECALL_DEPTH, type EncodedQuery, type Measured } from './measure.ts';

/** What a folder with an index for FAISS holds beside the index, the passages and the encoder. */

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
