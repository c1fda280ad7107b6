import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import MiniSearch from 'minisearch';
import type { Passage } from '../../src/data/records.ts';
import { LexicalIndex } from '../../src/retrieval/lexical.ts';
import { terms } from '../../src/retrieval/text.ts';
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

  it('scores as minisearch does, also words that stand in a query twice', () => {
    const reference = (corpus: readonly Passage[]): MiniSearch => {
      const index = new MiniSearch({
        fields: ['title', 'text'],
        tokenize: terms,
        processTerm: (term) => term,
        searchOptions: { boost: { title: 2 }, combineWith: 'OR' },
      });
      for (const [id, { title, text }] of corpus.entries()) index.add({ id, title, text });
      return index;
    };
    fc.assert(
      fc.property(corpora, queries, (corpus, query) => {
        const asked = `${query} ${query.split(' ')[0]}`;
        const wanted = new Map(
          reference(corpus)
            .search(asked)
            .map(({ id, score }) => [corpus[Number(id)], score]),
        );
        const found = new LexicalIndex(corpus).search(asked, corpus.length);
        expect(found).toHaveLength(wanted.size);
        for (const { passage: hit, score } of found) expect(score).toBeCloseTo(wanted.get(hit)!, 9);
      }),
      { numRuns: 100 },
    );
  });

  it('is the same built at once and by turns, and can be stopped', async () => {
    const corpus = Array.from({ length: 300 }, (_, n) =>
      passage(`p${n}`, `Harbor ${n % 7}`, `A harbor with ${n % 13} boats in ${n}.`),
    );
    const told: number[] = [];
    const built = await LexicalIndex.build(corpus, {}, { onProgress: (done) => told.push(done) });
    const query = 'harbor 5 with 3 boats';
    expect(built.search(query, 20)).toEqual(new LexicalIndex(corpus).search(query, 20));
    expect(told.at(-1)).toBe(300);
    const stopped = LexicalIndex.build(corpus, {}, { signal: AbortSignal.abort(new Error('no')) });
    await expect(stopped).rejects.toThrow('no');
  });
});
