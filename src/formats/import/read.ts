import { oneLine } from '../../base/errors.ts';
import type { ChainStep } from '../../records/records.ts';
import { detect } from './readers/detect.ts';
import { passageHash, questionHash } from './values/hash.ts';
import { csvRecords } from './readers/csv.ts';
import { jsonItems } from './readers/json-items.ts';
import { parquetItems } from './readers/parquet.ts';
import { splitIn } from './values/split.ts';
import { unpacked, unpackedName } from './values/unpacked.ts';
import { freeId, KnownItems } from './values/known.ts';
import { itemSchema, formatOf } from './schemas/list.ts';
import type { PassageDraft } from './schemas/passages.ts';
import type { QuestionDraft } from './schemas/questions.ts';
import type { Extracted } from './schemas/schema.ts';
import {
  type Duplicate,
  type ImportBatch,
  type ImportedPassage,
  type ImportedQuestion,
  type ImportOptions,
  type ImportProgress,
  type RawItem,
  type Rejection,
  type Format,
  type ResumePosition,
  CHUNKING_DEFAULTS,
} from './values/types.ts';
import { itemAt } from '../../base/items.ts';
import { lines } from './values/lines.ts';
import { parseJsonLine } from './values/json-value.ts';
import { Chunker, stripMarkdown, type Chunk } from './readers/chunking.ts';

const HEADING = /^(#{1,6})\s+(.*?)(?:\s+#+)?$/u;
const FENCE = /^\s*(?:```|~~~)/u;

/**
 * Passages of a `.txt` or `.md` file: paragraphs (blank lines between them), chunked by sentences.
 * Markdown headings title what follows them, with the headings above (`Atlas › Rivers`); code is
 * left out, and so is front matter. Items have the shape `{title, sentences}`.
 */
async function* prose(
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

/** One JSON value per line. A line that cannot be read is a problem of that line only. */
async function* jsonLines(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
): AsyncGenerator<RawItem, void> {
  let item = resume?.item ?? 0;
  const from = { start: resume?.offset ?? 0, firstLine: resume?.line ?? 1 };
  for await (const read of lines(blob, { ...from, ...(signal && { signal }) })) {
    const { line, end } = read;
    if (read.text?.trim() === '') continue;
    const found =
      read.text === null
        ? [{ problem: { key: '', expected: read.problem } }]
        : parseJsonLine(read.text);
    for (const value of found) {
      const next = { format, offset: end, line: line + 1, item: item + 1 };
      yield { item, line, bytes: end, next, ...value };
      item++;
    }
  }
}

const BATCH_ITEMS = 200;
/** Bytes of text after which a batch is given out, however few its items are. */
const BATCH_CHARACTERS = 2 ** 20;

/** The items of a file in its container's form, from the start or a position on. */
function rawItems(
  blob: Blob,
  format: Format,
  options: ImportOptions,
): AsyncGenerator<RawItem, void> {
  const { resume, signal } = options;
  switch (format.container) {
    case 'jsonl':
      return jsonLines(blob, format, resume, signal);
    case 'json-array':
    case 'json-object':
      return jsonItems(blob, format, resume, signal);
    case 'csv':
    case 'tsv':
      return csvRecords(blob, format, resume, signal);
    case 'parquet':
      return parquetItems(blob, format, resume, signal);
    case 'markdown':
    case 'text':
      return prose(blob, format.container === 'markdown', options);
  }
}

/**
 * Reads a file of questions or passages of any known format, batch by batch: what each gave, what
 * was rejected and why, how far it is, and where to continue. Passages with the title and text of an
 * earlier one are duplicates (for the contexts of questions that is usual), as are questions with the
 * text and answers of an earlier one, except for those to which one file gives ids of their own. An id that stands for something else in the same file is rejected.
 * @throws ImportError where the file as a whole cannot be read; the signal's reason when aborted
 */
export async function* readImport(
  file: Blob,
  given: ImportOptions = {},
): AsyncGenerator<ImportBatch, void> {
  const blob = await unpacked(file);
  const options = { ...given, ...(given.name !== undefined && { name: unpackedName(given.name) }) };
  const format = options.resume?.format ?? options.format ?? (await detect(blob, options.name));
  const schema = itemSchema(format.schema);
  const importer = new Importer(file.size, file.size / Math.max(1, blob.size), options);
  const limit = options.batchItems ?? BATCH_ITEMS;
  let waiting: { raw: RawItem; extracted: Extracted }[] = [];
  let characters = 0;
  for await (const raw of rawItems(blob, format, options)) {
    const extracted: Extracted = raw.problem
      ? { question: null, passages: [], problems: [raw.problem] }
      : schema.read(raw.value);
    const split = splitIn(raw.value, options.splitField);
    if (extracted.question && split) extracted.question.split = split;
    if (options.contexts === false && format.kind === 'questions') dropContexts(extracted);
    waiting.push({ raw, extracted });
    characters += size(extracted);
    if (waiting.length < limit && characters < BATCH_CHARACTERS) continue;
    options.signal?.throwIfAborted();
    yield await importer.batch(waiting);
    waiting = [];
    characters = 0;
  }
  options.signal?.throwIfAborted();
  yield await importer.batch(waiting, true);
}

function dropContexts(extracted: Extracted): void {
  extracted.passages = [];
  extracted.problems = extracted.problems.filter(() => extracted.question === null);
  if (extracted.question?.chain)
    extracted.question.chain = extracted.question.chain.map((step) => ({ ...step, passage: null }));
}

const size = ({ passages }: Extracted): number =>
  passages.reduce((sum, { sentences }) => sum + sentences.join(' ').length, 100);

/** Keeps what is known already, so that duplicates and taken ids are found. */
class Importer {
  readonly #options: ImportOptions;
  readonly #progress: ImportProgress;
  readonly #known: KnownItems;

  /** Bytes of the file per byte of what is in it. */
  readonly #ratio: number;

  constructor(totalBytes: number, ratio: number, options: ImportOptions) {
    this.#ratio = ratio;
    this.#options = options;
    this.#known = options.known ?? new KnownItems();
    this.#progress = {
      bytes: 0,
      totalBytes,
      items: options.resume?.item ?? 0,
      questions: 0,
      passages: 0,
      duplicates: 0,
      rejected: 0,
    };
  }

  async batch(
    entries: readonly { raw: RawItem; extracted: Extracted }[],
    last = false,
  ): Promise<ImportBatch> {
    const end = entries.at(-1)?.raw ?? null;
    const batch: ImportBatch = {
      questions: [],
      passages: [],
      duplicates: [],
      rejected: [],
      position: end && end.next,
      progress: this.#progress,
    };
    const hashes = await Promise.all(entries.map(({ extracted }) => hashesOf(extracted)));
    for (const [i, { raw, extracted }] of entries.entries()) {
      this.#add(batch, raw, extracted, itemAt(hashes, i, 'hashes'));
    }
    const p = this.#progress;
    if (last) p.bytes = p.totalBytes;
    else if (end) p.bytes = Math.round(this.#ratio * end.bytes);
    p.items += entries.length;
    p.questions += batch.questions.length;
    p.passages += batch.passages.length;
    p.duplicates += batch.duplicates.length;
    p.rejected += batch.rejected.length;
    batch.progress = { ...p };
    this.#options.onProgress?.(batch.progress);
    return batch;
  }

  #add(batch: ImportBatch, raw: RawItem, extracted: Extracted, hashes: ItemHashes): void {
    const { line, item } = raw;
    // Parts of a damaged file are quoted; each reason stays one readable line.
    const reject = (key: string, expected: string): Rejection => ({
      line,
      item,
      key: oneLine(key, 200),
      expected: oneLine(expected),
    });
    for (const { key, expected } of extracted.problems) batch.rejected.push(reject(key, expected));
    const ids = extracted.passages.map((draft, i) => {
      const added = this.#passage(draft, itemAt(hashes.passages, i, 'hashes'));
      if ('passage' in added) batch.passages.push(added);
      else if ('expected' in added) {
        batch.rejected.push(reject([draft.key, 'id'].filter(Boolean).join('.'), added.expected));
        return '';
      } else batch.duplicates.push({ line, item, id: added.id });
      return 'passage' in added ? added.passage.id : added.id;
    });
    if (!extracted.question || hashes.question === null) return;
    const added = this.#question(extracted.question, hashes.question, ids);
    if ('text' in added) batch.questions.push(added);
    else if ('expected' in added) batch.rejected.push(reject('id', added.expected));
    else batch.duplicates.push({ line, item, id: added.id } satisfies Duplicate);
  }

  #passage(
    { id, title, sentences }: PassageDraft,
    hash: string,
  ): ImportedPassage | { id: string } | { expected: string } {
    const { passages, file } = this.#known;
    const known = passages.idOf(hash);
    if (known !== undefined) return { id: known };
    const own = freeId(passages, file, id ?? `p-${hash.slice(0, 16)}`, hash);
    if (passages.taken(own, file))
      return { expected: `expected an id of its own; ${own} is another passage's` };
    passages.add(own, hash, file);
    return { passage: { id: own, title, text: sentences.join(' '), sentences }, hash };
  }

  #question(
    { id, chain, ...draft }: QuestionDraft,
    hash: string,
    passageIds: readonly string[],
  ): ImportedQuestion | { id: string } | { expected: string } {
    const { questions, file } = this.#known;
    const known = questions.idOf(hash);
    // Data sets ask one question under several ids; a question of another file is the same one.
    const same = known !== undefined && (!id || id === known);
    if (same || (known && questions.taken(known, file) === 'elsewhere')) return { id: known };
    const own = freeId(questions, file, id ?? `q-${hash.slice(0, 16)}`, hash);
    if (questions.taken(own, file))
      return { expected: `expected an id of its own; ${own} is another question's` };
    questions.add(own, hash, file);
    const steps = chain?.map(({ passage, ...step }): ChainStep => {
      const passageId = passage === null ? '' : itemAt(passageIds, passage, 'passages');
      return { ...step, passageId };
    });
    return { ...draft, id: own, ...(steps && { chain: steps }) };
  }
}

interface ItemHashes {
  /** Null where the item holds no question. */
  question: string | null;
  passages: string[];
}

async function hashesOf({ question, passages }: Extracted): Promise<ItemHashes> {
  return {
    question: question ? await questionHash(question.text, question.answers) : null,
    passages: await Promise.all(
      passages.map(({ title, sentences }) => passageHash(title, sentences.join(' '))),
    ),
  };
}
