import { itemAt } from '../../../base/items.ts';
import { Chunker, stripMarkdown, type Chunk } from './chunking.ts';
import { formatOf } from '../schemas/list.ts';
import { lines } from '../values/lines.ts';
import { CHUNKING_DEFAULTS, type ImportOptions, type RawItem } from '../values/types.ts';

const HEADING = /^(#{1,6})\s+(.*?)(?:\s+#+)?$/u;
const FENCE = /^\s*(?:```|~~~)/u;

/**
 * Passages of a `.txt` or `.md` file: paragraphs (blank lines between them), chunked by sentences.
 * Markdown headings title what follows them, with the headings above (`Atlas › Rivers`); code is
 * left out, and so is front matter. Items have the shape `{title, sentences}`.
 */
export async function* prose(
  blob: Blob,
  markdown: boolean,
  options: ImportOptions,
): AsyncGenerator<RawItem, void> {
  const title = (options.name ?? '').replace(/^.*[/\\]/u, '').replace(/\.[a-z]{2,8}$/iu, '');
  const chunker = new Chunker(title, { ...CHUNKING_DEFAULTS, ...options.chunking });
  const source = markdown ? new Markdown(title, chunker) : new Paragraphs(chunker);
  const { resume, signal } = options;
  // How a chunk is cut depends on those before it: a resumed reading cuts from the start again.
  const skipped = resume?.item ?? 0;
  const format = formatOf(markdown ? 'markdown' : 'text', 'prose');
  let item = 0;
  const raw = (line: number, bytes: number, found: Pick<RawItem, 'value' | 'problem'>): RawItem => {
    const next = { format, offset: 0, line: 1, item: item + 1 };
    return { item: item++, line, bytes, next, ...found };
  };
  const chunked = ({ line, ...value }: Chunk, bytes: number): RawItem =>
    raw(line, bytes, { value });
  const isNew = ({ item }: RawItem): boolean => item >= skipped;
  for await (const read of lines(blob, signal ? { signal } : {})) {
    const { line, text, end } = read;
    const found =
      text === null
        ? [raw(line, end, { problem: { key: '', expected: read.problem } })]
        : Array.from(source.push(line, text), (chunk) => chunked(chunk, end));
    yield* found.filter(isNew);
  }
  yield* Array.from(source.end(), (chunk) => chunked(chunk, blob.size)).filter(isNew);
}

/** Long lines without blank ones between them are given on, so that memory stays bounded. */
const MAX_PARAGRAPH = 2 ** 16;

class Paragraphs {
  protected readonly chunker: Chunker;
  #lines: { line: number; text: string }[] = [];
  #length = 0;

  constructor(chunker: Chunker) {
    this.chunker = chunker;
  }

  *push(line: number, text: string): Generator<Chunk, void> {
    if (text.trim() === '' || this.#length > MAX_PARAGRAPH) yield* this.flush();
    if (text.trim() === '') return;
    this.#lines.push({ line, text });
    this.#length += text.length;
  }

  *end(): Generator<Chunk, void> {
    yield* this.flush();
    yield* this.chunker.end();
  }

  protected *flush(): Generator<Chunk, void> {
    const [first] = this.#lines;
    const text = this.#lines.map((line) => line.text).join(' ');
    this.#lines = [];
    this.#length = 0;
    if (first) yield* this.chunker.add(text, first.line);
  }
}

class Markdown extends Paragraphs {
  readonly #document: string;
  readonly #headings: string[] = [];
  /** Inside code, or inside front matter: lines are left out up to the end mark. */
  #skipping: 'code' | 'front matter' | null = null;

  constructor(document: string, chunker: Chunker) {
    super(chunker);
    this.#document = document;
  }

  override *push(line: number, text: string): Generator<Chunk, void> {
    if (line === 1 && text.trim() === '---') this.#skipping = 'front matter';
    else if (this.#skipping === 'front matter') {
      if (text.trim() === '---') this.#skipping = null;
    } else if (FENCE.test(text)) {
      yield* this.flush();
      this.#skipping = this.#skipping ? null : 'code';
    } else if (!this.#skipping) yield* this.#content(line, text);
  }

  *#content(line: number, text: string): Generator<Chunk, void> {
    const heading = text.length < 1000 ? HEADING.exec(text.trim()) : null;
    if (!heading) {
      // Items of a list are paragraphs of their own.
      if (/^\s*(?:[-*+]|\d+[.)])\s/u.test(text)) yield* this.flush();
      yield* super.push(line, stripMarkdown(text));
      return;
    }
    yield* this.flush();
    const level = itemAt(heading, 1, 'heading').length;
    this.#headings.length = Math.min(this.#headings.length, level - 1);
    this.#headings[level - 1] = stripMarkdown(itemAt(heading, 2, 'heading'));
    const path = [...this.#headings].filter(Boolean).join(' › ');
    yield* this.chunker.retitle(path === '' ? this.#document : path);
  }
}
