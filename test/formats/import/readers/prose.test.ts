import * as fc from 'fast-check';
import { expect, it } from 'vitest';
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
          // A chunk goes on where the last one ended, less the sentences that it repeats.
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
