import { Chunker, stripMarkdown, type Chunk } from './chunking.ts';
import { formatOf } from '../schemas/list.ts';
import { lines, type Line } from '../values/lines.ts';
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
  let bytes = 0;
  const raw = (line: number, found: Pick<RawItem, 'value' | 'problem'>): RawItem => {
    const next = { format, offset: 0, line: 1, item: item + 1 };
    return { item: item++, line, bytes, next, ...found };
  };
  const chunked = ({ line, ...value }: Chunk): RawItem => raw(line, { value });
  const unread = ({ line, problem }: Line): RawItem =>
    raw(line, { problem: { key: '', expected: problem ?? 'expected UTF-8 text' } });
  const isNew = ({ item }: RawItem): boolean => item >= skipped;
  for await (const line of lines(blob, signal ? { signal } : {})) {
    bytes = line.end;
    if (line.text === null) yield* [unread(line)].filter(isNew);
    else for (const chunk of source.push(line, line.text)) yield* [chunked(chunk)].filter(isNew);
  }
  for (const chunk of source.end()) yield* [chunked(chunk)].filter(isNew);
}

/** Long lines without blank ones between them are given on, so that memory stays bounded. */
const MAX_PARAGRAPH = 2 ** 16;

class Paragraphs {
  protected readonly chunker: Chunker;
  #text: string[] = [];
  #length = 0;
  #start = 1;

  constructor(chunker: Chunker) {
    this.chunker = chunker;
  }

  *push({ line }: Line, text: string): Generator<Chunk, void> {
    if (text.trim() === '' || this.#length > MAX_PARAGRAPH) yield* this.flush();
    if (text.trim() === '') return;
    if (this.#text.length === 0) this.#start = line;
    this.#text.push(text);
    this.#length += text.length;
  }

  *end(): Generator<Chunk, void> {
    yield* this.flush();
    yield* this.chunker.end();
  }

  protected *flush(): Generator<Chunk, void> {
    const text = this.#text.join(' ');
    this.#text = [];
    this.#length = 0;
    if (text !== '') yield* this.chunker.add(text, this.#start);
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

  override *push(line: Line, text: string): Generator<Chunk, void> {
    if (line.line === 1 && text.trim() === '---') this.#skipping = 'front matter';
    else if (this.#skipping === 'front matter') {
      if (text.trim() === '---') this.#skipping = null;
    } else if (FENCE.test(text)) {
      yield* this.flush();
      this.#skipping = this.#skipping ? null : 'code';
    } else if (!this.#skipping) yield* this.#content(line, text);
  }

  *#content(line: Line, text: string): Generator<Chunk, void> {
    const heading = text.length < 1000 ? HEADING.exec(text.trim()) : null;
    if (!heading) {
      // Items of a list are paragraphs of their own.
      if (/^\s*(?:[-*+]|\d+[.)])\s/u.test(text)) yield* this.flush();
      yield* super.push(line, stripMarkdown(text));
      return;
    }
    yield* this.flush();
    const level = heading[1]?.length ?? 1;
    this.#headings.length = Math.min(this.#headings.length, level - 1);
    this.#headings[level - 1] = stripMarkdown(heading[2] ?? '');
    const path = [...this.#headings].filter(Boolean).join(' › ');
    yield* this.chunker.retitle(path === '' ? this.#document : path);
  }
}
