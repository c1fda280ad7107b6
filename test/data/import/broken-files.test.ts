import * as fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, it } from 'vitest';
import {
  importAll,
  ImportError,
  previewImport,
  type Format,
} from '../../../src/data/import/index.ts';
import { BAMBOOGLE, FLASHRAG, HOTPOT, MUSIQUE, TWO_WIKI, VERL } from './files.ts';

/** Cases of each format; `FUZZ_RUNS=10000` for the long run. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 1500);

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);
const lines = (...values: unknown[]): Uint8Array<ArrayBuffer> =>
  utf8(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

const FILES: Record<string, { bytes: Uint8Array<ArrayBuffer>; format: Format }> = {
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
const cpuMs = (): number => {
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

function mutate(bytes: Uint8Array, edits: readonly Edit[]): Uint8Array {
  let out = [...bytes];
  for (const { at, remove, insert } of edits) {
    const start = Math.floor(at * out.length);
    out = [...out.slice(0, start), ...insert, ...out.slice(start + remove)];
  }
  return Uint8Array.from(out);
}

describe('mutated files give records, rejections or an ImportError, soon', () => {
  it.each(Object.keys(FILES))('%s', async (name) => {
    const { bytes, format } = FILES[name]!;
    await fc.assert(
      fc.asyncProperty(
        fc.array(edit, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        async (edits, detected) => {
          const blob = new Blob([new Uint8Array(mutate(bytes, edits))]);
          const start = cpuMs();
          try {
            const { questions, passages, rejected } = await importAll(
              blob,
              detected ? {} : { format },
            );
            for (const { passage } of passages) {
              expect(passage.text).toBe(passage.sentences.join(' '));
              expect(passage.text).not.toBe('');
            }
            for (const { text, answers } of questions) {
              expect(text).not.toBe('');
              expect(answers.length).toBeGreaterThan(0);
            }
            for (const { expected } of rejected) expect(expected).toMatch(/^expected/u);
          } catch (error) {
            if (!(error instanceof ImportError)) throw error;
            expect(error.message).toMatch(/^expected/u);
          }
          expect(cpuMs() - start).toBeLessThan(1000);
        },
      ),
      { numRuns: RUNS },
    );
  });
});

it('is not slowed by texts made to be slow', async () => {
  const slow = ['[', '{', '"', '\\', '. ', 'A. ', '."', '](', '> ', '- ', '[a](', '"\n', ',', '`'];
  const formats = ['hotpotqa', 'titles', 'contents', 'csv', 'markdown'].map(
    (n) => FILES[n]!.format,
  );
  for (const part of slow) {
    const file = new Blob([part.repeat(100_000)]);
    for (const format of formats) {
      const start = cpuMs();
      await importAll(file, { format });
      const ms = cpuMs() - start;
      if (process.env.FUZZ_TIMES && ms > 50) console.log(part, format.container, Math.round(ms));
      expect(ms, `${JSON.stringify(part)} as ${format.container}`).toBeLessThan(2000);
    }
    await previewImport(file, { name: 'a.md' });
  }
});
