import { describe, expect, test } from 'vitest';
import { mentionsIn } from '../../../src/retrieval/lexical/mentions.ts';
import { PostingsBuilder, type Postings } from '../../../src/retrieval/lexical/postings.ts';
import { byScoreThenId } from '../../../src/retrieval/lexical/ranked.ts';
import { relevance } from '../../../src/retrieval/lexical/relevance.ts';
import { compareCodeUnits, terms } from '../../../src/retrieval/lexical/text.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { passage } from '../passages.ts';

describe('words that passages hold together', () => {
  const mentions = mentionsIn([
    passage('a', 'Old Wolf', 'A novel by Kerlund.'),
    passage('b', 'Low Tide', 'Wolves are in it, and harbours.'),
  ]);
  test.each([
    [['wolf', 'kerlund'], true],
    [['old', 'novel'], true],
    // In two passages.
    [['wolf', 'tide'], false],
    // A part of a word is not a word.
    [['wol'], false],
    [['harbour'], false],
    [['harbour', 'tide'], false],
    [['wolves', 'tide'], true],
    [[], true],
  ])('%j: %s', async (words, held) => expect(await mentions.together(words)).toBe(held));

  test.each([0, 17, 20, 1000])('the same where %i characters are kept', async (kept) => {
    const scanned = mentionsIn(
      ['Old Wolf', 'Étoile', 'Low Tide', 'Fox'].map((title, i) =>
        passage(`p${i}`, title, `number n${i}`),
      ),
      kept,
    );
    for (const words of [['n3', 'fox'], ['etoile', 'n1'], ['n2', 'fox'], ['n0'], ['n3']]) {
      const expected = words.join() !== 'n2,fox';
      expect(await scanned.together(words)).toBe(expected);
      expect(await scanned.together(words)).toBe(expected);
    }
  });

  test('none in no passages; stopped where told', async () => {
    expect(await mentionsIn([]).together([])).toBe(false);
    const signal = AbortSignal.abort(new Error('left'));
    await expect(mentions.together(['wolf'], signal)).rejects.toThrow('left');
    await expect(mentions.almost('wolf', signal)).rejects.toThrow('left');
  });
});

describe('a word that is almost there', () => {
  const almost = (word: string, held: string) => mentionsIn([passage('a', '', held)]).almost(word);
  test.each([
    ['wolf', 'wolf', true],
    // One letter more, less or other, wherever it is.
    ['borfield', 'xborfield', true],
    ['borfield', 'borxfield', true],
    ['borfield', 'borfiel', true],
    ['borfield', 'barfield', true],
    ['borfield', 'borfielx', true],
    ['borfield', 'xorfield', true],
    // Two neighbours swapped.
    ['borfield', 'borfeild', true],
    ['borfield', 'obrfield', true],
    ['borfield', 'borfiedl', true],
    // Two apart.
    ['borfield', 'field', false],
    ['borfield', 'barfieldx', false],
    ['borfield', 'xorfielx', false],
    ['abcdefgh', 'badcefgh', false],
    ['abcdefgh', 'abdcfegh', false],
    // In a short word a letter makes another one.
    ['wolf', 'walf', false],
    ['france', 'franc', false],
    ['german', 'gorman', false],
    // The ending of a plural, or of who comes from there, of at least five letters.
    ['wolfs', 'wolf', false],
    ['borfi', 'borfis', true],
    ['borfians', 'borf', false],
    ['borfia', 'borfians', true],
    ['borfian', 'borfia', true],
    ['rovland', 'rovlandish', true],
    ['rovland', 'rovlandes', true],
    // Up to three letters more of at least five, in a word of seven.
    ['plane', 'planetar', true],
    ['planetar', 'plane', true],
    ['planx', 'planxy', false],
    ['planet', 'planetarys', false],
    ['planet', 'xyzplanet', false],
  ])('%s beside %s: %s', async (word, held, expected) =>
    expect(await almost(word, held)).toBe(expected),
  );
  test('in any passage, in its title too, folded', async () => {
    const some = mentionsIn([passage('a', '', 'nothing'), passage('b', 'Étoile', 'x')]);
    expect(await some.almost('etoiles')).toBe(true);
    expect(await some.almost('comet')).toBe(false);
  });
});

describe('inverted lists', () => {
  const built = (...documents: string[][][]): { postings: Postings; turns: number } => {
    const builder = new PostingsBuilder(2);
    for (const fields of documents) builder.add(fields);
    const steps = builder.build();
    let turns = 0;
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done) return { postings: step.value, turns };
      turns++;
    }
  };
  const listed = (postings: Postings, term: string, field: number) => {
    const list = postings.list(term, field);
    if (!list) return null;
    return Array.from({ length: list.to - list.from }, (_, i) => [
      postings.documents[list.from + i],
      postings.times[list.from + i],
    ]);
  };

  test('of each term and field: documents, how often, lengths in different terms', () => {
    const { postings, turns } = built(
      [['a'], ['a', 'b', 'a']],
      [[], ['b']],
      [
        ['c', 'a'],
        ['c', 'c', 'c'],
      ],
    );
    expect(listed(postings, 'a', 0)).toEqual([
      [0, 1],
      [2, 1],
    ]);
    expect(listed(postings, 'a', 1)).toEqual([[0, 2]]);
    expect(listed(postings, 'b', 0)).toBeNull();
    expect(listed(postings, 'b', 1)).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(listed(postings, 'c', 1)).toEqual([[2, 3]]);
    expect(listed(postings, 'z', 0)).toBeNull();
    expect(['a', 'b', 'c', 'z'].map((term) => postings.documentFrequency(term))).toEqual([
      2, 2, 1, 0,
    ]);
    expect(postings.lengths).toEqual([Int32Array.of(1, 0, 2), Int32Array.of(2, 1, 1)]);
    expect(postings.meanLengths).toEqual([1, 4 / 3]);
    // Offsets of 3 terms in 2 fields and one more, 3 document frequencies, 7 postings of 4 and 2
    // bytes, 3 lengths of 2 fields, and 72 bytes for each word.
    expect(postings.bytes).toBe(28 + 12 + 28 + 14 + 24 + 3 * 72);
    // One turn in each of the two passes.
    expect(turns).toBe(2);
    expect(built([['a'], []]).turns).toBe(2);
    expect(built().turns).toBe(0);
  });

  test('of thousands of terms and documents', () => {
    const { postings } = built(
      ...Array.from({ length: 3000 }, (_, i) => [[`t${i}`], ['all', `m${i % 7}`]]),
    );
    expect(postings.documentFrequency('all')).toBe(3000);
    expect(listed(postings, 't2999', 0)).toEqual([[2999, 1]]);
    expect(listed(postings, 'm3', 1)?.map(([document]) => document)).toEqual(
      Array.from({ length: 429 }, (_, i) => 7 * i + 3),
    );
  });

  test('a term counts 65,535 times at most', () => {
    const { postings } = built(
      [[], Array<string>(65_536).fill('a')],
      [[], Array<string>(65_535).fill('a')],
    );
    expect(listed(postings, 'a', 1)).toEqual([
      [0, 65_535],
      [1, 65_535],
    ]);
  });
});

describe('the lexical index', () => {
  const corpus = Array.from({ length: 130 }, (_, i) => passage(`p${i}`, 'Town', `Number n${i}.`));
  test('tells every 64th passage, and the end', async () => {
    const told: [number, number][] = [];
    await LexicalIndex.build(corpus, {}, { onProgress: (...now) => told.push(now) });
    expect(told).toEqual([
      [0, 130],
      [64, 130],
      [128, 130],
      [130, 130],
    ]);
  });

  test('gives as many as are asked for, of equal ones the smaller id, whatever their order', () => {
    const equal = new LexicalIndex(['c', 'a', 'd', 'b'].map((id) => passage(id, 'Town', 'x')));
    const found = (k: number) => equal.search('town', k).map(({ passage: { id } }) => id);
    expect([found(1), found(3), found(9)]).toEqual([['a'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']]);
    expect([found(0), found(-1)]).toEqual([[], []]);
  });

  test('knows nothing of the query before', () => {
    const index = new LexicalIndex(corpus);
    const first = index.search('town n5 n5', 3);
    index.search('number n7 town', 50);
    expect(index.search('town n5 n5', 3)).toEqual(first);
    expect(first[0]?.passage.id).toBe('p5');
  });

  test('counts a title as it is told', () => {
    const two = [passage('a', 'wolf', 'x'), passage('b', 'y', 'wolf')];
    const [first, second] = new LexicalIndex(two, { titleBoost: 3 }).search('wolf', 2);
    expect(first?.passage.id).toBe('a');
    expect((first?.score ?? 0) / (second?.score ?? 1)).toBeCloseTo(3, 12);
    const [boosted, plain] = new LexicalIndex(two).search('wolf', 2);
    expect((boosted?.score ?? 0) / (plain?.score ?? 1)).toBeCloseTo(2, 12);
  });

  test('its bytes: postings, and a number of eight and two of two bytes for each passage', () => {
    // Three words; postings: town, then x and y; two fields.
    const index = new LexicalIndex([passage('a', 'Town', 'x'), passage('b', 'Town', 'y')]);
    expect(index.bytes).toBe(28 + 12 + 16 + 8 + 16 + 3 * 72 + 2 * 12);
  });

  test('scores a passage as if it were one of its own', () => {
    const index = new LexicalIndex(corpus);
    expect(index.scoreOf('nothing of it', passage('x', 'Wolf', 'Fox.'))).toBe(0);
    const [own] = index.search('town n5', 1);
    const copy = passage('copy', 'Town', 'Number n5.');
    expect(index.scoreOf('town n5', copy)).toBeCloseTo(own?.score ?? NaN, 12);
  });
});

test('lists are ordered by score and then by id', () => {
  const of = (id: string, score: number) => ({ passage: passage(id, '', ''), score });
  const sorted = [of('b', 1), of('a', 1), of('c', 2)].toSorted(byScoreThenId);
  expect(sorted.map(({ passage: { id } }) => id)).toEqual(['c', 'a', 'b']);
  expect(['a', 'B', 'b', 'A'].toSorted(compareCodeUnits)).toEqual(['A', 'B', 'a', 'b']);
  expect(compareCodeUnits('a', 'a')).toBe(0);
});

test('terms of possessives and of other alphabets', () => {
  expect(terms('Ann’s dog’s Órla 日本 O’Brien')).toEqual([
    'ann',
    'dog',
    'orla',
    '日本',
    'o',
    'brien',
  ]);
});

test('relevance: similarities that are there, words in any title or text', () => {
  const hit = (title: string, text: string, similarity?: number) => ({
    passage: passage('a', title, text),
    score: 1,
    source: 'local' as const,
    similarity,
  });
  const hits = [hit('Wolf', 'x', 0.5), hit('y', 'fox'), hit('z', 'z', 0)];
  expect(relevance('wolf fox fox bear', hits)).toEqual({
    meanSimilarity: 0.25,
    termOverlap: 2 / 3,
  });
});
