import { describe, expect, it } from 'vitest';
import { retrieveShare } from '../../../src/agent/steps.ts';
import { segmentScore, usefulness } from '../../../src/systems/self-rag/loop.ts';

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
