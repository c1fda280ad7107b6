import { describe, expect, it } from 'vitest';
import { hopMap } from '../../../src/evaluate/rollouts/hops.ts';
import { readFactsOf } from '../../../src/evaluate/rollouts/lint/facts.ts';
import { endOfRow, rowOf } from '../../../src/evaluate/rollouts/row.ts';
import { flowOf, whyOf, type Why } from '../../../src/evaluate/rollouts/why.ts';
import { compileFilter } from '../../../src/evaluate/rollouts/filter/match.ts';
import { parseFilter } from '../../../src/evaluate/rollouts/filter/parse.ts';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import { BORN, CHAIN, FILM, imported, RAIN, searched, STALE } from './hops/rollout.ts';

const why = (rollout: ImportedRollout): Why | null =>
  whyOf(rollout, readFactsOf(rollout), hopMap(rollout));

const first = { query: 'director of Red Fog', hits: [FILM] };
const born = { query: 'Ida Holm', source: 'web', hits: [BORN] } as const;

describe('why a rollout is wrong', () => {
  it('is nothing of a right one, and unknown without gold answers', () => {
    expect(why(searched([first, born], 'Oslo'))).toEqual({ end: 'right', sentence: null });
    expect(why(searched([first], 'Oslo', { answers: [] }))).toBeNull();
  });

  it('names the first hop that failed, and how', () => {
    expect(why(searched([first], 'Rome'))).toEqual({
      end: 'not-asked',
      sentence:
        'The second hop was not searched: no query named “Ida Holm”. The answer says “Rome”, gold is “Oslo”.',
    });
    expect(why(searched([first, { ...born, source: 'local', hits: [STALE] }], 'Bergen'))).toEqual({
      end: 'not-found',
      sentence:
        'The second hop was searched in the wrong source: “Ida Holm” is in the web. The answer says “Bergen”, gold is “Oslo”.',
    });
    expect(why(searched([first, { ...born, hits: [RAIN] }], null))).toEqual({
      end: 'not-found',
      sentence:
        'The second hop was searched once and “Ida Holm” did not come. No answer was given, gold is “Oslo”.',
    });
    expect(why(searched([first, born], 'Rome'))).toEqual({
      end: 'not-read',
      sentence:
        'The second hop’s passage was found and misread: it says “Oslo”, the answer says “Rome”.',
    });
    expect(why(searched([first, { ...born, hits: [STALE, BORN] }], 'Bergen'))?.sentence).toMatch(
      /misread: it says “Oslo”, the policy took an older passage’s “Bergen”\./,
    );
  });

  it('is the answer alone where every hop was read', () => {
    const thought = [first, born, { think: 'so Oslo it is', query: 'more', hits: [RAIN] }];
    expect(why(searched(thought, 'Rome'))).toEqual({
      end: 'not-answered',
      sentence: 'Every passage was found; the answer says “Rome”, gold is “Oslo”.',
    });
    expect(why(searched([first, born], 'in Oslo, Norway'))?.sentence).toBe(
      'The answer holds “Oslo” and says more: “in Oslo, Norway” is wrong only by EM.',
    );
  });

  it('is decided by the results where a file has no chain', () => {
    const bare = { supporting: [] };
    const of = (steps: Parameters<typeof searched>[0], answer: string | null) =>
      why(imported(searched(steps, answer), bare));
    expect(of([], 'Rome')).toEqual({
      end: 'not-asked',
      sentence: 'Nothing was searched; the answer says “Rome”, gold is “Oslo”.',
    });
    expect(of([{ ...born, hits: [RAIN] }], 'Rome')).toEqual({
      end: 'not-found',
      sentence: '1 search found nothing with “Oslo”; the answer says “Rome”.',
    });
    expect(of([first, born], 'Rome')).toEqual({
      end: 'not-read',
      sentence: 'Result 2 of 2 holds “Oslo”; the answer says “Rome”.',
    });
    expect(of([first, born, { think: 'Oslo', query: 'x', hits: [RAIN] }], 'Rome')?.end).toBe(
      'not-answered',
    );
  });

  it('is only the answer where the question has all that is needed', () => {
    const sum = { type: 'computation', supporting: [], answers: ['12'] };
    const of = (answer: string | null) => why(imported(searched([], answer), sum));
    expect(of('11')).toEqual({
      end: 'not-answered',
      sentence: 'The answer says “11”, gold is “12”.',
    });
    expect(of(null)).toEqual({
      end: 'not-answered',
      sentence: 'No answer was given, gold is “12”.',
    });
  });

  it('goes by the judge where there is one', () => {
    const judged = {
      ...searched([first], 'The Norwegian capital'),
      judge: { verdict: true, by: 'j' },
    };
    expect(why(judged)?.end).toBe('right-unread');
  });
});

describe('what is right without evidence', () => {
  const plain = (answer: string, answers: string[], shown: boolean): ImportedRollout => {
    const { segments, events: _, ...rest } = searched(shown ? [first] : [], answer, { answers });
    const { chain: __, ...question } = rest.question;
    return { ...rest, question, segments };
  };

  it('has not passed the stages: nothing that it read says so', () => {
    expect(why(searched([first], 'Oslo'))).toEqual({ end: 'right-unread', sentence: null });
    expect(why(plain('Oslo', ['Oslo'], false))?.end).toBe('right-unread');
    expect(why(searched([first, born], 'Oslo'))?.end).toBe('right');
  });

  it('of a yes or no it is said only where nothing was read at all', () => {
    expect(why(plain('yes', ['yes'], true))?.end).toBe('right');
    expect(why(plain('yes', ['yes'], false))?.end).toBe('right-unread');
  });
});

describe('searches', () => {
  it('are the searches of the record where it has them, else the written queries', () => {
    const own = searched([first, { ...born, refused: true }], 'Rome');
    const made = own.events?.filter(({ kind }) => kind === 'retrieve').length;
    expect(readFactsOf(own).searches).toBe(made);
    // A pipeline searches by the question itself: the policy writes no query.
    const pipeline = {
      ...own,
      segments: own.segments.filter(({ role }) => role !== 'search'),
    };
    expect(readFactsOf(pipeline).searches).toBe(made);
    const { events: _, ...foreign } = own;
    expect(readFactsOf(foreign).searches).toBe(2);
  });
});

describe('the flow', () => {
  it('counts at each stage what came through, so that losses and the right add up to all', () => {
    const ends = [
      'right',
      'right',
      'right-unread',
      'not-asked',
      'not-found',
      'not-found',
      'not-read',
      null,
    ] as const;
    expect(flowOf(ends)).toEqual({
      all: 7,
      asked: 5,
      found: 3,
      read: 2,
      right: 2,
      lost: { 'not-asked': 1, 'not-found': 2, 'not-read': 1, 'not-answered': 0 },
      unread: 1,
      undetermined: 1,
    });
  });

  it('opens its cases by the filter, also of rows that were stored without a stage', () => {
    const row = rowOf(searched([first], 'Rome'));
    const passes = compileFilter(parseFilter('ended = not-asked'));
    expect(passes.row(row)).toBe(true);
    const { ended: _, ...older } = { ...row, outcome: 'not-retrieved' as const };
    expect(endOfRow(older)).toBe('not-found');
    // An earlier version let every right one pass all stages.
    expect(endOfRow({ ended: 'right', outcome: 'right-without-evidence' })).toBe('right-unread');
    expect(endOfRow({ ended: 'right', outcome: 'right-closed' })).toBe('right');
    expect(passes.row(older)).toBe(false);
    expect(compileFilter(parseFilter('ended = not-found')).row(older)).toBe(true);
    expect(row).toMatchObject({ gold: 'Oslo', hops: ['arrived', 'not-searched'] });
    expect(row.hops).toHaveLength(CHAIN.length);
  });
});
