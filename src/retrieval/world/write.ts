import type { Passage } from '../../records/records.ts';
import { toRow } from '../../records/passage-rows.ts';
import type { PassageEncoder } from '../sources.ts';
import { compareCodeUnits, terms } from '../lexical/text.ts';
import { sha256 } from '../../base/hash.ts';
import {
  LOCAL_FILE,
  MANIFEST_FILE,
  QUESTIONS_FILE,
  VECTORS_FILE,
  WORLD_FORMAT,
  type WorldManifest,
  type WorldQuestion,
} from './manifest.ts';
import { encodeVectors } from './vectors.ts';
import { itemAt } from '../../base/items.ts';
import {
  LENGTHS_FILE,
  passageShardFile,
  termShard,
  termShardFile,
  WEB_FORMAT,
  WEB_HEADER_FILE,
  type WebHeader,
} from '../web/format.ts';
import { encodeLengths, encodePassages } from '../web/passages.ts';
import { encodePostings, type Postings } from '../web/postings.ts';
import { sum, mean } from '../../base/statistics.ts';

interface WebBuildOptions {
  titleWeight: number;
  termShards: number;
  passagesPerShard: number;
}

const DEFAULTS: WebBuildOptions = { titleWeight: 2, termShards: 64, passagesPerShard: 64 };

/** Term frequencies of one document, title occurrences counted `titleWeight` times. */
function weightedTerms(passage: Passage, titleWeight: number): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (term: string, weight: number): void => {
    counts.set(term, (counts.get(term) ?? 0) + weight);
  };
  for (const term of terms(passage.title)) add(term, titleWeight);
  for (const term of terms(passage.text)) add(term, 1);
  return counts;
}

/** All files of the static index over `corpus`, by name. */
export function buildWebIndex(
  corpus: readonly Passage[],
  options: Partial<WebBuildOptions> = {},
): Map<string, Uint8Array> {
  const settings = { ...DEFAULTS, ...options };
  const passages = [...corpus].sort((a, b) => compareCodeUnits(a.id, b.id));
  const documents = passages.map((passage) => weightedTerms(passage, settings.titleWeight));
  const lengths = documents.map((counts) => sum(counts.values()));
  const header: WebHeader = {
    format: WEB_FORMAT,
    documents: passages.length,
    averageLength: mean(lengths),
    ...settings,
  };
  const files = new Map<string, Uint8Array>();
  files.set(WEB_HEADER_FILE, new TextEncoder().encode(JSON.stringify(header)));
  files.set(LENGTHS_FILE, encodeLengths(lengths));
  invert(documents, settings.termShards).forEach((shard, i) =>
    files.set(termShardFile(i), encodePostings(shard)),
  );
  for (let start = 0, i = 0; start < passages.length; start += settings.passagesPerShard, i++) {
    const rows = passages.slice(start, start + settings.passagesPerShard);
    files.set(passageShardFile(i), encodePassages(rows));
  }
  return files;
}

function invert(documents: Map<string, number>[], shards: number): Map<string, Postings>[] {
  const inverted = Array.from({ length: shards }, () => new Map<string, Postings>());
  documents.forEach((counts, document) => {
    for (const [term, frequency] of counts) {
      const shard = itemAt(inverted, termShard(term, shards));
      const postings = shard.get(term) ?? { documents: [], frequencies: [] };
      postings.documents.push(document);
      postings.frequencies.push(frequency);
      shard.set(term, postings);
    }
  });
  return inverted;
}

/** What a generator made. */
export interface WorldRecords {
  seed: number;
  /** Absent: `apart`. */
  webKind?: 'apart' | 'superset';
  local: readonly Passage[];
  web: readonly Passage[];
  questions: readonly WorldQuestion[];
}

/** What a generator returns: passages, and questions by split. */
interface WorldParts {
  seed: number;
  webKind?: 'apart' | 'superset';
  local: readonly Passage[];
  web: readonly Passage[];
  questions: Record<'train' | 'dev' | 'test', readonly Omit<WorldQuestion, 'split'>[]>;
}

/** The records of a generated world, in the order in which they are written. */
export function recordsOf({ questions, ...made }: WorldParts): WorldRecords {
  const flat = (['train', 'dev', 'test'] as const).flatMap((split) =>
    questions[split].map((question) => ({ ...question, split })),
  );
  const { seed, webKind, local, web } = made;
  return { seed, ...(webKind && { webKind }), local, web, questions: flat };
}

/** Writes one file of the folder, by its relative name. */
export type WriteFile = (name: string, bytes: Uint8Array) => Promise<void>;

/** Writes a world folder; without an encoder it has no vectors and its search is lexical only. */
export async function writeWorld(
  world: WorldRecords,
  write: WriteFile,
  encoder: PassageEncoder | null,
  onProgress?: (done: number, total: number) => void,
): Promise<WorldManifest> {
  const local = [...world.local].sort((a, b) => compareCodeUnits(a.id, b.id));
  const files = new Map([
    [LOCAL_FILE, json(local.map(toRow))],
    [QUESTIONS_FILE, json(world.questions)],
    ...buildWebIndex(world.web),
  ]);
  if (encoder) {
    files.set(VECTORS_FILE, encodeVectors(await encoder.encodePassages(local, onProgress)));
  }
  const manifest: WorldManifest = {
    format: WORLD_FORMAT,
    seed: world.seed,
    ...(world.webKind === 'superset' && { web: world.webKind }),
    counts: {
      local: local.length,
      web: world.web.length,
      questions: world.questions.length,
    },
    vectors: encoder && { dimensions: encoder.dimensions, encoder: encoder.id },
    files: {},
  };
  for (const [name, bytes] of files) {
    manifest.files[name] = { bytes: bytes.length, sha256: await sha256(bytes) };
    await write(name, bytes);
  }
  // The manifest comes last: a folder that has one is whole.
  await write(MANIFEST_FILE, json(manifest));
  return manifest;
}

const json = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
