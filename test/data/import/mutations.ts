import * as fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { importAll, ImportError, type Format } from '../../../src/data/import/index.ts';
import { BAMBOOGLE, FLASHRAG, HOTPOT, MUSIQUE, TWO_WIKI, VERL } from './files.ts';

/** Broken files of every format, for the tests and for the long run of scripts/fuzz-import.ts. */

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const lines = (...values: unknown[]): Uint8Array<ArrayBuffer> =>
  utf8(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

/** A whole file of each format. */
export const FILES: Record<string, { bytes: Uint8Array<ArrayBuffer>; format: Format }> = {
  hotpotqa: {
    bytes: utf8(JSON.stringify([HOTPOT, HOTPOT], null, 1)),
    format: { container: 'json-array', schema: 'hotpotqa', kind: 'questions' },
  },
  '2wikimultihopqa': {
    bytes: utf8(JSON.stringify([TWO_WIKI])),
    format: { container: 'json-array', schema: '2wikimultihopqa', kind: 'questions' },
  },
  musique: {
    bytes: lines(MUSIQUE, MUSIQUE),
    format: { container: 'jsonl', schema: 'musique', kind: 'questions' },
  },
  flashrag: {
    bytes: lines(FLASHRAG, { ...FLASHRAG, id: 'b' }),
    format: { container: 'jsonl', schema: 'flashrag', kind: 'questions' },
  },
  'verl as JSONL': {
    bytes: lines(VERL, VERL),
    format: { container: 'jsonl', schema: 'verl', kind: 'questions' },
  },
  'questions as JSONL': {
    bytes: lines({ id: 1, question: 'Q?', answer: 'a' }, { question: 'R?', answers: ['b', 'c'] }),
    format: { container: 'jsonl', schema: 'qa', kind: 'questions' },
  },
  tsv: {
    bytes: utf8('id\tquestion\tanswer\n1\t"Who ""sang""\tit?"\t["Ada","Bo"]\n2\tWho?\tno\n'),
    format: { container: 'tsv', schema: 'qa', kind: 'questions' },
  },
  passages: {
    bytes: lines(
      { id: 'a', title: 'A', text: 'One. Two.' },
      { paragraph_text: 'Three.' },
      { title: 'B', sentences: ['Four.', 'Five.'] },
    ),
    format: { container: 'jsonl', schema: 'passage', kind: 'passages' },
  },
  'list of passages': {
    bytes: utf8(
      JSON.stringify([{ title: 'A', text: 'One. Two.' }, { text: 'Three "4".' }], null, 1),
    ),
    format: { container: 'json-array', schema: 'passage', kind: 'passages' },
  },
  text: {
    bytes: utf8(
      'One sentence here. Another one!\nA third line\n\nA paragraph: 这是一句。 那是。\n',
    ),
    format: { container: 'text', schema: 'prose', kind: 'passages' },
  },
  csv: {
    bytes: utf8(BAMBOOGLE.repeat(3)),
    format: { container: 'csv', schema: 'qa', kind: 'questions' },
  },
  titles: {
    bytes: utf8(JSON.stringify({ Ada: ['One.', ' Two.'], 'B\\"': ['Three.'] }, null, 1)),
    format: { container: 'json-object', schema: 'title-sentences', kind: 'passages' },
  },
  contents: {
    bytes: lines({ id: 1, contents: '"A"\nb. C.' }, { id: '2', contents: 'd' }),
    format: { container: 'jsonl', schema: 'contents', kind: 'passages' },
  },
  markdown: {
    bytes: utf8('---\na: b\n---\n# A\ntext [a](b) here.\n```\ncode\n```\n- B. C? D!\n'),
    format: { container: 'markdown', schema: 'prose', kind: 'passages' },
  },
  parquet: {
    bytes: new Uint8Array(
      parquetWriteBuffer({
        columnData: [
          { name: 'question', data: ['one one one one?', 'two?', 'one one one one?'] },
          { name: 'golden_answers', type: 'JSON', data: [['a'], ['b'], ['c']] },
          {
            name: 'reward_model',
            type: 'JSON',
            data: [VERL, VERL, VERL].map((v) => v.reward_model),
          },
        ],
      }),
    ),
    format: { container: 'parquet', schema: 'verl', kind: 'questions' },
  },
};

const SPECIAL = [...utf8('"\\{}[],:\n\r\t#-\'\u00e9\0')];

/** Processor time of this process in milliseconds: a busy machine does not add to it. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** One edit: at a place (share of the file), some bytes away, some others in. */
interface Edit {
  at: number;
  remove: number;
  insert: number[];
}

const edit: fc.Arbitrary<Edit> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.oneof(fc.constant(0), fc.constant(1), fc.nat(40), fc.constant(10_000)),
  insert: fc.array(
    fc.oneof(fc.constantFrom(...SPECIAL), fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff)),
    { maxLength: 6 },
  ),
});

function spliced(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let out = bytes;
  for (const { at, remove, insert } of edits) {
    const start = Math.floor(at * out.length);
    const rest = out.subarray(start + remove);
    const next = new Uint8Array(start + insert.length + rest.length);
    next.set(out.subarray(0, start));
    next.set(insert, start);
    next.set(rest, start + insert.length);
    out = next;
  }
  return out;
}

/** Values of other types, among them what is deep or long, in place of one of a JSON text. */
const STRANGE = [
  'null',
  'true',
  '-1e400',
  '""',
  '[]',
  '{}',
  '[[[]]]',
  '{"__proto__":{"a":1}}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  JSON.stringify('x. Y '.repeat(2000)),
];
const VALUE = /"(?:[^"\\\n]|\\.)*"|-?\d+|true|false|null|\[[^[\]]*\]/gu;

/** The first value after a place (share of the file) replaced. */
interface Swap {
  at: number;
  value: string;
}

const swap: fc.Arbitrary<Swap> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  value: fc.constantFrom(...STRANGE),
});

function swapped(bytes: Uint8Array, swaps: readonly Swap[]): Uint8Array {
  let text = new TextDecoder('latin1').decode(bytes);
  for (const { at, value } of swaps) {
    VALUE.lastIndex = Math.floor(at * text.length);
    const match = VALUE.exec(text);
    if (match)
      text = text.slice(0, match.index) + value + text.slice(match.index + match[0].length);
  }
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

export interface Mutation {
  edits: Edit[];
  swaps: Swap[];
  /** Whether the format is told, or has to be detected. */
  detected: boolean;
}

/** Edits of bytes, values of another type, or both. */
export const mutation: fc.Arbitrary<Mutation> = fc
  .record({
    edits: fc.array(edit, { maxLength: 4 }),
    swaps: fc.array(swap, { maxLength: 2 }),
    detected: fc.boolean(),
  })
  .filter(({ edits, swaps }) => edits.length + swaps.length > 0);

export const mutate = (bytes: Uint8Array, { edits, swaps }: Mutation): Blob =>
  new Blob([new Uint8Array(spliced(swaps.length > 0 ? swapped(bytes, swaps) : bytes, edits))]);

/**
 * Reads a broken file.
 * @throws Error where it gives anything but well-formed records, reasons that say what was expected,
 *   or an ImportError
 */
export async function readBroken(blob: Blob, format: Format | null): Promise<void> {
  const must = (holds: boolean, what: string): void => {
    if (!holds) throw new Error(what);
  };
  try {
    const { questions, passages, rejected } = await importAll(blob, format ? { format } : {});
    for (const { passage } of passages) {
      must(passage.text === passage.sentences.join(' '), 'text is not its sentences');
      must(passage.text !== '', 'an empty passage');
    }
    for (const { text, answers } of questions)
      must(text !== '' && answers.length > 0, 'a question without text or answer');
    for (const { expected } of rejected) must(expected.startsWith('expected'), expected);
  } catch (error) {
    if (!(error instanceof ImportError)) throw error;
    must(error.message.startsWith('expected'), error.message);
  }
}
