import { describe, expect, it } from 'vitest';
import { confident, inForce, triggers } from '../../../src/systems/flare/loop.ts';

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
