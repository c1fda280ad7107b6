import { describe, expect, it } from 'vitest';
import {
  emptyMemory,
  finalCandidate,
  judgeAnswers,
  meanOverlap,
  type AnswerMemory,
  type AnswerRules,
  agreement,
  confidenceOf,
  countedForm,
  mergeCandidates,
  mostConfident,
  type Candidate,
  aggregatedDifference,
  judgeQuery,
  stieStop,
  type StopRules,
  checkValidity,
  describeValidity,
} from '../../../src/agent/stie.ts';

/** STIE exactly at its bounds, with nothing, with one and with ties. */

const candidate = (text: string, confidence: number): Candidate => ({
  text,
  canonical: text,
  confidence,
});
const compared = (text: string) => ({ text, tokens: text.split(' ').filter(Boolean) });
const remembered = (text: string, confidence = -1) => ({
  ...compared(text),
  canonical: text,
  confidence,
});
const memoryOf = (...history: ReturnType<typeof remembered>[]): AnswerMemory => ({
  ...emptyMemory,
  history,
});

describe('equation (9) at its bounds', () => {
  it.each([
    // {a, b} against {a}: difference exactly 1/2.
    [0.5, true],
    [0.501, false],
  ])('a difference of 0.5 against δ = %f passes: %s', (threshold, passed) => {
    const { checks, valid } = checkValidity(
      compared('a b'),
      [compared('a')],
      [threshold, 0, 0],
      'sets',
    );
    expect(checks).toEqual([{ lag: 1, against: 'a', overlap: 0.5, diff: 0.5, threshold, passed }]);
    expect(valid).toBe(passed);
  });

  it('compares with the last three, the last first, each at its own δ', () => {
    const history = ['a', 'b', 'c', 'd'].map(compared);
    const { checks, aggDiff } = checkValidity(compared('d x'), history, [0.1, 0.2, 0.3], 'sets');
    expect(
      checks.map(({ lag, against, threshold, diff }) => [lag, against, threshold, diff]),
    ).toEqual([
      [1, 'd', 0.1, 0.5],
      [2, 'c', 0.2, 1],
      [3, 'b', 0.3, 1],
    ]);
    expect(aggDiff).toBe(0.5);
    expect(aggregatedDifference([])).toBeNull();
  });

  it.each([
    [[], 'first query'],
    [['z'], 'differs enough from the last 1'],
    [['y', 'z'], 'differs enough from the last 2'],
    [['z', 'a b'], 'differs 0.00 from the last query, needs 0.4'],
    [['a b', 'z'], 'differs 0.00 from the second last query, needs 0.5'],
    [['a b', 'y', 'z'], 'differs 0.00 from the third last query, needs 0.6'],
  ])('after %o it says: %s', (history, words) => {
    const validity = checkValidity(compared('a b'), history.map(compared), [0.4, 0.5, 0.6], 'sets');
    expect(describeValidity(validity, 'query')).toBe(words);
  });
});

describe('candidates', () => {
  it('of samples: the mean, the least, and −∞ without tokens', () => {
    expect(confidenceOf({ logprobs: [-1, -4, -1] }, 'mean')).toBe(-2);
    expect(confidenceOf({ logprobs: [-1, -4, -1] }, 'min')).toBe(-4);
    expect(confidenceOf({ logprobs: [] }, 'mean')).toBe(-Infinity);
    expect(confidenceOf({ logprobs: [] }, 'min')).toBe(-Infinity);
  });

  it('without log-probabilities: ln(n / (K + 1)) for an answer of n of K samples', () => {
    const samples = ['x', 'y', 'x'].map((text) => ({ text, canonical: text, confidence: null }));
    expect(agreement(samples).map(({ confidence }) => Math.exp(confidence))).toEqual([
      expect.closeTo(2 / 4, 12),
      expect.closeTo(1 / 4, 12),
      expect.closeTo(2 / 4, 12),
    ]);
    expect(agreement([])).toEqual([]);
  });

  it('are merged where they count as one, in order, under the best confidence and its text', () => {
    const merged = mergeCandidates([
      { text: 'B', canonical: 'b', confidence: -3 },
      { text: 'A', canonical: 'a', confidence: -2, samples: 2 },
      { text: 'the B', canonical: 'b', confidence: -1, samples: 3 },
      { text: 'b', canonical: 'b', confidence: -1 },
      { text: 'a!', canonical: 'a', confidence: -5 },
    ]);
    expect(merged).toEqual([
      { text: 'the B', canonical: 'b', confidence: -1, samples: 5 },
      { text: 'A', canonical: 'a', confidence: -2, samples: 3 },
    ]);
  });

  it('the most confident; of equals the earlier; none of none', () => {
    expect(mostConfident([])).toBeUndefined();
    const list = [candidate('a', -2), candidate('b', -1), candidate('c', -1)];
    expect(mostConfident(list)?.text).toBe('b');
    expect(mostConfident([candidate('a', -Infinity)])?.text).toBe('a');
  });

  it.each([
    ['paper', ' The Russia (2018) ', 'The Russia (2018)'],
    ['corrected', ' The Russia (2018) ', 'russia'],
  ] as const)('count in %s as', (mode, text, form) => {
    expect(countedForm(text, mode)).toBe(form);
  });
});

describe('a round over candidates', () => {
  const rules: AnswerRules = {
    mode: 'paper',
    tokens: 'sets',
    current: 'first-sample',
    thresholds: [0.5, 0.5, 0.5],
    maxCount: 2,
  };
  const never = () => false;
  const judged = (list: Candidate[], memory: AnswerMemory, change: Partial<AnswerRules> = {}) =>
    judgeAnswers(list, memory, { ...rules, ...change }, never);

  it('without candidates keeps its memory and says so', () => {
    const { verdict, answer, memory } = judged([], emptyMemory);
    expect(answer).toBeNull();
    expect(memory).toBe(emptyMemory);
    expect(verdict).toMatchObject({
      text: '',
      valid: false,
      action: 'blocked',
      reason: 'no candidate',
      aggDiff: null,
      checks: [],
    });
  });

  it('with blocked ones alone shows the most confident of them', () => {
    const memory = { ...emptyMemory, blocked: new Set(['a', 'b']), counts: new Map([['a', 2]]) };
    const { verdict, answer } = judged([candidate('a', -2), candidate('b', -1)], memory);
    expect(answer).toBeNull();
    expect(verdict).toMatchObject({
      text: 'b',
      action: 'blocked',
      reason: 'every candidate is in the blocked set',
      counts: { a: 2 },
      blocked: ['a', 'b'],
    });
  });

  it.each([
    ['first-sample', 'a'],
    ['most-confident', 'b'],
  ] as const)('takes the %s', (current, text) => {
    const list = [candidate('a', -2), candidate('b', -1)];
    expect(judged(list, emptyMemory, { current }).answer?.text).toBe(text);
  });

  it.each([
    // The alternative must be more confident, not as confident.
    [-1, 'kept-invalid', 'a'],
    [-0.99, 'replaced', 'b'],
    [-2, 'kept-invalid', 'a'],
  ])('replaces an invalid answer of −1 by another of %f: %s', (confidence, action, text) => {
    const memory = memoryOf(remembered('a'));
    const { verdict, answer } = judged([candidate('a', -1), candidate('b', confidence)], memory);
    expect(verdict.action).toBe(action);
    expect(answer?.text).toBe(text);
    expect(verdict.replacement).toBe(action === 'replaced' ? 'b' : undefined);
    expect(verdict.reason).toBe(
      `differs 0.00 from the last answer, needs 0.5${action === 'replaced' ? '; "b" is more confident' : ''}`,
    );
  });

  it('counts what it remembers, and blocks at N from the next round on', () => {
    const once = judged([candidate('a', -1)], emptyMemory);
    expect(once.verdict).toMatchObject({ counts: { a: 1 }, blocked: [], action: 'kept' });
    const twice = judged([candidate('a', -1)], once.memory);
    expect(twice.verdict).toMatchObject({ counts: { a: 2 }, blocked: ['a'] });
    expect(twice.memory.history).toHaveLength(2);
    // The memories before are values: they stay as they were.
    expect([...once.memory.blocked]).toEqual([]);
    expect(once.memory.counts.get('a')).toBe(1);
    expect(judged([candidate('a', -1)], twice.memory).answer).toBeNull();
  });

  it.each([
    ['paper', 'yes', ['yes']],
    ['corrected', 'yes', []],
    ['corrected', 'no', []],
    ['corrected', 'oslo', ['oslo']],
  ] as const)('%s at N = 1 blocks %s: %o', (mode, text, blocked) => {
    const { verdict } = judged([candidate(text, -1)], emptyMemory, { mode, maxCount: 1 });
    expect(verdict.blocked).toEqual(blocked);
  });
});

describe('the final candidate', () => {
  const answers = [
    remembered('a b', -1),
    remembered('a c', -1),
    remembered('d', -1),
    remembered('e', -2),
  ];

  it('of equal confidence is the least redundant: the mean overlap with the others', () => {
    expect(finalCandidate(memoryOf(...answers), 'sets')?.text).toBe('d');
    expect(finalCandidate(memoryOf(...answers, remembered('z', -0.5)), 'sets')?.text).toBe('z');
  });

  it('is never one that was blocked when it was chosen, nor one without words', () => {
    const memory = { ...memoryOf(...answers), blocked: new Set(['d', 'a b', 'a c']) };
    expect(finalCandidate(memory, 'sets')?.text).toBe('e');
    expect(finalCandidate(memory, 'sets', new Set(['e']))?.text).toBe('d');
    expect(finalCandidate(memoryOf(remembered('', 0)), 'sets')).toBeNull();
    expect(finalCandidate(emptyMemory, 'sets')).toBeNull();
  });

  it('overlap with none is 0, with several their mean', () => {
    expect(meanOverlap(compared('a b'), [], 'sets')).toBe(0);
    const others = ['a b', 'a x', 'y'].map(compared);
    expect(meanOverlap(compared('a b'), others, 'sets')).toBe(0.5);
  });
});

describe('the end of a round', () => {
  const rules: StopRules = {
    mode: 'corrected',
    tokens: 'sets',
    overlap: 'above',
    overlapThreshold: 1,
    minHistory: 2,
    confidence: true,
    epsilon: 0.5,
    newInformation: true,
    minNewInformation: 3,
  };
  const a = remembered('a', -5);
  const end = (memory: AnswerMemory, change: Partial<StopRules> = {}, gained = 9) =>
    stieStop(
      memory,
      { entities: gained, facts: 0, idleRounds: gained > 3 ? 0 : 2, valid: true },
      { ...rules, ...change },
    );

  it('needs as many earlier answers as minHistory says', () => {
    expect(end(memoryOf(a, a))).toBeNull();
    expect(end(memoryOf(a, a, a))?.detail).toBe(
      'mean overlap 1.00 with 2 earlier answers, at or above 1: the answers agree',
    );
    expect(end(memoryOf(a, a), { minHistory: 1 })?.detail).toContain('with 1 earlier answer,');
  });

  it('is told by overlap before confidence, and by confidence before information', () => {
    const sure = remembered('a', Math.log(0.5));
    const reason = (...args: Parameters<typeof end>) => end(...args)?.reason;
    expect(reason(memoryOf(a, a, sure), {}, 0)).toBe('stie-overlap');
    expect(reason(memoryOf(a, a, sure), { overlap: 'off' }, 0)).toBe('stie-confidence');
    expect(reason(memoryOf(a, a, sure), { overlap: 'off', confidence: false }, 0)).toBe(
      'stie-no-new-information',
    );
    const none = { overlap: 'off', confidence: false, newInformation: false } as const;
    expect(reason(memoryOf(a, a, sure), none, 0)).toBeUndefined();
  });

  it('by confidence says which probability reached what', () => {
    expect(end(memoryOf(remembered('a', Math.log(0.5))))).toEqual({
      reason: 'stie-confidence',
      detail: 'confidence 1 − 0.5 reached 1 − 0.5',
      clause: { rule: 'confidence', value: 0.5, threshold: 0.5 },
    });
    expect(end(memoryOf(remembered('a', Math.log(0.49))))).toBeNull();
    expect(end(memoryOf(remembered('', 0)))).toBeNull();
  });

  it.each([
    [3, 'stie-no-new-information'],
    [4, undefined],
  ])('with %i new entities: %s', (gained, reason) => {
    expect(end(memoryOf(a), {}, gained)?.reason).toBe(reason);
  });

  it('never comes before the first answer', () => {
    expect(end(emptyMemory, {}, 0)).toBeNull();
  });
});

describe('a query judged', () => {
  const rules = {
    mode: 'corrected' as const,
    tokens: 'sets' as const,
    thresholds: [0.9, 0.9, 0.9] as const,
  };
  const judge = (
    query: string,
    history: [string, 'local' | 'web' | 'both'][],
    reachable: readonly ('local' | 'web')[] = [],
    mode: 'corrected' | 'paper' = 'corrected',
  ) => {
    const asked = history.map(([text, source]) => ({ query: text, source }));
    const context = { history: asked, nameWords: new Set(['oslo']), reachable };
    const { verdict, only } = judgeQuery(query, context, { ...rules, mode });
    return [verdict.action, only, verdict.reason];
  };

  it.each([
    // Half of its other content words are new; fewer are not enough.
    ['river mayor', 'kept'],
    ['river bridge mayor', 'refused'],
    // A name that the earlier one lacks.
    ['river bridge Oslo', 'kept'],
    ['river bridge', 'refused'],
  ])('after "river bridge", "%s" is %s', (query, action) => {
    expect(judge(query, [['river bridge', 'local']])[0]).toBe(action);
    if (query !== 'river bridge')
      expect(judge(query, [['river bridge', 'local']], [], 'paper')[0]).toBe('refused');
  });

  it.each([
    [['local'], ['local', 'web'], 'kept', 'web', 'repeats a query, but web was not asked it yet'],
    [['web'], ['local', 'web'], 'kept', 'local', 'repeats a query, but local was not asked it yet'],
    [
      ['local', 'web'],
      ['local', 'web'],
      'refused',
      null,
      'differs 0.00 from the last query, needs 0.9',
    ],
    [['both'], ['local', 'web'], 'refused', null, 'differs 0.00 from the last query, needs 0.9'],
    [['local'], ['local'], 'refused', null, 'differs 0.00 from the last query, needs 0.9'],
    [['local'], [], 'refused', null, 'differs 0.00 from the last query, needs 0.9'],
  ] as const)(
    'repeated after %o with %o in reach it is %s',
    (asked, reachable, action, only, reason) => {
      const history = asked.map((source): [string, 'local' | 'web' | 'both'] => ['river', source]);
      expect(judge('river', history, reachable)).toEqual([action, only, reason]);
    },
  );
});
