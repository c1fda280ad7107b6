import { describe, expect, it } from 'vitest';
import type { SearchTarget } from '../../../src/records/hits.ts';
import { judgeQuery, type QueryContext } from '../../../src/agent/stie.ts';

const DELTAS = [0.25, 0.5, 0.75] as const;
const context = (history: string[], change: Partial<QueryContext> = {}): QueryContext => ({
  history: history.map((query) => ({ query, source: 'both' })),
  nameWords: new Set(['old', 'wolf', 'victor', 'kerlund', 'estdor']),
  reachable: [],
  ...change,
});
const judge = (query: string, c: QueryContext, mode: 'paper' | 'corrected') =>
  judgeQuery(query, c, { mode, tokens: 'sets', thresholds: DELTAS }).verdict;

describe('STIE over queries', () => {
  it('refuses a query that repeats one of the last three', () => {
    for (const mode of ['paper', 'corrected'] as const) {
      const verdict = judge('Author of old wolf', context(['author of Old Wolf']), mode);
      expect(verdict).toMatchObject({ action: 'refused', aggDiff: 0 });
      expect(verdict.reason).toBe('differs 0.00 from the last query, needs 0.25');
    }
  });

  it('lets the next hop pass in corrected mode; the printed thresholds refuse it', () => {
    // {employer, of, victor, kerlund} shares 3 of 4 words with the first: 0.25, and lag 3 needs 0.75.
    const relation = context(['spouse of Victor Kerlund', 'x y', 'z w']);
    expect(judge('employer of Victor Kerlund', relation, 'paper').action).toBe('refused');
    expect(judge('employer of Victor Kerlund', relation, 'corrected').action).toBe('kept');
    // {author, of, wolf} shares 2 of 3 with the second last: 0.33, and lag 2 needs 0.5.
    const name = context(['author of Estdor', 'x y']);
    expect(judge('author of Wolf', name, 'paper').action).toBe('refused');
    expect(judge('author of Wolf', name, 'corrected')).toMatchObject({
      action: 'kept',
      reason: 'shares words with an earlier query, but asks for something else, or more widely',
    });
  });

  it('still refuses the words of an earlier query in another order, or with few more', () => {
    const history = context(['author of Old Wolf', 'spouse of Victor']);
    expect(judge('Old Wolf author', history, 'corrected').action).toBe('refused');
    expect(judge('the author of the Old Wolf', history, 'corrected').action).toBe('refused');
  });

  it('lets a wider query pass, when corrected, once', () => {
    const once = context(['author of Old Wolf', 'spouse of Victor']);
    expect(judge('Old Wolf', once, 'corrected').action).toBe('kept');
    expect(judge('Old Wolf', once, 'paper').action).toBe('refused');
    const twice = context(['author of Old Wolf', 'Old Wolf']);
    expect(judge('Old Wolf', twice, 'corrected').action).toBe('refused');
    // Nor the first one again, which is narrower than the last and all of the one before.
    expect(judge('Old Wolf author', twice, 'corrected').action).toBe('refused');
  });

  it('lets a query be repeated to the source that has not answered it, when corrected', () => {
    const rules = { mode: 'corrected', tokens: 'sets', thresholds: DELTAS } as const;
    const asked = (...sources: SearchTarget[]): QueryContext =>
      context([], {
        history: sources.map((source) => ({ query: 'author of Old Wolf', source })),
        reachable: ['local', 'web'],
      });
    const once = judgeQuery('Old Wolf author', asked('local'), rules);
    expect(once).toMatchObject({ only: 'web', verdict: { action: 'kept', aggDiff: 0 } });
    expect(once.verdict.reason).toBe('repeats a query, but web was not asked it yet');
    expect(judgeQuery('Old Wolf author', asked('web'), rules).only).toBe('local');
    for (const sources of [['local', 'web'], ['both'], ['web', 'both']] as const) {
      const judged = judgeQuery('Old Wolf author', asked(...sources), rules);
      expect(judged).toMatchObject({ only: null, verdict: { action: 'refused' } });
    }
    const fixed = { ...asked('local'), reachable: [] };
    expect(judgeQuery('Old Wolf author', fixed, rules).verdict.action).toBe('refused');
    expect(judge('Old Wolf author', asked('local'), 'paper').action).toBe('refused');
  });

  it('counts only the sources of queries that it repeats, not of those it resembles', () => {
    const history = [
      { query: 'author of Old Wolf', source: 'local' },
      { query: 'author of Old Estdor', source: 'web' },
    ] as const;
    const judged = judgeQuery(
      'author of Old Estdor',
      context([], { history, reachable: ['local', 'web'] }),
      { mode: 'corrected', tokens: 'sets', thresholds: DELTAS },
    );
    // Fails against both, lag 1: 0, lag 2: 0.25 < 0.5; only the web answered these words.
    expect(judged.verdict.checks.map((check) => check.passed)).toEqual([false, false]);
    expect(judged.only).toBe('local');
  });

  it('takes a name that no passage holds for a name: the query was never made', () => {
    // {birth, year, of, ann, brandt} shares 4 of 5 words: 0.2, and lag 1 needs 0.25.
    const asked = context(['birth year of Ann Kerlund']);
    expect(judge('birth year of Ann Brandt', asked, 'paper').action).toBe('refused');
    expect(judge('birth year of Ann Brandt', asked, 'corrected')).toMatchObject({
      aggDiff: expect.closeTo(0.2, 12),
      action: 'kept',
      reason: 'shares words with an earlier query, but asks for something else, or more widely',
    });
  });
});
