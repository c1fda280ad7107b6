import { splitRecord } from '../../values/csv.ts';
import { decodeUtf8, ItemBuffer, pieces } from '../values/bytes.ts';
import { questionColumns } from '../values/columns.ts';
import {
  ImportError,
  MAX_ITEM_BYTES,
  type Format,
  type RawItem,
  type ResumePosition,
} from '../values/types.ts';

const QUOTE = 0x22;
const NEWLINE = 0x0a;

/**
 * Records of a CSV (RFC 4180) or TSV file with a header, as objects keyed by the names of columns.
 * Quoted fields may hold the delimiter, doubled quotes and line ends.
 * @param named what the columns of the header are called here
 * @throws ImportError where the header cannot be read
 */
export async function* csvRecords(
  blob: Blob,
  format: Format,
  resume?: ResumePosition,
  signal?: AbortSignal,
  named: (header: readonly string[]) => string[] = questionColumns,
): AsyncGenerator<RawItem, void> {
  const delimiter = format.container === 'tsv' ? '\t' : ',';
  let header = resume?.header;
  let item = resume?.item ?? 0;
  for await (const record of records(blob, resume, signal)) {
    const { line, end, nextLine, text } = record;
    if (text?.trim() === '') continue;
    const fields = text === null ? null : splitRecord(text, delimiter);
    if (!header) {
      if (!fields)
        throw new ImportError(`expected names of columns: ${record.problem ?? UNPAIRED}`);
      header = named(fields);
      continue;
    }
    const next = { format, offset: end, line: nextLine, item: item + 1, header };
    const where = { item: item++, line, bytes: end, next };
    if (!fields) {
      yield { ...where, problem: { key: '', expected: record.problem ?? UNPAIRED } };
    } else if (fields.length !== header.length) {
      const expected = `expected ${header.length} fields, found ${fields.length}`;
      yield { ...where, problem: { key: '', expected } };
    } else {
      yield { ...where, value: Object.fromEntries(header.map((name, i) => [name, fields[i]])) };
    }
  }
}

const UNPAIRED = 'expected quotes around a whole field, those inside it doubled';

interface TextRecord {
  line: number;
  nextLine: number;
  end: number;
  text: string | null;
  problem?: string;
}

/** Splits at line ends outside quotes; after the last one there may be an empty record. */
async function* records(
  blob: Blob,
  resume: ResumePosition | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<TextRecord, void> {
  const buffer = new ItemBuffer(MAX_ITEM_BYTES);
  let quoted = false;
  let line = resume?.line ?? 1;
  let startLine = line;
  for await (const { start, bytes } of pieces(blob, resume?.offset ?? 0, signal)) {
    let from = 0;
    for (let i = 0; i < bytes.length; i++) {
      if (bytes[i] === QUOTE) quoted = !quoted;
      if (bytes[i] !== NEWLINE) continue;
      line++;
      if (quoted) continue;
      buffer.add(bytes.subarray(from, i));
      yield finish(buffer, { line: startLine, nextLine: line, end: start + i + 1 });
      startLine = line;
      from = i + 1;
    }
    buffer.add(bytes.subarray(from));
  }
  const last = finish(buffer, { line: startLine, nextLine: line, end: blob.size });
  yield quoted
    ? { ...last, text: null, problem: 'expected a closing quote before the end of the file' }
    : last;
}

function finish(
  buffer: ItemBuffer,
  where: Pick<TextRecord, 'line' | 'nextLine' | 'end'>,
): TextRecord {
  const tooLong = buffer.overflowed;
  const text = decodeUtf8(buffer.take());
  if (tooLong) {
    return {
      ...where,
      text: null,
      problem: `expected a record of at most ${MAX_ITEM_BYTES} bytes`,
    };
  }
  if (text === null) return { ...where, text, problem: 'expected UTF-8 text' };
  return { ...where, text: text.endsWith('\r') ? text.slice(0, -1) : text };
}
