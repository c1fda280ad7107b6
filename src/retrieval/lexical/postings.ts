import { mean } from '../../base/statistics.ts';
import { itemAt } from '../../base/items.ts';

/**
 * The inverted lists of a corpus in typed arrays: about ten bytes a posting, where a map of maps takes a
 * hundred. Built in one pass over the documents and one sort by counting.
 */

/** Numbers that arrive one by one; the array doubles. */
class Grown<A extends Int32Array | Uint16Array> {
  #values: A;
  #length = 0;
  readonly #make: (length: number) => A;

  constructor(make: (length: number) => A) {
    this.#make = make;
    this.#values = make(1024);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#make(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  at(index: number): number {
    return this.#values[index] ?? NaN;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }
}

/** The same letters on their own: a slice of a text would keep the whole text in memory. */
function copied(term: string): string {
  // More are not handed to a function at once.
  if (term.length > 1000) return Array.from(term).join('');
  const units: number[] = [];
  for (let i = 0; i < term.length; i++) units.push(term.charCodeAt(i));
  return String.fromCharCode(...units);
}

const MOST_TIMES = 0xffff;
/** Postings that are sorted between two turns of the event loop: some milliseconds. */
const SORTED_AT_ONCE = 400_000;

export class PostingsBuilder {
  readonly #fields: number;
  readonly #ids = new Map<string, number>();
  /** Of each posting: its list, its document, how often the term occurs. */
  readonly #lists = new Grown((length) => new Int32Array(length));
  readonly #documents = new Grown((length) => new Int32Array(length));
  readonly #times = new Grown((length) => new Uint16Array(length));
  readonly #lengths: Grown<Int32Array>[];
  /** Of each term: documents that hold it so far, and the last of them. */
  readonly #holding = new Grown((length) => new Int32Array(length));
  readonly #last = new Grown((length) => new Int32Array(length));
  /** Of each list: its newest posting. */
  readonly #newest = new Grown((length) => new Int32Array(length));

  #documentCount = 0;

  constructor(fields: number) {
    this.#fields = fields;
    this.#lengths = Array.from({ length: fields }, () => new Grown((n) => new Int32Array(n)));
  }

  /** Adds the next document: the terms of each of its fields, repeats kept. */
  add(fields: readonly (readonly string[])[]): void {
    const document = this.#documentCount++;
    for (const [field, terms] of fields.entries()) {
      const before = this.#lists.length;
      for (const term of terms) this.#count(this.#idOf(term), field, document);
      itemAt(this.#lengths, field, 'fields').push(this.#lists.length - before);
    }
  }

  #count(id: number, field: number, document: number): void {
    const list = id * this.#fields + field;
    const newest = this.#newest.at(list);
    if (newest >= 0 && this.#documents.at(newest) === document) {
      this.#times.set(newest, Math.min(this.#times.at(newest) + 1, MOST_TIMES));
      return;
    }
    this.#newest.set(list, this.#lists.length);
    this.#lists.push(list);
    this.#documents.push(document);
    this.#times.push(1);
    // A document that holds the term in two fields holds it once.
    if (this.#last.at(id) === document) return;
    this.#last.set(id, document);
    this.#holding.set(id, this.#holding.at(id) + 1);
  }

  #idOf(term: string): number {
    const known = this.#ids.get(term);
    if (known !== undefined) return known;
    const id = this.#ids.size;
    this.#ids.set(copied(term), id);
    this.#holding.push(0);
    this.#last.push(-1);
    for (let field = 0; field < this.#fields; field++) this.#newest.push(-1);
    return id;
  }

  /** Sorts by lists; between two `yield`s some milliseconds pass. @returns the postings */
  *build(): Generator<undefined, Postings, undefined> {
    const count = this.#lists.length;
    const offsets = new Int32Array(this.#ids.size * this.#fields + 1);
    for (let i = 0; i < count; i++) {
      const list = this.#lists.at(i) + 1;
      offsets[list] = (offsets[list] ?? NaN) + 1;
      if (i % SORTED_AT_ONCE === 0) yield;
    }
    for (let list = 1; list < offsets.length; list++)
      offsets[list] = itemAt(offsets, list) + itemAt(offsets, list - 1);
    const next = offsets.slice(0, -1);
    const documents = new Int32Array(count);
    const times = new Uint16Array(count);
    for (let i = 0; i < count; i++) {
      const list = this.#lists.at(i);
      const at = next[list] ?? NaN;
      next[list] = at + 1;
      documents[at] = this.#documents.at(i);
      times[at] = this.#times.at(i);
      if (i % SORTED_AT_ONCE === 0) yield;
    }
    const lengths = this.#lengths.map((grown) =>
      Int32Array.from({ length: grown.length }, (_, i) => grown.at(i)),
    );
    const holding = Int32Array.from({ length: this.#ids.size }, (_, id) => this.#holding.at(id));
    return new Postings(this.#ids, this.#fields, { offsets, documents, times, lengths, holding });
  }
}

/** What postings are made of. */
interface PostingArrays {
  offsets: Int32Array;
  documents: Int32Array;
  times: Uint16Array;
  lengths: readonly Int32Array[];
  holding: Int32Array;
}

/** Where a list lies in `documents` and `times`. */
export interface List {
  from: number;
  to: number;
}

export class Postings {
  readonly #ids: ReadonlyMap<string, number>;
  readonly #fields: number;
  readonly #offsets: Int32Array;
  /** Documents of all lists, list after list, each ascending. */
  readonly documents: Int32Array;
  /** How often the term occurs there, 65,535 at most. */
  readonly times: Uint16Array;
  /** Different terms of each document, by field. */
  readonly lengths: readonly Int32Array[];
  /** Their means. */
  readonly meanLengths: readonly number[];
  /** Document frequency of each term. */
  readonly #holding: Int32Array;

  constructor(
    ids: ReadonlyMap<string, number>,
    fields: number,
    { offsets, documents, times, lengths, holding }: PostingArrays,
  ) {
    this.#ids = ids;
    this.#fields = fields;
    this.#offsets = offsets;
    this.documents = documents;
    this.times = times;
    this.lengths = lengths;
    this.#holding = holding;
    this.meanLengths = lengths.map(mean);
  }

  /** The list of a term in a field; null where it occurs nowhere. */
  list(term: string, field: number): List | null {
    const id = this.#ids.get(term);
    if (id === undefined) return null;
    const list = id * this.#fields + field;
    const [from, to] = [itemAt(this.#offsets, list), itemAt(this.#offsets, list + 1)];
    return from === to ? null : { from, to };
  }

  /** How many documents hold a term, in whichever field; each counts once. */
  documentFrequency(term: string): number {
    const id = this.#ids.get(term);
    return id === undefined ? 0 : itemAt(this.#holding, id);
  }

  /** Of the arrays exactly, and an estimate of the words. */
  get bytes(): number {
    const arrays = [this.#offsets, this.#holding, this.documents, this.times, ...this.lengths];
    return arrays.reduce(
      (sum, { byteLength }) => sum + byteLength,
      this.#ids.size * BYTES_PER_WORD,
    );
  }
}

/** An entry of a map with a word of eight letters for its key. */
const BYTES_PER_WORD = 72;
