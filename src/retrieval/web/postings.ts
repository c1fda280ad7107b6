import { ByteReader, ByteWriter } from './bytes.ts';
import { unwrapShard, wrapShard } from './container.ts';
import { itemAt } from '../../base/items.ts';
import { messageOf } from '../../base/errors.ts';

/** Documents that hold a term, ascending, and how often (title occurrences weighted). */
export interface Postings {
  documents: number[];
  frequencies: number[];
}

/** Term shard: per term its text, its document frequency, then (document gap, frequency) pairs. */
export function encodePostings(postings: ReadonlyMap<string, Postings>): Uint8Array {
  const out = new ByteWriter().varint(postings.size);
  for (const [term, { documents, frequencies }] of postings) {
    out.text(term).varint(documents.length);
    documents.forEach((document, i) => {
      out.varint(document - (documents[i - 1] ?? 0)).varint(itemAt(frequencies, i));
    });
  }
  return wrapShard('FWTP', out.finish());
}

/** Reads a term shard; throws where it is damaged or names a document beyond `documentCount`. */
export function decodePostings(
  file: Uint8Array,
  name: string,
  documentCount: number,
): Map<string, Postings> {
  const reader = new ByteReader(unwrapShard('FWTP', file, name));
  const shard = new Map<string, Postings>();
  try {
    const count = reader.varint();
    for (let i = 0; i < count; i++) shard.set(reader.text(), readPostings(reader, documentCount));
    if (!reader.done) throw new RangeError('bytes after the last term');
  } catch (cause) {
    const why = messageOf(cause);
    throw new Error(`${name}: malformed term shard: ${why}`, { cause });
  }
  return shard;
}

function readPostings(reader: ByteReader, documentCount: number): Postings {
  const size = reader.varint();
  if (size > documentCount) throw new RangeError('more postings than documents');
  const postings: Postings = { documents: [], frequencies: [] };
  let document = 0;
  for (let i = 0; i < size; i++) {
    document += reader.varint();
    if (document >= documentCount) throw new RangeError(`document ${document} does not exist`);
    postings.documents.push(document);
    postings.frequencies.push(reader.varint());
  }
  return postings;
}
