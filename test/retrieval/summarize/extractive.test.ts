import { describe, expect, test } from 'vitest';
import type { Passage } from '../../../src/records/records.ts';
import {
  Extractive,
  lexicalScores,
  type ExtractiveOptions,
} from '../../../src/retrieval/summarize/extractive.ts';

const passage = (title: string, ...sentences: string[]): Passage => ({
  id: `id of ${title}`,
  title,
  text: sentences.join(' '),
  sentences,
});

describe('BM25 of sentences, by hand (k1 = 1.2, b = 0.75)', () => {
  const scores = (query: string, ...sentences: [string, string?][]) =>
    lexicalScores(
      query,
      sentences.map(([words, title = '']) => ({
        terms: words.split(' ').filter(Boolean),
        title: title.split(' '),
      })),
    );
  const close = (found: readonly number[], expected: readonly number[]) => {
    expect(found).toHaveLength(expected.length);
    expected.forEach((value, i) => expect(found[i]).toBeCloseTo(value, 12));
  };

  test('a word of the title is half a word; long sentences count less', () => {
    // Three, one and two words, two in the mean: lengths 1.375, 0.625 and 1.
    const found = scores('wolf', ['wolf cat dog'], ['cat', 'old wolf'], ['cat cat']);
    const first = 2.2 / (1 + 1.2 * 1.375);
    const second = (0.5 * 2.2) / (0.5 + 1.2 * 0.625);
    close(found, [first / second, 1, 0]);
  });

  test('a word twice, and in the title too', () => {
    const found = scores('wolf', ['wolf wolf'], ['wolf cat'], ['wolf cat', 'wolf']);
    const of = (count: number) => (count * 2.2) / (count + 1.2);
    close(found, [1, of(1) / of(2), of(1.5) / of(2)]);
  });

  test('the rarer word counts more, each word of the query once', () => {
    const found = scores('wolf cat cat', ['wolf'], ['cat'], ['cat'], ['dog']);
    // One of four: ln(1 + 3.5 / 1.5); two of four: ln(1 + 2.5 / 2.5).
    close(found, [1, Math.log(2) / Math.log(10 / 3), Math.log(2) / Math.log(10 / 3), 0]);
  });

  test('sentences of less than a word in the mean are measured against one word', () => {
    const found = scores('wolf', [''], [''], [''], ['wolf'], ['', 'wolf']);
    // Lengths 1 and 0.25: 2.2 / 2.2 and 1.1 / 0.8.
    close(found, [0, 0, 0, 1 / 1.375, 1]);
  });

  test('no word of the query, only words that all sentences share, no sentence', () => {
    expect(scores('horse', ['wolf'], ['cat'])).toEqual([0, 0]);
    expect(scores('who is the', ['who is the'], ['cat'])).toEqual([0, 0]);
    expect(scores('wolf')).toEqual([]);
  });
});

/** What similarity says of each sentence is what it scores: 0 and 1 are among them. */
const scored = async (
  values: readonly number[],
  passages: readonly Passage[],
  options: ExtractiveOptions = {},
) => {
  const asked: (readonly Passage[])[] = [];
  const method = new Extractive(
    (_, each) => {
      asked.push(each);
      return Promise.resolve([...values]);
    },
    { similarityWeight: 1, ...options },
  );
  const draft = await method.draft({ query: 'zebra', passages });
  return { ...draft, asked };
};

describe('which sentences are chosen', () => {
  const five = passage('Five', 'One a.', 'Two b.', 'Three c.', 'Four d.', 'Five e.');

  test('those that score a bit more than a third of the best, in their own order', async () => {
    const { text, fallback, reason } = await scored([0.34, 0.35, 0, 1, 0.5], [five]);
    expect(text).toBe('Five : Two b. Four d. Five e.');
    expect([fallback, reason]).toEqual([false, 'it asks for a fact']);
  });

  test('at most so many sentences, the best', async () => {
    const { text } = await scored([0.6, 0.9, 0, 1, 0.5], [five], { maxSentences: 2 });
    expect(text).toBe('Five : Two b. Four d.');
    const one = await scored([1, 1, 0, 0.9, 1], [five], { maxSentences: 1 });
    expect(one.text).toBe('Five : One a.');
  });

  test('at most so many words; what is too long is passed over, but not the best', async () => {
    const lengths = passage('L', 'a b c d', 'e f g h', 'i j', 'k l m');
    const values = [1, 0.9, 0.8, 0];
    expect((await scored(values, [lengths], { maxWords: 6 })).text).toBe('L : a b c d i j');
    expect((await scored(values, [lengths], { maxWords: 5 })).text).toBe('L : a b c d');
    expect((await scored(values, [lengths], { maxWords: 1 })).text).toBe('L : a b c d');
    expect((await scored(values, [lengths], { maxWords: 8 })).text).toBe('L : a b c d e f g h');
  });

  test('80 words and six sentences, where nothing else is said', async () => {
    const words = (n: number, letter: string) =>
      Array.from({ length: n }, (_, i) => `${letter}${i}`).join(' ');
    const long = passage('L', words(40, 'a'), words(40, 'b'), words(1, 'c'), 'x');
    expect((await scored([1, 0.9, 0.8, 0], [long])).text).toBe(
      `L : ${words(40, 'a')} ${words(40, 'b')}`,
    );
    const longer = passage('L', words(40, 'a'), words(41, 'b'), words(1, 'c'), 'x');
    expect((await scored([1, 0.9, 0.8, 0], [longer])).text).toBe(`L : ${words(40, 'a')} c0`);
    const eight = passage('E', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
    expect((await scored([1, 1, 1, 1, 1, 1, 1, 0], [eight])).text).toBe('E : a b c d e f');
  });

  test('not what four fifths of its words said already', async () => {
    const said = passage('S', 'a b c d e', 'a b c d x', 'a b c y z', 'q');
    expect((await scored([1, 0.9, 0.8, 0], [said])).text).toBe('S : a b c d e a b c y z');
    // Words of all that was chosen count, each once.
    const both = passage('S', 'a b', 'c d', 'a a a c x', 'a b c d z', 'q');
    expect((await scored([1, 0.9, 0.8, 0.7, 0], [both])).text).toBe('S : a b c d a a a c x');
  });

  test('a sentence without a word repeats nothing', async () => {
    expect((await scored([1, 0.9, 0], [passage('S', 'a', '…', 'q')])).text).toBe('S : a …');
  });
});

describe('passages', () => {
  const [a, b, c] = [passage('A', 'one.'), passage('B', 'two.'), passage('C', 'three.', 'zero.')];
  test('each rank costs a fiftieth', async () => {
    expect((await scored([0.9, 0.919, 1, 0], [a, b, c], { maxSentences: 1 })).text).toBe(
      'C : three.',
    );
    const late = [a, b, passage('Z', 'zero.', 'full.')];
    // 1 − 0.04 is still the best; then 0.919 − 0.02 < 0.9, or 0.921 − 0.02 > 0.9.
    expect((await scored([0.9, 0.919, 0, 1], late)).text).toBe('Z : full.\nA : one.\nB : two.');
    expect((await scored([0.9, 0.921, 0, 1], late)).text).toBe('Z : full.\nB : two.\nA : one.');
  });

  test('equal scores go by passage', async () => {
    expect((await scored([0.98, 1, 0, 0], [a, b, c])).text).toBe('A : one.\nB : two.');
  });

  test('a late passage does not score below nothing', async () => {
    const many = Array.from({ length: 60 }, (_, i) => passage(`P${i}`, `word${i}.`));
    const values = many.map((_, i) => (i === 55 ? 1 : 0));
    expect((await scored(values, many)).text).toBe('nothing found that bears on this query .');
    expect(
      (
        await scored(
          many.map((_, i) => Number(i === 40)),
          many,
        )
      ).text,
    ).toBe('P40 : word40.');
  });
});

describe('the encoder’s opinion', () => {
  const two = passage('T', 'A wolf.', 'A fox.', 'A cow.');
  test('is asked for each sentence alone, with its title, and with the signal', async () => {
    const { signal } = new AbortController();
    const asked: unknown[] = [];
    const method = new Extractive((...args) => {
      asked.push(args);
      return Promise.resolve([0, 1, 0]);
    });
    await method.draft({ query: 'wolf', passages: [two], signal });
    const alone = two.sentences.map((text, at) => ({
      id: `id of T#${at}`,
      title: 'T',
      text,
      sentences: [text],
    }));
    expect(asked).toEqual([['wolf', alone, signal]]);
  });

  test('counts half; spread from the least to the greatest', async () => {
    // By words the first has 1, by similarity the second: a half each, and nothing for the third.
    const opinions = new Extractive(() => Promise.resolve([0.3, 0.7, 0.3]));
    expect((await opinions.draft({ query: 'wolf', passages: [two] })).text).toBe(
      'T : A wolf. A fox.',
    );
    const alike = new Extractive(() => Promise.resolve([0.7, 0.7, 0.7]));
    expect((await alike.draft({ query: 'wolf', passages: [two] })).text).toBe('T : A wolf.');
    const quarter = new Extractive(() => Promise.resolve([0, 1, 0]), { similarityWeight: 0.25 });
    // A third of 0.75 is not reached from 0.25 (0.35 · 0.75 = 0.2625).
    expect((await quarter.draft({ query: 'wolf', passages: [two] })).text).toBe('T : A wolf.');
  });

  test('is not asked without a sentence', async () => {
    const { text, fallback, reason, asked } = await scored([], [passage('Empty')]);
    expect(text).toBe('nothing found that bears on this query .');
    expect([fallback, reason]).toEqual([false, 'no sentence bears on the query']);
    expect(asked).toEqual([]);
  });
});

test('at most 2,000 sentences are looked at', async () => {
  const many = passage(
    'Many',
    ...Array.from({ length: 1999 }, (_, i) => `word${i}`),
    'wolf',
    'fox',
  );
  const say = async (query: string) =>
    (await new Extractive().draft({ query, passages: [many] })).text;
  expect(await say('wolf')).toBe('Many : wolf');
  expect(await say('fox')).toBe('nothing found that bears on this query .');
});

test('its name tells its settings, by which summaries are remembered', () => {
  expect(new Extractive().id).toBe('extractive/1:80:6');
  const similarities = () => Promise.resolve([]);
  expect(new Extractive(similarities, { maxWords: 9, maxSentences: 2 }).id).toBe(
    'extractive/1:9:2:encoder',
  );
});
