import { describe, expect, it } from 'vitest';
import { createRouter, priorWeights } from '../../src/agent/router/router.ts';
import { webCalls } from '../../src/evaluate/metrics.ts';
import {
  answerScores,
  exactMatch,
  f1Score,
  subExactMatch,
  supportingRecall,
} from '../../src/agent/answers/scores.ts';
import { normalizeAnswer } from '../../src/agent/answers/normalisers.ts';
import { run } from '../agent/helpers.ts';
import { LOOP, off } from '../agent/loop-script.ts';

const coverExactMatch = (prediction: string | null, golds: readonly string[]): number =>
  answerScores(prediction, golds).coverEm;

describe('SQuAD normalisation', () => {
  it.each([
    ['The  U.S. Route 22!', 'us route 22'],
    ['a cat, an owl and the dog', 'cat owl and dog'],
    ['theory', 'theory'],
    ["Alexander's", 'alexanders'],
    // Letters of any script are as text, as for Python's \\b.
    ['Peña the älä', 'peña älä'],
    ['a ñ aña', 'ñ aña'],
  ])('%s → %s', (text, normal) => {
    expect(normalizeAnswer(text)).toBe(normal);
  });
});

describe('answer metrics', () => {
  it('EM is equality after normalisation, with any of the golds', () => {
    expect(exactMatch('the Borfield.', ['Oslo', 'Borfield'])).toBe(1);
    expect(exactMatch('Borfield city', ['Borfield'])).toBe(0);
    expect(exactMatch(null, ['Borfield'])).toBe(0);
    expect(exactMatch('x', [])).toBe(0);
  });

  it('F1 by hand: 2 common of 3 predicted and 4 gold words', () => {
    // precision 2/3, recall 2/4 → 2·(1/3)/(7/6) = 4/7
    expect(f1Score('new york city', ['york state of new'])).toBeCloseTo(4 / 7, 12);
    expect(f1Score('new york', ['x', 'new york'])).toBe(1);
    // repeated words count as often as both have them: 1 common, precision 1/2, recall 1
    expect(f1Score('york york', ['york'])).toBeCloseTo(2 / 3, 12);
  });

  it('a yes/no/noanswer mismatch scores no F1, though words are shared', () => {
    expect(f1Score('yes it is', ['yes'])).toBe(0);
    expect(f1Score('no', ['no way'])).toBe(0);
    expect(f1Score('Yes.', ['yes'])).toBe(1);
  });

  it('cover-EM asks for all gold tokens, sub-EM for the gold string', () => {
    const prediction = 'It was Jane van Dyke in 1990';
    expect(coverExactMatch(prediction, ['Dyke Jane'])).toBe(1);
    expect(subExactMatch(prediction, ['Dyke Jane'])).toBe(0);
    expect(subExactMatch(prediction, ['van Dyke'])).toBe(1);
    expect(coverExactMatch(prediction, ['Jane Doe'])).toBe(0);
    // the string rule alone finds a word inside a word
    expect(subExactMatch('Dykes', ['Dyke'])).toBe(1);
    expect(coverExactMatch('Dykes', ['Dyke'])).toBe(0);
    expect(coverExactMatch('anything', ['the'])).toBe(0);
  });
});

describe('retrieval metrics', () => {
  it('recall is the share of distinct supporting titles', () => {
    expect(supportingRecall(['A', 'A', 'X'], ['A', 'B', 'B'])).toBe(0.5);
    expect(supportingRecall(['X'], ['A'])).toBe(0);
    expect(supportingRecall(['A'], [])).toBeNull();
  });
});

describe('calls of the web, of a background and two searches', () => {
  /** A router that always chooses the same. */
  const always = (source: 'local' | 'web') =>
    createRouter({ weights: { ...priorWeights(), bias: source === 'web' ? 100 : -100 } });
  it.each([
    ['web', 'router', 'router', 3],
    ['local', 'router', 'router', 0],
    // What the router says of the searches says nothing of a background that is fixed.
    ['local', 'web', 'router', 1],
    ['local', 'both', 'router', 1],
    ['web', 'local', 'router', 2],
    ['local', 'router', 'both', 2],
    ['web', 'router', 'local', 1],
  ] as const)(
    'routed to %s, the background from %s, searches from %s: %i',
    async (router, background, source, calls) => {
      const { rollout } = await run(
        { main: LOOP },
        {
          recipe: 'kunlun-baize',
          router: always(router),
          overrides: { ...off, background: { source: background }, retrieval: { source } },
        },
      );
      expect(webCalls(rollout)).toBe(calls);
    },
  );

  it('counts no background where there is none', async () => {
    const overrides = { ...off, background: { mode: 'off' as const, source: 'web' as const } };
    const { rollout } = await run(
      { main: LOOP },
      { recipe: 'kunlun-baize', router: always('local'), overrides },
    );
    expect(webCalls(rollout)).toBe(0);
  });
});
