import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { comparedForms, normalise, SQUAD } from '../../../src/agent/answers/normalisers.ts';
import {
  answerScores,
  supportingRecall,
  type AnswerScores,
} from '../../../src/agent/answers/scores.ts';
import { R1_SEARCHER } from '../../../src/systems/r1-searcher/normaliser.ts';

const NORMALISERS = [
  ['squad', SQUAD],
  ['r1-searcher', R1_SEARCHER],
] as const;

/** What the published functions gave for these pairs: test/fixtures/inspect/reference_scores.py. */
const { pairs } = JSON.parse(
  readFileSync(new URL('../../fixtures/inspect/reference-scores.json', import.meta.url), 'utf8'),
) as { pairs: ({ prediction: string; gold: string } & Record<string, AnswerScores>)[] };

/** The published normalisers leave nothing of these gold answers; what we do there is below. */
const EMPTY = new Set(['a', 'The The', '+']);

it('every normaliser is one whose published scores are known', () => {
  const { prediction: _, gold: __, ...known } = pairs[0] ?? { prediction: '', gold: '' };
  expect(NORMALISERS.map(([id]) => id).sort()).toEqual(Object.keys(known).sort());
});

describe.each(NORMALISERS)('%s: the scores of the published functions', (id, normaliser) => {
  test.each(pairs.filter(({ gold }) => !EMPTY.has(gold)))('$prediction | $gold', (pair) => {
    const own = answerScores(pair.prediction, [pair.gold], normaliser);
    const { f1, ...bits } = pair[id]!;
    expect(own).toMatchObject(bits);
    expect(own.f1).toBeCloseTo(f1, 12);
  });
});

test('the pairs tell the two normalisers apart', () => {
  const apart = pairs.filter((pair) => pair['squad']!.em !== pair['r1-searcher']!.em);
  expect(apart.length).toBeGreaterThan(8);
});

describe('R1-Searcher’s', () => {
  it.each([
    ['Jean-Paul', 'jean paul'],
    ['Bruno‘s ‘Italian’ O´Brien`s', 'bruno s italian o brien s'],
    ['snake_case', 'snake case'],
    ['True', 'yes'],
    ['True ', 'true'],
    ['The U.S.A.', 'u s'],
  ])('%s → %s', (text, normal) => expect(normalise(text, R1_SEARCHER)).toBe(normal));
});

describe.each(NORMALISERS)('%s: a gold answer that normalisation empties', (_, normaliser) => {
  const scores = (prediction: string, gold: string): AnswerScores =>
    answerScores(prediction, [gold], normaliser);
  const ALL = { em: 1, f1: 1, coverEm: 1, subEm: 1 };
  const NONE = { em: 0, f1: 0, coverEm: 0, subEm: 0 };

  it('an option letter is met by itself, in EM, F1, cover-EM and sub-EM alike', () => {
    for (const given of ['a', 'A', 'A.', ' (a) ']) expect(scores(given, 'a')).toEqual(ALL);
  });

  it('not by another article, nor by nothing', () => {
    for (const given of ['the', 'b', '']) expect(scores(given, 'a')).toEqual(NONE);
  });

  it('among other words it is covered, and F1 counts the words that are said', () => {
    // Of "option a" one of two words is right: precision 1/2, recall 1.
    expect(scores('Option A', 'a')).toEqual({ em: 0, f1: 2 / 3, coverEm: 1, subEm: 1 });
    // sub-EM is the rule of the string: the letter stands inside the word.
    expect(scores('banana', 'a')).toEqual({ ...NONE, subEm: 1 });
  });

  it('a title of articles is compared with its articles', () => {
    expect(scores('The The', 'The The')).toEqual(ALL);
    expect(scores('the', 'The The')).toMatchObject({ em: 0, coverEm: 1 });
  });

  it('punctuation alone is compared as it is written', () => {
    expect(scores('+', '+')).toEqual(ALL);
    expect(scores('-', '+')).toEqual(NONE);
  });

  it('a gold answer without any text asks for an answer without any', () => {
    expect(scores('', ' ')).toEqual(ALL);
    expect(scores('x', '')).toEqual(NONE);
  });

  it('any other gold answer is compared without articles', () => {
    expect(comparedForms('the cat', 'a cat', normaliser)).toEqual({
      prediction: 'cat',
      gold: 'cat',
    });
  });
});

it.each([
  [[], [], null],
  [['a'], [], null],
  [[], ['a'], 0],
  [['a', 'a', 'x'], ['a', 'b'], 0.5],
  // A title that is named twice is one.
  [['a'], ['a', 'a'], 1],
])('of %o, wanted %o: recall %s', (retrieved, supporting, recall) => {
  expect(supportingRecall(retrieved, supporting)).toBe(recall);
});
