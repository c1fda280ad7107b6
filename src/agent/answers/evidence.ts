import type { Passage } from '../../records/records.ts';
import { LexicalIndex } from '../../retrieval/lexical/lexical.ts';
import type { Hit } from '../../records/hits.ts';
import { normalizeAnswer, words } from './normalisers.ts';
import { soundTitles } from './scores.ts';

/**
 * The facts that are most like a question, by BM25; of those that share no word with it, what is last comes first.
 * @param most facts that are read
 */
export function likest(question: string, facts: readonly Passage[], most: number): Passage[] {
  const found = new LexicalIndex(facts).search(question, facts.length).map((one) => one.passage);
  const rest = facts.filter((fact) => !found.includes(fact)).toReversed();
  return [...found, ...rest].slice(0, most);
}

/** What retrieved passages bring: names, facts, supporting titles, support for an answer. */

const NAME = /\p{Lu}[\p{L}\p{M}\p{N}'’-]*(?:\s+\p{Lu}[\p{L}\p{M}\p{N}'’-]*)*/gu;
const NUMBER = /\d+(?:[.,]\d+)*/g;
// Words that open sentences and questions; a capital there makes no name.
const OPENERS = new Set(
  `a an the it its he she they his her their this that these those there in on at of to by for from with and or but
   who what which where when whose why how is are was were do does did has have had name both many
   first later since after before`.split(/\s+/),
);

/** Runs of capitalised words, without a leading word that merely opens the sentence. */
export function namesIn(text: string): string[] {
  const names: string[] = [];
  for (const match of text.matchAll(NAME)) {
    const parts = match[0].toLowerCase().split(/\s+/);
    const from = parts.findIndex((part) => !OPENERS.has(part));
    if (from >= 0) names.push(parts.slice(from).join(' '));
  }
  return names;
}

/** Names and numbers, lower case: STIE's "entities". */
const entitiesIn = (text: string): string[] => [...namesIn(text), ...(text.match(NUMBER) ?? [])];

/** Words that carry content: no articles, prepositions or question words. */
export const contentWords = (text: string): string[] =>
  words(text).filter((word) => !OPENERS.has(word));

const passageText = (passage: Passage): string => `${passage.title} . ${passage.text}`;

/**
 * Whether a search missed: it names something, and no passage holds any of those names whole. A
 * query that names nothing misses when it returns nothing.
 */
export function isMiss(query: string, hits: readonly Hit[]): boolean {
  if (hits.length === 0) return true;
  const names = namesIn(query);
  if (names.length === 0) return false;
  const texts = hits.map((hit) => ` ${words(passageText(hit.passage)).join(' ')} `);
  return !names.some((name) => {
    const needle = ` ${words(name).join(' ')} `;
    return texts.some((text) => text.includes(needle));
  });
}

export interface Observation {
  /** Supporting titles first seen now; null where the question names none. */
  newSupporting: string[] | null;
  /** Ids of passages seen before. */
  duplicates: string[];
  newEntities: number;
  /** Sentences first seen now: STIE's "facts". */
  newFacts: number;
}

/** Memory of one rollout's passages. */
export class Evidence {
  readonly #supporting: ReadonlySet<string>;
  readonly #found = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #entities = new Set<string>();
  readonly #facts = new Set<string>();
  readonly #texts: string[] = [];
  readonly #nameWords = new Set<string>();

  constructor(question: string, supporting: readonly string[]) {
    this.#supporting = new Set(supporting);
    this.#learnNames(question);
  }

  /** Number of passages seen so far. */
  get size(): number {
    return this.#ids.size;
  }

  has(passageId: string): boolean {
    return this.#ids.has(passageId);
  }

  /** Words of the names in the question and in all passages so far. */
  get nameWords(): ReadonlySet<string> {
    return this.#nameWords;
  }

  observe(hits: readonly Hit[]): Observation {
    const duplicates = hits.map((hit) => hit.passage.id).filter((id) => this.#ids.has(id));
    const newSupporting: string[] = [];
    const before = { entities: this.#entities.size, facts: this.#facts.size };
    const passages = hits.map(({ passage }) => passage);
    for (const title of soundTitles(passages)) {
      if (!this.#supporting.has(title) || this.#found.has(title)) continue;
      this.#found.add(title);
      newSupporting.push(title);
    }
    for (const passage of passages) this.#read(passage);
    return {
      newSupporting: this.#supporting.size === 0 ? null : newSupporting,
      duplicates,
      newEntities: this.#entities.size - before.entities,
      newFacts: this.#facts.size - before.facts,
    };
  }

  #read(passage: Passage): void {
    if (this.#ids.has(passage.id)) return;
    this.#ids.add(passage.id);
    for (const entity of [passage.title.toLowerCase(), ...passage.sentences.flatMap(entitiesIn)]) {
      this.#entities.add(entity);
    }
    for (const sentence of passage.sentences) this.#facts.add(normalizeAnswer(sentence));
    this.#learnNames(passage.title);
    for (const sentence of passage.sentences) this.#learnNames(sentence);
    this.#texts.push(` ${normalizeAnswer(passageText(passage))} `);
  }

  #learnNames(text: string): void {
    for (const word of namesIn(text).flatMap(words)) this.#nameWords.add(word);
  }

  /**
   * Whether a retrieved passage holds the answer as whole words after normalisation. "yes", "no" and
   * empty answers are never supported this way.
   */
  supports(answer: string): boolean {
    const needle = normalizeAnswer(answer);
    if (needle === '' || needle === 'yes' || needle === 'no') return false;
    return this.#texts.some((text) => text.includes(` ${needle} `));
  }
}

const asWords = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;

/** Whether some passage holds the answer, word for word. */
export const grounded = (answer: string, passages: readonly string[]): boolean =>
  asWords(answer).trim() !== '' &&
  passages.some((passage) => asWords(passage).includes(asWords(answer)));
