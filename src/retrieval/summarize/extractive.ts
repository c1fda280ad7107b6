import { itemAt } from '../../base/items.ts';
import { sum } from '../../base/statistics.ts';
import type { Passage } from '../../records/records.ts';
import type { Similarities } from '../similarities.ts';
import { terms } from '../lexical/text.ts';
import { classifyQuery } from './classify.ts';
import {
  fallbackDraft,
  NOTHING_RELEVANT,
  type Draft,
  type Method,
  type SummaryRequest,
} from './summarizer.ts';

/**
 * A summary of whole sentences. Each is ranked against the query by BM25 over the sentences available
 * (its title counts as part of it: a sentence about "he" is about the title), by cosine similarity
 * where there is an encoder, and by the rank of its passage. Chosen are the best that say something
 * new, up to a length; passages come in the order of their best sentence, each with its title, so that
 * what bears the answer is read first.
 */

export interface ExtractiveOptions {
  /** Most words of the summary, titles left out. */
  maxWords?: number;
  maxSentences?: number;
  /** Share of the encoder's opinion where there is one, 0 to 1. */
  similarityWeight?: number;
}

interface Sentence {
  passage: number;
  at: number;
  text: string;
  terms: string[];
  score: number;
}

const K1 = 1.2;
const B = 0.75;
/** A word of the title weighs half one of the sentence. */
const TITLE = 0.5;
/** What one rank of the passage costs, of a score between 0 and 1. */
const RANK = 0.02;
/** A sentence of whose words this share was said already is left out. */
const REPEATED = 0.8;
/** A sentence that scores less than this share of the best one does not bear on the query. */
const RELEVANT = 0.35;
/** More are not looked at: a source gives at most 50 passages of 3,000 characters. */
const MOST = 2_000;

const STOP_WORDS = new Set(
  'a an the of in on at to by for from with and or is are was were be been do does did has have had who whom whose what which where when why how it its that this as into name'.split(
    ' ',
  ),
);

const contentTerms = (text: string): string[] =>
  terms(text).filter((term) => !STOP_WORDS.has(term));

const wordCount = (text: string): number => text.match(/\S+/gu)?.length ?? 0;

const sentencesOf = (passages: readonly Passage[]): Sentence[] =>
  passages
    .flatMap(({ sentences }, passage) =>
      sentences.map((text, at) => ({ passage, at, text, terms: terms(text), score: 0 })),
    )
    .slice(0, MOST);

/** BM25 of each sentence, divided by the best one's; all 0 where no word of the query occurs. */
export function lexicalScores(
  query: string,
  sentences: readonly { terms: readonly string[]; title: readonly string[] }[],
): number[] {
  const wanted = [...new Set(contentTerms(query))];
  const n = sentences.length;
  const mean = sum(sentences.map((one) => one.terms.length)) / n;
  const frequency = (one: (typeof sentences)[number], term: string): number =>
    one.terms.filter((other) => other === term).length + (one.title.includes(term) ? TITLE : 0);
  const rarity = new Map(
    wanted.map((term) => {
      const holding = sentences.filter((one) => frequency(one, term) > 0).length;
      return [term, Math.log(1 + (n - holding + 0.5) / (holding + 0.5))];
    }),
  );
  const scores = sentences.map((one) => {
    const length = 1 - B + (B * one.terms.length) / Math.max(1, mean);
    return sum(
      [...rarity].map(([term, idf]) => {
        const count = frequency(one, term);
        return (idf * count * (K1 + 1)) / (count + K1 * length);
      }),
    );
  });
  const best = Math.max(0, ...scores);
  return best === 0 ? scores : scores.map((score) => score / best);
}

/** Similarities between their least and greatest as 0 and 1. */
function spread(values: readonly number[]): number[] {
  const least = Math.min(...values);
  const range = Math.max(...values) - least;
  return values.map((value) => (range === 0 ? 0 : (value - least) / range));
}

const repeats = (sentence: Sentence, said: ReadonlySet<string>): boolean => {
  const own = new Set(sentence.terms);
  const known = [...own].filter((term) => said.has(term)).length;
  return known / own.size >= REPEATED;
};

function choose(ranked: readonly Sentence[], maxWords: number, maxSentences: number): Sentence[] {
  const [best] = ranked;
  if (!best) return [];
  const chosen: Sentence[] = [];
  const said = new Set<string>();
  let words = 0;
  for (const sentence of ranked) {
    if (chosen.length >= maxSentences || sentence.score < RELEVANT * best.score) break;
    const length = wordCount(sentence.text);
    if (chosen.length > 0 && (words + length > maxWords || repeats(sentence, said))) continue;
    chosen.push(sentence);
    words += length;
    for (const term of sentence.terms) said.add(term);
  }
  return chosen;
}

/** One line per passage, its title first and its sentences in their own order. */
function render(chosen: readonly Sentence[], passages: readonly Passage[]): string {
  const order = [...new Set(chosen.map(({ passage }) => passage))];
  return order
    .map((index) => {
      const own = chosen.filter(({ passage }) => passage === index).sort((a, b) => a.at - b.at);
      return `${itemAt(passages, index).title} : ${own.map(({ text }) => text).join(' ')}`;
    })
    .join('\n');
}

export class Extractive implements Method {
  readonly id: string;
  readonly #options: Required<ExtractiveOptions>;
  readonly #similarities: Similarities | null;

  constructor(similarities: Similarities | null = null, options: ExtractiveOptions = {}) {
    this.#options = { maxWords: 80, maxSentences: 6, similarityWeight: 0.5, ...options };
    this.#similarities = similarities;
    const { maxWords, maxSentences } = this.#options;
    this.id = `extractive/1:${maxWords}:${maxSentences}${similarities ? ':encoder' : ''}`;
  }

  async draft({ query, passages, signal }: SummaryRequest): Promise<Draft> {
    const { kind, reason } = classifyQuery(query);
    if (kind === 'reasoning') return fallbackDraft(reason);
    const sentences = await this.#ranked(query, passages, signal);
    const { maxWords, maxSentences } = this.#options;
    const chosen = choose(sentences, maxWords, maxSentences);
    return chosen.length === 0
      ? { text: NOTHING_RELEVANT, fallback: false, reason: 'no sentence bears on the query' }
      : { text: render(chosen, passages), fallback: false, reason };
  }

  async #ranked(
    query: string,
    passages: readonly Passage[],
    signal?: AbortSignal,
  ): Promise<Sentence[]> {
    const sentences = sentencesOf(passages);
    const titles = passages.map(({ title }) => terms(title));
    const lexical = lexicalScores(
      query,
      sentences.map((one) => ({ terms: one.terms, title: itemAt(titles, one.passage) })),
    );
    const similar = await this.#similar(query, sentences, passages, signal);
    const weight = this.#options.similarityWeight;
    sentences.forEach((one, i) => {
      const words = itemAt(lexical, i);
      const opinion = similar ? (1 - weight) * words + weight * itemAt(similar, i) : words;
      one.score = Math.max(0, opinion - RANK * one.passage);
    });
    return sentences
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || a.passage - b.passage || a.at - b.at);
  }

  async #similar(
    query: string,
    sentences: readonly Sentence[],
    passages: readonly Passage[],
    signal?: AbortSignal,
  ): Promise<number[] | null> {
    if (!this.#similarities || sentences.length === 0) return null;
    const alone = sentences.map(({ text, passage, at }): Passage => {
      const { id, title } = itemAt(passages, passage);
      return { id: `${id}#${at}`, title, text, sentences: [text] };
    });
    return spread(await this.#similarities(query, alone, signal));
  }
}
