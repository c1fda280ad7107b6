import { describe, expect, it } from 'vitest';
import { confident, inForce, triggers } from '../../../src/recipes/methods/confidence.ts';
import {
  claimsOf,
  lastThoughtQuery,
  questionAndDraft,
  saysAnswer,
  splitQueries,
} from '../../../src/recipes/methods/draft-query.ts';
import { shownReasoning, type Step } from '../../../src/recipes/methods/extraction.ts';
import { lookUp, observation, type Page } from '../../../src/recipes/methods/pages.ts';
import {
  retrieveShare,
  segmentScore,
  usefulness,
} from '../../../src/recipes/methods/reflection.ts';
import { corrects, readChain } from '../../../src/recipes/methods/verification.ts';
import { vote } from '../../../src/recipes/methods/vote.ts';

describe('a draft as query', () => {
  it('IRCoT asks with the last sentence that is no conclusion, else with the question', () => {
    const question = 'When was the author of K born?';
    const fact = 'the author of K is M .';
    expect(lastThoughtQuery([fact], question)).toBe(fact);
    expect(lastThoughtQuery([fact, 'so the answer is 1907 .'], question)).toBe(fact);
    expect(lastThoughtQuery([fact, '1931 - 1907 = 24'], question)).toBe(fact);
    expect(lastThoughtQuery(['Therefore, M.'], question)).toBe(question);
    expect(lastThoughtQuery(['who wrote K is M .'], question)).toBe('wrote K is M .');
  });

  it('IRCoT ends where a sentence says the answer', () => {
    expect(saysAnswer('so the answer is 1907 .')).toBe(true);
    expect(saysAnswer('the author of K is M .')).toBe(false);
  });

  it('Iter-RetGen joins question and last generation; an empty one changes nothing', () => {
    expect(questionAndDraft('Q', 'M')).toBe('Q M');
    expect(questionAndDraft('Q', ' ')).toBe('Q');
  });

  it('a rewrite is cut at semicolons', () => {
    expect(splitQueries(' author of K ; born of M ;; third', 2)).toEqual([
      'author of K',
      'born of M',
    ]);
  });

  it('RAT cuts a draft into claims, three of three', () => {
    const draft = 'K was written by M. M was born in B.\nB is in C.';
    expect(claimsOf(draft, 3)).toEqual(['K was written by M.', 'M was born in B.', 'B is in C.']);
    expect(claimsOf(draft, 2)).toHaveLength(2);
  });
});

describe('FLARE', () => {
  const probabilities = [0.9, 0.7, 0.35];
  const published = { theta: 0.8, beta: 0.4, lookAhead: 64, sentences: 16, asReleased: false };

  it('retrieves below θ, and asks without the tokens below β', () => {
    expect(triggers(probabilities, published.theta)).toBe(true);
    expect(confident(['a', 'b', 'c'], probabilities, published.beta)).toEqual(['a', 'b']);
  });

  it('as FlashRAG released it, the same sentence is accepted without retrieval', () => {
    const released = inForce({ ...published, asReleased: true });
    expect(triggers(probabilities, inForce(published).theta)).toBe(true);
    expect(triggers(probabilities, released.theta)).toBe(false);
    expect(released.sentences).toBe(5);
  });
});

describe('reflection', () => {
  it('retrieves by the share of the two', () => {
    expect(retrieveShare(0.3, 0.7)).toBeCloseTo(0.3);
    expect(retrieveShare(0.15, 0.05)).toBeCloseTo(0.75);
    expect(retrieveShare(0, 0)).toBe(0);
  });

  it('scores a passage by likelihood, relevance, support and use', () => {
    const weights = { relevant: 1, supported: 1, useful: 1 };
    const a = { meanLogprob: -0.4, relevant: 0.7, full: 0.6, partial: 0.3, use: 0.15 };
    const b = { meanLogprob: -0.2, relevant: 0.2, full: 0.2, partial: 0, use: 0.3 };
    expect(segmentScore(a, weights)).toBeCloseTo(2.27, 3);
    expect(segmentScore(b, weights)).toBeCloseTo(1.519, 3);
    expect(usefulness([0, 0, 0.5, 0.5, 0])).toBeCloseTo(0.25);
  });
});

describe('SearChain', () => {
  const at = { threshold: 1.5 };

  it('corrects where the reader is sure and says something else', () => {
    expect(corrects({ answer: '1905', score: 2.1 }, '1907', at)).toBe(true);
    expect(corrects({ answer: '1907', score: 2.1 }, 'in 1907', at)).toBe(false);
    expect(corrects({ answer: '1905', score: 1.2 }, '1907', at)).toBe(false);
    expect(corrects({ answer: '19', score: 2.1 }, '1907', at)).toBe(true);
  });

  it('reads a chain in its own format', () => {
    const text =
      'Sure.\n[Query 1]: Who wrote K?\n[Answer 1]: M\n[Unsolved Query]: Where was M born?\n[Final Content]: not known [1]';
    expect(readChain(text)).toEqual({
      nodes: [
        { query: 'Who wrote K?', answer: 'M' },
        { query: 'Where was M born?', answer: null },
      ],
      final: 'not known [1]',
    });
    expect(readChain('no chain at all')).toEqual({ nodes: [], final: null });
  });
});

describe('Search-o1', () => {
  const steps = (n: number, search: number): Step[] =>
    Array.from({ length: n }, (_, i) => ({ text: `t${i + 1}`, search: i === search }));

  it('shows the first step, the last four and those that search', () => {
    expect(shownReasoning(steps(5, 1)).split('\n\n')).toHaveLength(5);
    expect(shownReasoning(steps(9, 2)).split('\n\n')).toEqual([
      'Step 1: t1',
      '...',
      'Step 3: t3',
      '...',
      'Step 6: t6',
      'Step 7: t7',
      'Step 8: t8',
      'Step 9: t9',
    ]);
  });
});

describe('ReAct', () => {
  const pages: Page[] = [
    { title: 'Old Wolf', sentences: ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'] },
    { title: 'Victor Kerlund', sentences: ['born in 1901', 'died', 'born again'] },
  ];
  const sizes = { sentences: 5, similar: 5 };

  it('opens the page of that name with five sentences', () => {
    const opened = observation('old wolf', pages, sizes);
    expect(opened.text).toBe('a1 a2 a3 a4 a5');
    expect(opened.page?.title).toBe('Old Wolf');
  });

  it('names similar pages where there is none', () => {
    const missed = observation('Veldor', pages, sizes);
    expect(missed.page).toBeNull();
    expect(missed.text).toContain('Old Wolf ; Victor Kerlund');
  });

  it('looks the next sentence with a text up', () => {
    const page = pages[1] ?? null;
    expect(lookUp(page, 'born', 0)).toBe('(result 1 / 2) born in 1901');
    expect(lookUp(page, 'born', 1)).toBe('(result 2 / 2) born again');
    expect(lookUp(page, 'born', 2)).toBeNull();
    expect(lookUp(null, 'born', 0)).toBeNull();
  });
});

it('ActiveRAG votes; of equals the first counts', () => {
  expect(vote(['a', 'a', 'b', 'c'])).toBe('a');
  expect(vote(['b', 'a', 'a', 'b'])).toBe('b');
  expect(vote([])).toBeNull();
});
