import { parquetWriteBuffer } from 'hyparquet-writer';
import type { Format } from '../../../src/formats/import/values/types.ts';
import { BAMBOOGLE, FLASHRAG, HOTPOT, MUSIQUE, TWO_WIKI, VERL } from './files.ts';

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
