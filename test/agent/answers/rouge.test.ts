import { describe, expect, it } from 'vitest';
import { rougeL } from '../../../src/agent/answers/long-answer.ts';

describe('ROUGE-L, summary level', () => {
  it('meets the example of the ROUGE paper: the union of two subsequences is 4 of 5 words', () => {
    // Lin 2004, section 3.2: r = w1 w2 w3 w4 w5, c1 = w1 w2 w6 w7 w8, c2 = w1 w3 w8 w9 w5; LCS∪ = w1 w2 w3 w5.
    // Recall 4/5, precision 4/10, F1 = 2 · 0.8 · 0.4 / 1.2.
    const score = rougeL(['w1 w2 w6 w7 w8', 'w1 w3 w8 w9 w5'], ['w1 w2 w3 w4 w5']);
    expect(score).toBeCloseTo(8 / 15, 12);
  });

  it('of one sentence beside one is the longest common subsequence', () => {
    // police killed the gunman / police kill the gunman: LCS police the gunman, 3 of 4 and 3 of 4.
    expect(rougeL(['police kill the gunman'], ['police killed the gunman'])).toBe(0.75);
    // the gunman kill police: LCS the gunman, 2 of 4.
    expect(rougeL(['the gunman kill police'], ['police killed the gunman'])).toBe(0.5);
  });

  it('does not ask for the order of the statements, nor for case and punctuation', () => {
    const gold = ['Dravrex Trio plays ballad music.', 'Dravrex Trio started in Harfurt.'];
    expect(rougeL([...gold].toReversed(), gold)).toBe(1);
    expect(
      rougeL(['dravrex trio plays ballad music', 'dravrex trio started in harfurt'], gold),
    ).toBe(1);
  });

  it('counts a word no more often than either side has it', () => {
    // Reference "a b", written "a" "a": the union is a, once. P 1/2, R 1/2.
    expect(rougeL(['a', 'a'], ['a b'])).toBe(0.5);
    // Two sentences of the reference want "a", the summary has it once: P 1/1, R 1/2.
    expect(rougeL(['a'], ['a', 'a'])).toBeCloseTo(2 / 3, 12);
  });

  it('is 0 without words on either side', () => {
    expect(rougeL([], ['a'])).toBe(0);
    expect(rougeL(['...'], ['a'])).toBe(0);
    expect(rougeL(['a'], [])).toBe(0);
  });

  // Google's rouge-score 0.1.2, `rougeLsum`, use_stemmer=False, sentences joined by a line break.
  it.each([
    [
      [
        'Gillin Systems was founded by Enzo Jorpell.',
        'It is based in Kelminster and employs 6400.',
      ],
      [
        'Gillin Systems was founded by Enzo Jorpell (born 1951).',
        'Gillin Systems is based in Kelminster.',
        'Gillin Systems employs 6400 people.',
      ],
      0.7428571428571429,
    ],
    [
      ['the cat the cat sat on a mat', 'a dog and the cat'],
      ['a cat sat on the mat', 'the dog sat'],
      0.5454545454545455,
    ],
    [
      ['Soft River stars nobody at all'],
      ['Soft River opened in 1980', 'It was shot in Dalgrad'],
      0.25,
    ],
  ])('gives what rouge-score gives: %#', (written, gold, expected) => {
    expect(rougeL(written, gold)).toBeCloseTo(expected, 9);
  });
});
