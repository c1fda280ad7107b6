import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import MiniSearch from 'minisearch';
import type { Passage } from '../../../src/records/records.ts';
import { LexicalIndex } from '../../../src/retrieval/lexical/lexical.ts';
import { terms } from '../../../src/retrieval/lexical/text.ts';
import { corpora, passage, queries } from '../passages.ts';

const ids = (index: LexicalIndex, query: string, k = 10): string[] =>
  index.search(query, k).map(({ passage: { id } }) => id);

/**
 * BM25+ straight from its definition: k1 1.2, b 0.7, δ 0.5, title twice; lengths are numbers of
 * different terms; the sum is multiplied by how many words of the query a passage has. Libraries are no
 * oracle for it: rank_bm25 and bm25s know no fields, and minisearch counts document frequencies by field.
 */
function byDefinition(corpus: readonly Passage[], query: string): Map<Passage, number> {
  const documents = corpus.map((one) => ({ one, fields: [terms(one.title), terms(one.text)] }));
  const means = [0, 1].map(
    (field) =>
      documents.reduce((sum, { fields }) => sum + new Set(fields[field]).size, 0) / corpus.length,
  );
  const asked = terms(query);
  const idf = (word: string): number => {
    const df = documents.filter(({ fields }) => fields.flat().includes(word)).length;
    return Math.log(1 + (corpus.length - df + 0.5) / (df + 0.5));
  };
  const scores = new Map<Passage, number>();
  for (const { one, fields } of documents) {
    const matched = new Set(asked.filter((word) => fields.flat().includes(word))).size;
    let sum = 0;
    for (const word of asked)
      for (const [field, words] of fields.entries()) {
        const tf = words.filter((other) => other === word).length;
        const norm = 1.2 * (1 - 0.7 + (0.7 * new Set(words).size) / means[field]!);
        if (tf > 0) sum += (field === 0 ? 2 : 1) * idf(word) * (0.5 + (tf * 2.2) / (tf + norm));
      }
    if (matched > 0) scores.set(one, sum * matched);
  }
  return scores;
}

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

  it('scores as the sum over the definition does, with the IDF of whole passages', () => {
    fc.assert(
      fc.property(corpora, queries, (corpus, query) => {
        // A word that is in a query twice scores twice.
        const asked = `${query} ${query.split(' ')[0]}`;
        const wanted = byDefinition(corpus, asked);
        const index = new LexicalIndex(corpus);
        const found = index.search(asked, corpus.length);
        expect(found).toHaveLength(wanted.size);
        for (const { passage: hit, score } of found) {
          expect(score).toBeCloseTo(wanted.get(hit)!, 9);
          expect(index.scoreOf(asked, hit)).toBeCloseTo(score, 9);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('scores as minisearch does where no word stands in both fields', () => {
    // Per field and per passage the IDF is then the same, so minisearch computes the same scores.
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
      fc.property(corpora, queries, (mixed, query) => {
        const corpus = mixed.map((one) =>
          passage(one.id, one.title.replace(/\w+/g, 'T$&'), one.text),
        );
        const asked = `${query} ${query.replace(/\w+/g, 'T$&')} ${query.split(' ')[0]}`;
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

  it('counts a word in title and text of one passage once: a worked score', () => {
    // "harbor" is in 2 of 3 passages (3 fields), "film" in 2. Lengths are 1, 1, 1 and 2, 3, 1 terms:
    // means 1 and 2. IDF of both: ln(1 + (3 − 2 + ½) / (2 + ½)) = ln 1.6 = 0.4700036292.
    const index = new LexicalIndex([
      passage('a', 'Harbor', 'Harbor film'),
      passage('b', 'River', 'A harbor film'),
      passage('c', 'Bow', 'Violin'),
    ]);
    // a, title: 2 · IDF · (½ + 2.2 / (1 + 1.2)) = 3 IDF. a, text, length = mean: 1.5 IDF for each word.
    // Two words found: (3 + 1.5 + 1.5) · IDF · 2 = 12 IDF = 5.6400435509.
    const [first, second] = index.search('harbor film', 3);
    expect(first).toMatchObject({ passage: { id: 'a' } });
    expect(first?.score).toBeCloseTo(5.6400435509, 9);
    // b: norm 1.2 · (0.3 + 0.7 · 3 / 2) = 1.62; each word ½ + 2.2 / 2.62 = 1.3396946565; twice, times 2.
    expect(second?.score).toBeCloseTo(4 * 1.3396946565 * 0.4700036292, 8);
  });

  it('does not let a title win by a word of the question that is rare in titles alone', () => {
    const corpus = [
      passage('speech', 'In the State of the Union', 'A speech that presidents give every year.'),
      passage('river', 'Platte', 'The Platte is long and ends in the state of Nebraska.'),
      ...Array.from({ length: 30 }, (_, i) =>
        passage(
          `p${i}`,
          `Town ${i}`,
          `It is a town in the middle of the state, by the river ${i}.`,
        ),
      ),
    ];
    const asked = 'Where in the state of Nebraska is the end of the river Platte?';
    expect(ids(new LexicalIndex(corpus), asked)[0]).toBe('river');
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
