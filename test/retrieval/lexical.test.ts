import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LexicalIndex } from '../../src/retrieval/lexical.ts';
import { corpora, passage, queries } from './passages.ts';

const ids = (index: LexicalIndex, query: string, k = 10): string[] =>
  index.search(query, k).map(({ passage: { id } }) => id);

describe('the lexical index', () => {
  it('puts a passage about the film before passages that mention it', () => {
    const index = new LexicalIndex([
      passage('a', 'Mara Voss', 'Mara Voss directed Silent Harbor.'),
      passage('b', 'Silent Harbor', 'Silent Harbor was directed by Mara Voss.'),
      passage('c', 'Quiet Harbor', 'Quiet Harbor is a film.'),
    ]);
    expect(ids(index, 'silent harbor director')[0]).toBe('b');
    expect(ids(index, 'SÍLENT')).toEqual(['b', 'a']);
  });

  it('orders equal scores by id', () => {
    const texts = ['p3', 'p1', 'p2'].map((id) => passage(id, 'Harbor', 'A harbor.'));
    expect(ids(new LexicalIndex(texts), 'harbor')).toEqual(['p1', 'p2', 'p3']);
  });

  it('finds nothing where no term is shared', () => {
    const index = new LexicalIndex([passage('a', 'Silent Harbor', 'A film.')]);
    expect(ids(index, 'zzz')).toEqual([]);
    expect(ids(index, '')).toEqual([]);
  });

  it('returns only passages that share a term, in one order whatever the order of the corpus', () => {
    fc.assert(
      fc.property(corpora, queries, (corpus, query) => {
        const order = ids(new LexicalIndex(corpus), query);
        expect(order.length).toBeLessThanOrEqual(10);
        expect(ids(new LexicalIndex([...corpus].reverse()), query)).toEqual(order);
      }),
      { numRuns: 50 },
    );
  });
});
