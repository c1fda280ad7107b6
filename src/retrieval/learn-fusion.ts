import type { Passage } from '../records/records.ts';
import { sampleRows, randomNumbers } from '../base/random.ts';
import { dotRow, type DenseIndex, type VectorTable } from './dense/dense.ts';
import { fuse } from './fusion.ts';
import type { LexicalIndex } from './lexical/lexical.ts';
import type { QueryEncoder } from './sources.ts';
import { createTurns } from '../base/turns.ts';
import { encodeCached, type CacheableEncoder, type VectorCache } from './vector-cache.ts';
import { mean } from '../base/statistics.ts';
import { itemAt, lastOf } from '../base/items.ts';

/**
 * How much the dense list counts beside the lexical one on this very corpus with this very encoder,
 * learned without questions or labels by the inverse cloze task (Lee, Chang and Toutanova, ACL 2019):
 * a sentence of a passage is the question, and the passage without that sentence is to be found.
 * Verbatim words would be found by any lexical index; what is left are names and the topic, as in
 * real questions.
 */

/** Passages that are looked for, how deep, and what counts as found. */
const [SAMPLE, DEPTH, FOUND] = [128, 50, 5];
/** Where no weights find more, the sentences of a corpus say nothing of one another. */
const LEAST = 0.1;
/** Words of a question that is cut from a passage of one sentence. */
const CUT_WORDS = 12;

/**
 * Constant k of the fusion within one corpus. Smaller than the field's 60, at which 1 / (k + rank)
 * hardly falls and even a small weight of a poor list turns the order over.
 */
export const HYBRID_RRF_K = 10;

/** What a rank counts in each of the two lists. */
export interface FusionWeights {
  lexical: number;
  dense: number;
}

/** From lexical search alone to dense search alone. */
const WEIGHTS: readonly FusionWeights[] = [
  { lexical: 1, dense: 0 },
  { lexical: 8, dense: 1 },
  { lexical: 4, dense: 1 },
  { lexical: 2, dense: 1 },
  { lexical: 1, dense: 1 },
  { lexical: 1, dense: 2 },
  { lexical: 1, dense: 4 },
  { lexical: 0, dense: 1 },
];

export interface LearnedFusion {
  weights: FusionWeights;
  /** Questions that were asked. */
  questions: number;
  /** Share of the passages among the first five: by each list by itself, and fused with the weights. */
  lexical: number;
  dense: number;
  fused: number;
}

interface Cloze {
  row: number;
  question: string;
  /** What is left of the passage. */
  rest: Passage;
}

export interface LearnFusionOptions {
  /** Keeps the vectors of the passages without their sentences. */
  cache?: VectorCache | null;
  signal?: AbortSignal;
  seed?: number;
}

/**
 * The weights that find most: of `WEIGHTS` those with the highest recall@5 over the questions; of equal
 * ones those with the higher mean reciprocal rank, then those nearest to equal weights. Where hardly
 * any question is answered, both lists count the same.
 * @throws the signal's reason when aborted
 */
export async function learnFusion(
  passages: readonly Passage[],
  lexical: LexicalIndex,
  dense: { index: DenseIndex; encoder: QueryEncoder & CacheableEncoder },
  { cache = null, signal, seed = 7 }: LearnFusionOptions = {},
): Promise<LearnedFusion> {
  const random = randomNumbers(seed);
  const turn = createTurns(signal);
  const sample = sampleRows(passages.length, SAMPLE, random);
  const rows = new Map(passages.map((passage, row) => [passage, row]));
  const clozes = Array.from(sample).flatMap((row) =>
    clozeOf(itemAt(passages, row, 'corpus'), row, random),
  );
  const rests = await encodeCached(
    dense.encoder,
    clozes.map(({ rest }) => rest),
    cache,
    signal ? { signal } : {},
  );
  const ranks: number[][] = [];
  for (const [i, cloze] of clozes.entries()) {
    await turn();
    const vector = await dense.encoder.encodeQuery(cloze.question, signal);
    const lists = [
      lexicalRows(rows, lexical, cloze),
      denseRows(dense.index, vector, cloze.row, { rests, i }),
    ];
    ranks.push(WEIGHTS.map((weights) => rankOf(lists, weights, String(cloze.row))));
  }
  return best(ranks);
}

/** A sentence and the passage without it; of one sentence, words from its middle. */
function clozeOf(passage: Passage, row: number, random: () => number): Cloze[] {
  const { sentences } = passage;
  const pieces = sentences.length > 1 ? sentences : cut(passage.text);
  const at = sentences.length > 1 ? Math.floor(random() * pieces.length) : 1;
  const question = itemAt(pieces, at);
  if (question.trim() === '') return [];
  const left = pieces.filter((_, i) => i !== at);
  const rest = { ...passage, id: `${passage.id}#rest`, text: left.join(' '), sentences: left };
  return [{ row, question, rest }];
}

/** A text in three: the words in the middle are half of them at most. */
function cut(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const count = Math.min(CUT_WORDS, Math.floor(words.length / 2));
  const from = Math.floor((words.length - count) / 2);
  return [words.slice(0, from), words.slice(from, from + count), words.slice(from + count)].map(
    (part) => part.join(' '),
  );
}

/** Rows best first, the passage itself in the place that it has without the question. */
function lexicalRows(
  rows: ReadonlyMap<Passage, number>,
  lexical: LexicalIndex,
  { row, question, rest }: Cloze,
): string[] {
  const own = lexical.scoreOf(question, rest);
  const others = lexical.search(question, DEPTH + 1).flatMap(({ passage, score }) => {
    const other = rows.get(passage);
    return other === undefined || other === row ? [] : [{ row: other, score }];
  });
  return placed(others, own > 0 ? { row, score: own } : null);
}

function denseRows(
  index: DenseIndex,
  vector: Float32Array,
  row: number,
  { rests, i }: { rests: VectorTable; i: number },
): string[] {
  const others = index
    .search(vector, DEPTH + 1)
    .filter((near) => near.index !== row)
    .map((near) => ({ row: near.index, score: near.similarity }));
  return placed(others, { row, score: dotRow(vector, rests, i) });
}

interface Scored {
  row: number;
  score: number;
}

/** Keys of a ranked list with one more entry in it, behind those of equal score. */
function placed(others: readonly Scored[], own: Scored | null): string[] {
  const keys = others.map(({ row }) => String(row));
  if (own) {
    const before = others.filter(({ score }) => score >= own.score).length;
    keys.splice(before, 0, String(own.row));
  }
  return keys.slice(0, DEPTH);
}

/** 1-based; Infinity where neither list that counts has it. */
function rankOf(
  lists: readonly (readonly string[])[],
  { lexical, dense }: FusionWeights,
  key: string,
): number {
  const fused = fuse(lists, HYBRID_RRF_K, [lexical, dense]);
  const place = fused.findIndex((one) => one.key === key && one.score > 0);
  return place === -1 ? Infinity : place + 1;
}

/** @param ranks by question, then in the order of `WEIGHTS` */
function best(ranks: readonly (readonly number[])[]): LearnedFusion {
  const scores = WEIGHTS.map((weights, i) => {
    const own = ranks.map((each) => itemAt(each, i));
    return {
      weights,
      recall: mean(own.map((rank) => (rank <= FOUND ? 1 : 0))),
      reciprocal: mean(own.map((rank) => 1 / rank)),
      fromEqual: Math.abs(i - EQUAL),
    };
  });
  const ordered = scores.toSorted(
    (a, b) => b.recall - a.recall || b.reciprocal - a.reciprocal || a.fromEqual - b.fromEqual,
  );
  const first = itemAt(ordered, 0);
  const learned = first.recall >= LEAST ? first : itemAt(scores, EQUAL);
  return {
    weights: learned.weights,
    questions: ranks.length,
    lexical: itemAt(scores, 0).recall,
    dense: lastOf(scores).recall,
    fused: learned.recall,
  };
}

const EQUAL = WEIGHTS.findIndex(({ lexical, dense }) => lexical === dense);
