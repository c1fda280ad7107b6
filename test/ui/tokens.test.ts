import { describe, expect, it } from 'vitest';
import {
  cellAt,
  countTokens,
  stripGrid,
  tokenAt,
  tokensUpTo,
  writerOf,
} from '../../src/ui/kit/tokens/layout.ts';
import { describeToken } from '../../src/ui/kit/tokens/TokenStrip.tsx';
import type { Segment } from '../../src/records/rollout.ts';
import { emptyRollout, policySegment, readSegment, search } from '../fixtures/rollouts.ts';

const rollout = {
  ...emptyRollout('a'),
  segments: [readSegment([5, 6], 'question'), policySegment([7]), readSegment([8, 9])],
  events: [{ ...search(1), segment: 1 }],
};

describe('the token strip', () => {
  it('finds every token with who wrote it', () => {
    expect(countTokens(rollout)).toBe(5);
    expect(tokenAt(rollout, 1)).toMatchObject({
      segment: 0,
      token: 1,
      id: 6,
      writer: 'prompt',
      mask: 0,
    });
    expect(tokenAt(rollout, 2)).toMatchObject({
      id: 7,
      writer: 'policy',
      logprob: -7,
      entropy: 3.5,
      mask: 1,
    });
    expect(tokenAt(rollout, 4)).toMatchObject({ id: 9, writer: 'environment', logprob: null });
    expect(tokenAt(rollout, 5)).toBeNull();
  });

  it('shows a hint apart from the rest of the environment', () => {
    expect(writerOf(readSegment([1], 'hint'))).toBe('hint');
  });

  it('knows which tokens there were when an event happened', () => {
    expect(tokensUpTo(rollout, 0)).toBe(3);
  });

  it('finds the cell under a pointer, and none beside the cells', () => {
    const grid = stripGrid(10, 20);
    expect(grid).toMatchObject({ columns: 4, rows: 3 });
    expect(cellAt(grid, 6, 1, 10)).toBe(1);
    expect(cellAt(grid, 1, 13, 10)).toBe(4);
    expect(cellAt(grid, 16, 25, 10)).toBeNull();
    expect(cellAt(grid, 21, 1, 10)).toBeNull();
  });
});

describe('the words of a token', () => {
  const words = (segment: Segment) => {
    const facts = tokenAt({ segments: [segment] }, 0);
    return facts ? describeToken(facts, 'asked') : '';
  };
  const { logprobs: _, entropies: __, ...bare } = policySegment([7]);

  it('reads the record’s own text, and says what the policy did not report', () => {
    const said = words({ ...bare, tokens: [' Oslo'] });
    expect(said).toContain('“␣Oslo” · piece 7');
    expect(said).toContain('log-probability unknown · entropy unknown');
    expect(said).not.toContain('asked');
  });

  it('has a tag by the name of the recipe’s system, with the token that it is', () => {
    const facts = tokenAt({ segments: [policySegment([7])] }, 0);
    if (!facts) throw new Error('there is a token');
    const names = new Map([['<search>', '<|begin_of_query|>']]);
    expect(describeToken(facts, '<search>', names)).toContain(
      '“<|begin_of_query|>” · id 7 · the model’s token is <search>',
    );
    expect(describeToken(facts, '<think>', names)).toMatch(/^“<think>” · id 7 · model/);
  });

  it('asks nothing of tokens that were only read', () => {
    expect(words(readSegment([5]))).toMatch(/“asked” · id 5/);
    expect(words(readSegment([5]))).not.toContain('log-probability');
  });
});
