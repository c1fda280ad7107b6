import { describe, expect, it } from 'vitest';
import { stieText, stieCounts, sumStieCounts } from '../../../src/agent/stie-counts.ts';
import type { StieCounts } from '../../../src/records/stie.ts';
import type { AgentEvent, DifferenceCheck, VerdictEvent } from '../../../src/records/events.ts';

/** Events written by hand; what is counted is what each of them says. */

const check = (lag: 1 | 2 | 3, passed: boolean): DifferenceCheck => ({
  lag,
  against: 'Russia',
  overlap: passed ? 0 : 1,
  diff: passed ? 1 : 0,
  threshold: 0.25 * lag,
  passed,
});

const verdict = (change: Partial<VerdictEvent>): VerdictEvent => ({
  t: 0,
  kind: 'verdict',
  over: 'answer',
  round: 1,
  mode: 'paper',
  text: 'Russia',
  checks: [],
  aggDiff: null,
  valid: true,
  action: 'kept',
  reason: '',
  counts: {},
  blocked: [],
  ...change,
});

const candidate = (blocked: boolean) => ({
  text: 'Russia',
  canonical: 'russia',
  confidence: -1,
  count: 0,
  blocked,
});

/** The paper's own example with N = 4: Russia four times, then France; the policy insists on Russia. */
const RUSSIA: AgentEvent[] = [
  verdict({ round: 1 }),
  verdict({ round: 2, checks: [check(1, false)], valid: false, action: 'kept-invalid' }),
  verdict({
    round: 3,
    checks: [check(1, false), check(2, false)],
    valid: false,
    action: 'replaced',
    replacement: 'Russia (2018)',
  }),
  verdict({
    round: 4,
    checks: [check(1, true), check(2, false), check(3, false)],
    valid: false,
    action: 'kept-invalid',
    blocked: ['russia'],
  }),
  { t: 1, kind: 'candidate', round: 5, candidates: [candidate(true), candidate(false)] },
  verdict({ round: 5, text: 'France', blocked: ['russia'] }),
  verdict({
    round: 5,
    valid: false,
    action: 'replaced',
    replacement: 'France',
    blocked: ['russia'],
    // The answer is in a segment; a round's verdict has none.
    segment: 12,
  }),
];

describe('the clauses of STIE that fired', () => {
  it('are counted lag by lag, by what was done, and by what joined and left B', () => {
    expect(stieCounts(RUSSIA)).toMatchObject({
      answers: 5,
      answerLag1: 2,
      answerLag2: 2,
      answerLag3: 1,
      exempt: 0,
      replaced: 1,
      keptInvalid: 2,
      joinedBlocked: 1,
      removedBlocked: 1,
      finalReplaced: 1,
      queries: 0,
    });
  });

  it('an answer that fails (9) and passes by its support is exempt, a refused query is refused', () => {
    const counts = stieCounts([
      verdict({ checks: [check(1, false)], valid: true }),
      verdict({ over: 'query', checks: [check(1, false)], valid: true, segment: 3 }),
      verdict({
        over: 'query',
        checks: [check(3, false)],
        valid: false,
        action: 'refused',
        segment: 5,
      }),
    ]);
    expect(counts).toMatchObject({
      answers: 1,
      answerLag1: 1,
      exempt: 1,
      queries: 2,
      queryLag1: 1,
      queryLag3: 1,
      queriesExempt: 1,
      queriesRefused: 1,
    });
  });

  it.each([
    ['overlap-above', 'stopOverlapAbove'],
    ['overlap-below', 'stopOverlapBelow'],
    ['confidence', 'stopConfidence'],
    ['new-information', 'stopNewInformation'],
    ['repeated-queries', 'stopRepeatedQueries'],
  ] as const)('a stop by %s is one of %s', (rule, name) => {
    const counts = stieCounts([
      verdict({}),
      {
        t: 9,
        kind: 'stop',
        reason: 'stie-overlap',
        detail: '',
        clause: { rule, value: 1, threshold: 1 },
      },
    ]);
    expect(counts).toMatchObject({ [name]: 1, answers: 1 });
  });

  it('add up over rollouts; a rollout without STIE has none', () => {
    expect(stieCounts([{ t: 0, kind: 'think', text: 'a', phase: 'step' }])).toBeNull();
    expect(sumStieCounts([null, null])).toBeNull();
    expect(sumStieCounts([stieCounts(RUSSIA), null, stieCounts(RUSSIA)])).toMatchObject({
      answers: 10,
      replaced: 2,
      answerLag1: 4,
    });
  });

  it('are said in words that need no paper, those that are not 0', () => {
    const replaced = verdict({ checks: [check(2, false)], valid: false, action: 'replaced' });
    const words = (events: AgentEvent[]): string => {
      const counts = stieCounts(events);
      return counts ? stieText(counts) : '';
    };
    expect(words([replaced, replaced, verdict({})])).toBe(
      'checked 3 answers (1 new, 2 replaced, as a repeat or empty).',
    );
    expect(words([verdict({})])).toBe('checked 1 answer (all new).');
    const refused = verdict({
      over: 'query',
      checks: [check(1, false)],
      valid: false,
      action: 'refused',
    });
    expect(words([verdict({}), refused])).toBe(
      'checked 1 answer (all new) and 1 query: 0 allowed, 1 refused as a repeat.',
    );
    const first = verdict({ over: 'query' });
    const exempt = verdict({ over: 'query', checks: [check(1, false)], valid: true });
    expect(words([first, exempt])).toBe(
      'checked 2 queries: 2 allowed (1 repeat that asks something else, or another source).',
    );
    // One that is like two earlier ones is counted once.
    const twice = verdict({
      over: 'query',
      checks: [check(1, false), check(2, false)],
      valid: false,
      action: 'refused',
    });
    expect(words([first, exempt, first, twice])).toBe(
      'checked 4 queries: 3 allowed (1 repeat that asks something else, or another source), 1 refused as a repeat.',
    );
    const nothing = verdict({ valid: false, action: 'blocked', blocked: ['russia'] });
    expect(words([verdict({}), nothing])).toBe(
      'checked 2 answers (1 new, 1 without a candidate left). Answers: 1 blocked for coming back too often.',
    );
  });

  it('add up: those that are new and those that are alike are all that were judged', () => {
    const counts = stieCounts(RUSSIA);
    const sentence = counts ? (stieText(counts).split('.')[0] ?? '') : '';
    const [all, ...parts] = [...sentence.matchAll(/\d+/gu)].map(([count]) => Number(count));
    expect([all, parts]).toEqual([5, [2, 1, 2]]);
  });

  it('every one of them has words', () => {
    const none = Object.fromEntries(
      Object.keys(sumStieCounts([stieCounts(RUSSIA)]) ?? {}).map((name) => [name, 0]),
    ) as unknown as StieCounts;
    const before = stieText({ ...none, answers: 1, queries: 1 });
    // One that is like several earlier ones fails at several lags: these are not counts of answers or queries.
    const names = Object.keys(none).filter((name) => !/Lag\d/u.test(name));
    for (const name of names as (keyof StieCounts)[])
      expect(stieText({ ...none, answers: 1, queries: 1, [name]: 2 }), name).not.toBe(before);
  });
});
