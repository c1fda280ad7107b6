import { itemAt } from '../../../base/items.ts';
import { normaliseSpace, splitSentences } from '../values/sentences.ts';
import type { ChunkingOptions } from '../values/types.ts';

export interface Chunk {
  title: string;
  sentences: string[];
  /** 1-based line at which its first new sentence's paragraph starts. */
  line: number;
}

interface Sentence {
  text: string;
  /** 1-based line at which its paragraph starts. */
  line: number;
}

const words = (text: string): string[] => text.split(' ');

/**
 * Cuts running text into chunks of whole sentences with at most `maxWords` words, each repeating the
 * last `overlapSentences` of the one before it (fewer where they would not fit). Chunks do not reach
 * over a title. A sentence of more than `maxWords` words is cut at words.
 * @throws RangeError for a bound below one word or a negative overlap
 */
export class Chunker {
  readonly #options: ChunkingOptions;
  #title: string;
  #sentences: Sentence[] = [];
  #words = 0;
  /** How many of the sentences are repeated from the chunk before. */
  #repeated = 0;

  constructor(title: string, options: ChunkingOptions) {
    const { maxWords, overlapSentences } = options;
    if (!(maxWords >= 1)) throw new RangeError(`maxWords: expected at least 1, got ${maxWords}`);
    if (!(overlapSentences >= 0))
      throw new RangeError(`overlapSentences: expected 0 or more, got ${overlapSentences}`);
    this.#options = options;
    this.#title = title;
  }

  /** Ends the chunk; what follows has another title. */
  *retitle(title: string): Generator<Chunk, void> {
    yield* this.end();
    this.#title = title;
  }

  /** Adds a paragraph that starts at a line. */
  *add(paragraph: string, line: number): Generator<Chunk, void> {
    for (const sentence of splitSentences(paragraph)) {
      for (const part of this.#parts(sentence)) {
        const count = words(part).length;
        if (this.#words + count > this.#options.maxWords) yield* this.#cut(count);
        this.#sentences.push({ text: part, line });
        this.#words += count;
      }
    }
  }

  /** The last chunk, where there is one. */
  *end(): Generator<Chunk, void> {
    if (this.#sentences.length > this.#repeated) yield this.#chunk();
    this.#keep([]);
  }

  /** Gives the chunk out and starts the next with the overlap that leaves room for `count` words. */
  *#cut(count: number): Generator<Chunk, void> {
    yield this.#chunk();
    let overlap = this.#options.overlapSentences;
    const last = (): Sentence[] => (overlap === 0 ? [] : this.#sentences.slice(-overlap));
    while (overlap > 0 && countWords(last()) + count > this.#options.maxWords) overlap--;
    this.#keep(last());
  }

  #keep(sentences: Sentence[]): void {
    this.#sentences = sentences;
    this.#repeated = sentences.length;
    this.#words = countWords(sentences);
  }

  #chunk(): Chunk {
    const { line } = itemAt(this.#sentences, this.#repeated, 'sentences');
    return { title: this.#title, sentences: this.#sentences.map(({ text }) => text), line };
  }

  *#parts(sentence: string): Generator<string, void> {
    const all = words(sentence);
    const { maxWords } = this.#options;
    for (let at = 0; at < all.length; at += maxWords) yield all.slice(at, at + maxWords).join(' ');
  }
}

const countWords = (sentences: readonly Sentence[]): number =>
  sentences.flatMap(({ text }) => words(text)).length;

/** The words of a Markdown line without its markup for links, images, emphasis, lists and quotes. */
export const stripMarkdown = (line: string): string =>
  normaliseSpace(
    line
      .replace(/^\s*(?:>\s?)+/u, '')
      .replace(/^\s*(?:[-*+]|\d+[.)])\s+/u, '')
      .replace(/!?\[([^[\]]{0,2000})\]\([^)]{0,2000}\)/gu, '$1')
      .replace(/(\*\*|__|~~|`)/gu, ''),
  );
