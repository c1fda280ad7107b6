import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { importAll } from '../../../../src/formats/import/collect.ts';
import { splitSentences, normaliseSpace } from '../../../../src/formats/import/values/sentences.ts';
import { blob } from '../../../fixtures/import/files.ts';

const texts = async (text: string, name: string, maxWords: number, overlapSentences: number) =>
  (await importAll(blob(text), { name, chunking: { maxWords, overlapSentences } })).passages.map(
    ({ passage }) => passage,
  );

it('splits sentences at stops, not at abbreviations, initials and decimals', () => {
  expect(
    splitSentences('Dr. Ada E. Holm met J. Roe, e.g. in 1.5 h. "Go!" she said? Yes… 3 left.'),
  ).toEqual(['Dr. Ada E. Holm met J. Roe, e.g. in 1.5 h.', '"Go!" she said?', 'Yes…', '3 left.']);
  expect(splitSentences('川は長い。海は広い。')).toEqual(['川は長い。', '海は広い。']);
});

it('loses and adds no text when it splits sentences', () => {
  const words = fc.constantFrom(
    'Dr.',
    'Ada',
    'ran',
    'off.',
    'Why?',
    '"No!"',
    '3.5',
    '(See',
    'p. 7.)',
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 40 }), (parts) => {
      const text = parts.join('  ');
      expect(splitSentences(text).join(' ')).toBe(normaliseSpace(text));
    }),
    { numRuns: 500 },
  );
});

it('chunks text by sentences with overlap', async () => {
  const found = await texts('One a b. Two c d. Three e f.\n\nFour g.\n', 'notes/my file.txt', 6, 1);
  expect(found.map(({ title, sentences }) => [title, sentences])).toEqual([
    ['my file', ['One a b.', 'Two c d.']],
    ['my file', ['Two c d.', 'Three e f.']],
    ['my file', ['Three e f.', 'Four g.']],
  ]);
});

it('titles Markdown by its headings and leaves markup, code and front matter out', async () => {
  const text = [
    '---\nkey: value\n---\n# Atlas\nIntro **bold** text.',
    '## Rivers\n- The [Ohm](http://x.y) is long.\n- Two.\n```js\ncode();\n```\n### Deep ###\n> Quoted.',
    '## Lakes\nThree.',
  ].join('\n\n');
  const found = await texts(text, 'atlas.md', 100, 0);
  expect(found.map(({ title, text }) => [title, text])).toEqual([
    ['Atlas', 'Intro bold text.'],
    ['Atlas › Rivers', 'The Ohm is long. Two.'],
    ['Atlas › Rivers › Deep', 'Quoted.'],
    ['Atlas › Lakes', 'Three.'],
  ]);
});

describe('Markdown', () => {
  const markdown = async (text: string): Promise<[string, string[]][]> => {
    const { passages, rejected } = await importAll(blob(text), {
      name: 'doc.md',
      chunking: { maxWords: 1000, overlapSentences: 0 },
    });
    expect(rejected).toEqual([]);
    return passages.map(({ passage }) => [passage.title, passage.sentences]);
  };

  it.each<[string, string, [string, string[]][]]>([
    ['a heading without text', '# A\n## B\nx', [['A › B', ['x']]]],
    ['levels left out', '# A\n### C\nx\n## B\ny', [['A › C', ['x']], ['A › B', ['y']]]],
    ['another of the same level', '# A\n## B\n# C\nx', [['C', ['x']]]],
    ['the deepest', '###### F ##\nx', [['F', ['x']]]],
    ['text before the first', 'x\n# A', [['doc', ['x']]]],
    ['without words', '# A\n# ``\nx', [['doc', ['x']]]],
    ['too deep to be one', '####### G\nx', [['doc', ['####### G x']]]],
    ['without its space', '#A\nx', [['doc', ['#A x']]]],
    ['inside a line', 'x # A', [['doc', ['x # A']]]],
    ['behind space', '  ## A\nx', [['A', ['x']]]],
    ['items of a list', 'a\n- one\n* two\n+ three\n4. four\n 5) five', [['doc', ['a', 'one', 'two', 'three', 'four', 'five']]]],
    ['a dash in a sentence', 'One a\nb - c\n1.5 d', [['doc', ['One a b - c 1.5 d']]]],
    ['code', 'a\n  ~~~\nb\n~~~\nc\n```js\nd\n\n# e\n```\nf ```\ng', [['doc', ['a', 'c', 'f g']]]],
    ['code that does not end', 'a\n```\nb', [['doc', ['a']]]],
    ['front matter', ' --- \na: b\n```\n# c\n ---\nd', [['doc', ['d']]]],
    ['a rule farther below', 'a\n\n---\n\nb', [['doc', ['a', '---', 'b']]]],
    ['quotes', '> a\n>> b\nc > d', [['doc', ['a b c > d']]]],
  ])('%s', async (_, text, expected) => expect(await markdown(text)).toEqual(expected)); // prettier-ignore

  it('has headings of less than a thousand characters', async () => {
    const line = (length: number): string => `# ${'x'.repeat(length - 2)}`;
    expect((await markdown(`${line(999)}\ny`))[0]?.[1]).toEqual(['y']);
    expect((await markdown(`${line(1000)}\ny`))[0]?.[0]).toBe('doc');
  });
});

it('a paragraph without end is given on after 65,536 characters', async () => {
  const line = 'x'.repeat(2 ** 15);
  const [found] = await texts(Array.from({ length: 7 }, () => line).join('\n'), 'a.txt', 100, 0);
  const words = found?.sentences.map((sentence) => sentence.split(' ').length);
  expect(words).toEqual([3, 3, 1]);
});

it('says the line at which a passage begins, and how far the file was read', async () => {
  const file = blob('One.\n\nTwo\nwords.\n\nOne.\n\n\nTwo\nwords.');
  const chunking = { maxWords: 2, overlapSentences: 0 };
  const seen: [number, number | null][] = [];
  const { duplicates, progress } = await importAll(file, {
    chunking,
    batchItems: 1,
    onProgress: ({ bytes, items }) => seen.push([items, bytes]),
  });
  expect(duplicates.map(({ line, item }) => [line, item])).toEqual([
    [6, 2],
    [9, 3],
  ]);
  expect(seen).toEqual([
    [1, 18],
    [2, 24],
    [3, 35],
    [4, 35],
    [4, 35],
  ]);
  expect(progress.bytes).toBe(file.size);
});

it('a line that is no text is left out and named', async () => {
  const file = blob('One.\n', Uint8Array.of(0xff, 0xfe), '\nTwo.');
  const { passages, rejected } = await importAll(file, { name: 'a.txt' });
  expect(passages[0]?.passage.sentences).toEqual(['One.', 'Two.']);
  expect(rejected).toEqual([{ line: 2, item: 0, key: '', expected: 'expected UTF-8 text' }]);
});

it('keeps every word in order and every chunk within its bound', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 3 }),
      async (lengths, maxWords, overlap) => {
        // Every word is another, so that what is repeated or lost shows.
        let n = 0;
        const sentences = lengths.map((length) =>
          Array.from({ length }, () => `W${n++}`)
            .join(' ')
            .concat('.'),
        );
        const found = await texts(sentences.join(' '), 'a.txt', maxWords, overlap);
        const seen: number[] = [];
        for (const { text } of found) {
          const words = text.match(/\d+/gu)?.map(Number) ?? [];
          expect(words.length).toBeLessThanOrEqual(maxWords);
          // A chunk continues where the last one ended, less the sentences that it repeats.
          const first = words[0] ?? 0;
          expect(words).toEqual(words.map((_, i) => first + i));
          expect(words.at(-1)).toBeGreaterThan(seen.at(-1) ?? -1);
          if (overlap === 0) expect(first).toBe(seen.length);
          seen.push(...words.filter((word) => word >= seen.length));
        }
        expect(seen).toEqual(Array.from({ length: n }, (_, i) => i));
      },
    ),
    { numRuns: 300 },
  );
});
