import { GGUF_ADVICE } from '../../gguf.ts';
import { tableHeader } from '../../values/csv.ts';
import { COMPLETION_KEYS, PROMPT_KEYS } from '../parts/keys.ts';

/** What a file is by its first bytes: how its records lie in it, never what a record means. */

/** How much of a file is looked at. */
export const HEAD_BYTES = 4096;

export type Container =
  | { kind: 'empty' | 'parquet' | 'zip' | 'gzip' | 'lines' | 'document' | 'csv' | 'tsv' }
  | { kind: 'utf-16'; label: 'utf-16le' | 'utf-16be' }
  /** No container of records: what it is, and what to do. */
  | { kind: 'other'; what: string; todo: string };

const other = (what: string, todo: string): Container => ({ kind: 'other', what, todo });

const UNPACK = 'Unpack it and open the rollout files in it';
const ROLLOUTS = 'Open the rollouts file itself';

/** Files that people take for rollouts, or pack them in: [first bytes, what, what to do, where they stand]. */
const KNOWN: readonly (readonly [magic: string, what: string, todo: string, at?: number])[] = [
  ['PK\x05\x06', 'an empty zip archive', UNPACK],
  ['\x28\xb5\x2f\xfd', 'compressed by Zstandard', 'Unpack it first (zstd -d)'],
  ['BZh', 'compressed by bzip2', 'Unpack it first (bunzip2)'],
  ['\xfd7zXZ\x00', 'compressed by xz', 'Unpack it first (xz -d)'],
  ['\x04\x22\x4d\x18', 'compressed by LZ4', 'Unpack it first (lz4 -d)'],
  ['7z\xbc\xaf\x27\x1c', 'a 7-Zip archive', UNPACK],
  ['Rar!\x1a\x07', 'a RAR archive', UNPACK],
  ['ustar', 'a tar archive', UNPACK, 257],
  ['ARROW1', 'an Arrow file', 'Write the table as parquet or as JSON lines'],
  ['ORC', 'an ORC file', 'Write the table as parquet or as JSON lines'],
  ['Obj\x01', 'an Avro file', 'Write the table as parquet or as JSON lines'],
  ['SQLite format 3\x00', 'an SQLite database', 'Write the rollouts in it as JSON lines'],
  ['\x89HDF', 'an HDF5 file', 'Write the rollouts in it as JSON lines'],
  ['\x93NUMPY', 'a NumPy array', ROLLOUTS],
  ['GGUF', 'a GGUF model', GGUF_ADVICE.replace(/\.$/u, '')],
  ['%PDF', 'a PDF document', ROLLOUTS],
  ['\x89PNG', 'a picture (PNG)', ROLLOUTS],
  ['\xff\xd8\xff', 'a picture (JPEG)', ROLLOUTS],
  ['GIF8', 'a picture (GIF)', ROLLOUTS],
  ['\x7fELF', 'a program', ROLLOUTS],
  ['\xff\xfe\x00\x00', 'text in UTF-32', 'Write it in UTF-8 (iconv -f UTF-32 -t UTF-8)'],
  ['\x00\x00\xfe\xff', 'text in UTF-32', 'Write it in UTF-8 (iconv -f UTF-32 -t UTF-8)'],
];

/** Columns that tables of rollouts have; other text may have commas in its first line, too. */
const COLUMNS: ReadonlySet<string> = new Set([...PROMPT_KEYS, ...COMPLETION_KEYS, 'messages']);

const latin1 = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
};

/** Pickle since version 2: its sign, a version, then a frame or an object. */
const isPickle = (head: Uint8Array): boolean =>
  head[0] === 0x80 && head[1] !== undefined && head[1] >= 2 && head[1] <= 5;

/** A safetensors file: the length of its header in eight bytes, then the header's brace. */
const isSafetensors = (text: string): boolean => text[8] === '{' && text.startsWith('\0\0\0', 5);

/** Two bytes a character, by a byte order mark or by the bracket that every file of JSON begins with. */
function utf16(text: string): Container | null {
  if (text.startsWith('\xff\xfe')) return { kind: 'utf-16', label: 'utf-16le' };
  if (text.startsWith('\xfe\xff')) return { kind: 'utf-16', label: 'utf-16be' };
  if (/^[[{]\0[^\0]\0/.test(text)) return { kind: 'utf-16', label: 'utf-16le' };
  return /^\0[[{]\0[^\0]/.test(text) ? { kind: 'utf-16', label: 'utf-16be' } : null;
}

/** Share of control characters above which bytes are not text. */
const MOST_CONTROL = 0.02;
const isControl = (byte: number): boolean =>
  byte < 9 || (byte > 13 && byte < 32 && byte !== 27) || byte === 127;

/** What the bytes between a file's first ones and its `HEAD_BYTES` say of it. */
export function sniff(head: Uint8Array): Container {
  if (head.length === 0) return { kind: 'empty' };
  const text = latin1(head);
  if (text.startsWith('PAR1')) return { kind: 'parquet' };
  if (text.startsWith('PK\x03\x04')) return { kind: 'zip' };
  if (text.startsWith('\x1f\x8b')) return { kind: 'gzip' };
  for (const [magic, what, todo, at = 0] of KNOWN)
    if (text.startsWith(magic, at)) return other(what, todo);
  const wide = utf16(text);
  if (wide) return wide;
  if (isPickle(head))
    return other(
      'a Python pickle',
      'Write its rollouts as JSON lines; pickles can run code and are not read',
    );
  if (isSafetensors(text)) return other('a file of weights (safetensors)', ROLLOUTS);
  const json = text.replace(/^\xef\xbb\xbf/, '').trimStart();
  if (json.startsWith('[') || /^\{[ \t]*\r?\n/.test(json)) return { kind: 'document' };
  const control = head.reduce((sum, byte) => sum + Number(isControl(byte)), 0);
  if (!json.startsWith('{') && control > MOST_CONTROL * head.length)
    return other('a binary file, not text', ROLLOUTS);
  // Names are plain text in any encoding.
  const table = json.startsWith('{') ? null : tableHeader(json);
  if (table?.names.some((name) => COLUMNS.has(name.toLowerCase())))
    return { kind: table.delimiter === ',' ? 'csv' : 'tsv' };
  return { kind: 'lines' };
}
