import { itemAt } from '../../base/items.ts';
import type { Passage } from '../../records/records.ts';
import { compareCodeUnits, terms } from '../lexical/text.ts';
import {
  LENGTHS_FILE,
  passageShardFile,
  termShard,
  termShardFile,
  WEB_FORMAT,
  WEB_HEADER_FILE,
  type WebHeader,
} from './format.ts';
import { encodeLengths, encodePassages } from './passages.ts';
import { encodePostings, type Postings } from './postings.ts';
import { sum, mean } from '../../base/statistics.ts';

export interface WebBuildOptions {
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
