import type { Passage } from '../data/records.ts';
import { sampleRows, randomNumbers } from './cluster/random.ts';
import type { DenseIndex } from './dense.ts';
import type { LexicalIndex } from './lexical.ts';
import type { QueryEncoder } from './sources.ts';
import { createTurns } from './turns.ts';

/** Passages that are looked for, and how deep. */
const [SAMPLE, DEPTH] = [64, 50];
/** Words of a query: as many as questions of the field have. */
const QUERY_WORDS = 12;

export interface KnownItems {
  /** Mean reciprocal rank of the passage that a query was taken from; 0 below the depth. */
  lexical: number;
  dense: number;
  /** Weight of the dense list in a fusion, 0 to 1. */
  denseWeight: number;
}

/**
 * How well an encoder tells the passages of this very corpus apart, without questions or labels: some
 * passages are looked for by words from the middle of their own text (known-item search), by both
 * indexes. With r the ratio of the two mean reciprocal ranks (dense to lexical), the dense list
 * weighs 2r − 1, between 0 and 1: as much as it finds more than it misses. An encoder that does not
 * find passages by their own words has no say in their order; one that finds them all has a full one.
 * @throws the signal's reason when aborted
 */
export async function knownItemWeight(
  passages: readonly Passage[],
  lexical: LexicalIndex,
  dense: { index: DenseIndex; encoder: QueryEncoder },
  { signal, seed = 7 }: { signal?: AbortSignal; seed?: number } = {},
): Promise<KnownItems> {
  const turn = createTurns(signal);
  const rows = sampleRows(passages.length, SAMPLE, randomNumbers(seed));
  const sums = { lexical: 0, dense: 0 };
  for (const row of rows) {
    await turn();
    const query = wordsOf(passages[row]!.text);
    const found = lexical.search(query, DEPTH);
    sums.lexical += reciprocal(found.findIndex(({ passage }) => passage === passages[row]));
    const near = dense.index.search(await dense.encoder.encodeQuery(query, signal), DEPTH);
    sums.dense += reciprocal(near.findIndex(({ index }) => index === row));
  }
  const [l, d] = [sums.lexical / rows.length, sums.dense / rows.length];
  return { lexical: l, dense: d, denseWeight: marginOf(d, l) };
}

/** Words from the middle of a text. */
function wordsOf(text: string): string {
  const words = text.split(/\s+/);
  const from = Math.max(0, Math.floor((words.length - QUERY_WORDS) / 2));
  return words.slice(from, from + QUERY_WORDS).join(' ');
}

const marginOf = (dense: number, lexical: number): number =>
  lexical > 0 ? Math.max(0, Math.min(1, (2 * dense) / lexical - 1)) : 1;

const reciprocal = (place: number): number => (place < 0 ? 0 : 1 / (place + 1));
