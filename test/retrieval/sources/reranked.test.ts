import { describe, expect, it } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import { RerankedSource } from '../../../src/retrieval/open-local.ts';
import type { Source } from '../../../src/retrieval/sources.ts';

const hit = (id: string, score: number): Hit => ({
  passage: { id, title: id, text: id, sentences: [id] },
  score,
  source: 'local',
  lexicalRank: score,
});

/** Finds a, b, c, … in this order, and says how many it was asked for. */
function source(found: string) {
  const asked: number[] = [];
  const inner: Source = {
    name: 'local',
    search: (_, k) => {
      asked.push(k);
      return Promise.resolve({ hits: found.split('').map((id, i) => hit(id, i + 1)), requests: 2 });
    },
  };
  return { inner, asked };
}
const scoring = (scores: Readonly<Record<string, number>>) => ({
  id: 'scores',
  score: (_: string, passages: readonly { id: string }[]) =>
    Promise.resolve(passages.map(({ id }) => scores[id] ?? 0)),
});

describe('what a reranker orders', () => {
  it('are its own scores, best first; the ranks of the lists before stay', async () => {
    const { inner, asked } = source('abc');
    const reranked = new RerankedSource(inner, scoring({ a: 0.1, b: 0.9, c: 0.5 }), 3);
    const { hits, requests } = await reranked.search('q', 2);
    expect(hits.map(({ passage, score, lexicalRank }) => [passage.id, score, lexicalRank])).toEqual(
      [
        ['b', 0.9, 2],
        ['c', 0.5, 3],
      ],
    );
    expect(asked).toEqual([3]);
    expect(requests).toBe(2);
    expect(reranked.name).toBe('local');
  });

  it('are fifty passages unless told, and as many as are wanted', async () => {
    const { inner, asked } = source('ab');
    await new RerankedSource(inner, scoring({})).search('q', 5);
    await new RerankedSource(inner, scoring({}), 3).search('q', 8);
    expect(asked).toEqual([50, 8]);
  });

  it('keep their order where it finds them equal', async () => {
    const { inner } = source('dcba');
    const { hits } = await new RerankedSource(inner, scoring({ b: 1 })).search('q', 4);
    expect(hits.map(({ passage }) => passage.id).join('')).toBe('bdca');
  });

  it('come last where it gives no score', async () => {
    const { inner } = source('ab');
    const reranker = {
      id: 'x',
      score: () => Promise.resolve([undefined as unknown as number, -5]),
    };
    const { hits } = await new RerankedSource(inner, reranker).search('q', 2);
    expect(hits.map(({ passage }) => passage.id)).toEqual(['b', 'a']);
  });
});
