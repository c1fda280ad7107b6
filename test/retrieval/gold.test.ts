import { describe, expect, it } from 'vitest';
import type { Hit } from '../../src/records/hits.ts';
import type { Question } from '../../src/records/records.ts';
import { GoldRetriever, GoldSearches } from '../../src/retrieval/gold.ts';
import type { Retriever } from '../../src/retrieval/retriever.ts';

const hit = (id: string): Hit => ({
  passage: { id, title: id, text: `${id}.`, sentences: [`${id}.`] },
  score: 1,
  source: 'local',
});
const step = (passageId: string) => ({
  subject: 's',
  relation: 'r',
  object: 'o',
  title: passageId,
  passageId,
  query: 'q',
});
const question: Question = {
  id: 'q1',
  text: 'Where?',
  answers: ['o'],
  supporting: ['g1', 'g2'],
  chain: [step('g1'), step('g2'), step('g1')],
};
const base: Retriever = {
  search: (source, query, k) =>
    Promise.resolve({
      query,
      source,
      hits: ['x1', 'g2', 'x2', 'x3', 'x4', 'x5'].slice(0, k).map(hit),
      latencyMs: 1,
      addedDelayMs: 0,
    }),
};
const passages = new Map(['g1', 'g2'].map((id) => [id, hit(id)]));
const ids = async (k: number) => {
  const { hits } = await new GoldRetriever(base, question, passages).search('both', 'Where?', k);
  return hits.map(({ passage }) => passage.id);
};

describe('a retriever that knows what a question needs', () => {
  it('gives each gold passage once and fills up with what was found', async () => {
    expect((await ids(5)).toSorted()).toEqual(['g1', 'g2', 'x1', 'x2', 'x3']);
  });
  it('gives all gold passages where fewer are asked for', async () => {
    expect((await ids(1)).toSorted()).toEqual(['g1', 'g2']);
  });
  it('orders them by the question, not by what is gold, and always the same', async () => {
    expect(await ids(5)).toEqual(await ids(5));
    const orders = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const one = new GoldRetriever(base, { ...question, id: `q${i}` }, passages);
        const { hits } = await one.search('both', 'Where?', 5);
        return hits.findIndex(({ passage }) => passage.id === 'g1');
      }),
    );
    expect(new Set(orders).size).toBeGreaterThan(2);
  });
});

describe('the same as results of searches', () => {
  const searches = async (of: Question, n: number): Promise<string[][]> => {
    const retriever = new GoldSearches(base, of, passages);
    const results: string[][] = [];
    for (let i = 0; i < n; i++) {
      const { hits } = await retriever.search('both', `query ${i}`, 3);
      results.push(hits.map(({ passage }) => passage.id).toSorted());
    }
    return results;
  };
  it('each brings one more passage of the chain among what it finds, behind the last that one again', async () => {
    expect(await searches(question, 3)).toEqual([
      ['g1', 'g2', 'x1'],
      ['g2', 'x1', 'x2'],
      ['g2', 'x1', 'x2'],
    ]);
  });
  it('bring what is found where a question has no chain', async () => {
    const { chain: _chain, ...without } = question;
    expect(await searches(without, 1)).toEqual([['g2', 'x1', 'x2']]);
  });
  it('count for one rollout: the next one begins at the first step', async () => {
    expect(await searches(question, 1)).toEqual(await searches(question, 1));
  });
});
