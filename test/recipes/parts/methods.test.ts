import { describe, expect, it } from 'vitest';
import { shownReasoning, type Step } from '../../../src/systems/search-o1/loop.ts';
import { lookUp, type Page } from '../../../src/recipes/parts/pages.ts';
import { vote } from '../../../src/systems/active-rag/loop.ts';
import { observation } from '../../../src/systems/react/loop.ts';

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
