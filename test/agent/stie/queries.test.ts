import { describe, expect, it } from 'vitest';
import { judgeQuery, type QueryContext } from '../../../src/agent/stie/queries.ts';

const DELTAS = [0.25, 0.5, 0.75] as const;
const context = (history: string[], change: Partial<QueryContext> = {}): QueryContext => ({
  history,
  nameWords: new Set(['old', 'wolf', 'victor', 'kerlund', 'estdor']),
  retryAfterMiss: false,
  ...change,
});
const judge = (query: string, c: QueryContext, mode: 'paper' | 'corrected') =>
  judgeQuery(query, c, { mode, tokens: 'sets', thresholds: DELTAS });

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
      reason: 'shares words with an earlier query, but names or asks something else',
    });
  });

  it('still refuses the words of an earlier query in another order or cut short', () => {
    const history = context(['author of Old Wolf', 'spouse of Victor']);
    expect(judge('Old Wolf author', history, 'corrected').action).toBe('refused');
    expect(judge('of Old Wolf', history, 'corrected').action).toBe('refused');
  });

  it('lets a query be repeated after a miss where another source remains, when corrected', () => {
    const missed = context(['author of Old Wolf'], { retryAfterMiss: true });
    expect(judge('author of Old Wolf', missed, 'corrected').action).toBe('kept');
    expect(judge('author of Old Wolf', missed, 'paper').action).toBe('refused');
  });
});
