import { describe, expect, it } from 'vitest';
import { consistentAction, rankActions } from '../../../src/systems/agent-distillation/loop.ts';
import { disagreement, lowest, lowestMean } from '../../../src/systems/corag/loop.ts';
import { grounded } from '../../../src/agent/answers/evidence.ts';
import { planParts, planValid, readPlan } from '../../../src/recipes/parts/plan.ts';
import { substituted, zigzag } from '../../../src/systems/collab-rag/loop.ts';

describe('self-consistent action', () => {
  it('takes the outcome that most valid actions have', () => {
    const outcomes = ['1905', '1905', null, '1912', '1905', null, '1912', '1890'];
    expect(consistentAction(outcomes)).toBe(0);
    expect(consistentAction([null, '1912', '1905', '1905'])).toBe(2);
  });

  it('takes the first where all differ, and none where all failed', () => {
    expect(consistentAction(['a', 'b', null, 'c'])).toBe(0);
    expect(consistentAction([null, 'b', 'c'])).toBe(1);
    expect(consistentAction([null, null])).toBeNull();
  });
});

describe('actions by the gold chain', () => {
  const search = (gold: number, fresh: number, tokens = 9) => ({
    right: null,
    gold,
    fresh,
    tokens,
  });
  const answer = (right: boolean) => ({ right, gold: 0, fresh: 0, tokens: 9 });

  it('are ranked by a right answer, new gold, new passages, then length; wrong answers last', () => {
    const worths = [answer(false), search(0, 2), search(1, 1), answer(true), search(1, 2)];
    expect(rankActions(worths)).toEqual([3, 4, 2, 1, 0]);
    expect(rankActions([search(1, 1, 9), search(1, 1, 5), search(1, 1, 5)])).toEqual([1, 2, 0]);
  });
});

describe('a chain of retrieval', () => {
  it('is the one with the lowest score of several', () => {
    expect(lowest([-1.1, -3.2, -2, -1.4])).toBe(1);
    expect(() => lowest([])).toThrow(RangeError);
  });

  it('by a vote is the first whose answer most chains give; one without an answer has no vote', () => {
    const scores = disagreement(['Oslo', 'Rome', 'rome', ''], (text) => text.toLowerCase());
    expect(scores).toEqual([-0.25, -0.5, -0.5, 0]);
    expect(lowest(scores)).toBe(1);
  });

  it('grows by the child whose rollouts have the lowest mean', () => {
    // Means −3, −3.25, −3.5.
    expect(lowestMean([[-2, -4], [-3, -3.5], [-1, -6]])).toBe(2); // prettier-ignore
  });
});

describe('a plan of sub-questions', () => {
  it('is read line by line with what needs passages, and its answers are put in', () => {
    const plan = readPlan('1. Who wrote Old Wolf? [yes]\n2. Where was #1 born? [yes]\n3) Is it? [no]', 4); // prettier-ignore
    expect(plan).toEqual([
      { text: 'Who wrote Old Wolf?', search: true },
      { text: 'Where was #1 born?', search: true },
      { text: 'Is it?', search: false },
    ]);
    expect(substituted('Where was #1 born?', ['Ada Kerr'])).toBe('Where was Ada Kerr born?');
    expect(substituted('#2 or #1', ['a'])).toBe('#2 or a');
    expect(readPlan('1. a\n2. b\n3. c', 2)).toHaveLength(2);
  });

  it('is valid where it has a line and every reference points backward', () => {
    const of = (...texts: string[]) => texts.map((text) => ({ text, search: true }));
    expect(planValid(of('a', 'b of #1', 'c of #2'))).toBe(true);
    for (const bad of [[], of('a of #1'), of('a', 'b of #2'), of('a', 'b of #0')])
      expect(planValid(bad)).toBe(false);
  });

  it('of the built-in policy asks each part of what the one before was answered', () => {
    const texts = (plan: string, question: string) =>
      planParts(plan, 4, question).map(({ text }) => text);
    expect(texts('author , birthplace', 'Where was the author of Old Wolf born?')).toEqual([
      'author of Old Wolf',
      'birthplace of #1',
    ]);
    expect(texts('films starring Elias Fenrath , release year , count', 'How many?')).toEqual([
      'films starring Elias Fenrath',
      'release year of #1',
    ]);
    expect(texts('president', 'Who governs Nimland?')).toEqual(['president of Nimland']);
  });

  it('shows a reader the best passages at both ends', () => {
    expect(zigzag([1, 2, 3, 4, 5])).toEqual([1, 3, 5, 4, 2]);
  });

  it('holds an answer that a passage holds word for word', () => {
    expect(grounded('1907', ['It was founded in 1907.'])).toBe(true);
    expect(grounded('Veldor', ['It was founded in 1907.'])).toBe(false);
    expect(grounded('190', ['It was founded in 1907.'])).toBe(false);
    expect(grounded('', ['anything'])).toBe(false);
  });
});
