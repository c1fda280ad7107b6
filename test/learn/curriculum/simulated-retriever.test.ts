import { describe, expect, it } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import type { Passage, Question } from '../../../src/records/records.ts';
import {
  noiseRate,
  SimulatedRetriever,
} from '../../../src/learn/curriculum/simulated-retriever.ts';
import type { Retriever } from '../../../src/retrieval/retriever.ts';

const SCHEDULE = { start: 0, end: 0.5, base: 4 };

describe('the noise of a simulated engine', () => {
  it('rises as the paper says: 0.0690, 0.1667, and 0.5 from the last step on', () => {
    expect(noiseRate(50, 200, SCHEDULE)).toBeCloseTo(0.069, 4);
    expect(noiseRate(100, 200, SCHEDULE)).toBeCloseTo(0.1667, 4);
    expect([0, 200, 300].map((step) => noiseRate(step, 200, SCHEDULE))).toEqual([0, 0.5, 0.5]);
  });
});

const hit = (id: string, title: string, noise?: Passage['noise']): Hit => ({
  passage: { id, title, text: id, sentences: [id], ...(noise && { noise }) },
  score: 1,
  source: 'local',
});
const GOLD = hit('gold', 'Old Wolf');
const CORPUS = [
  hit('x1', 'Old Wolves'),
  hit('x2', 'Notes', 'contradicting'),
  hit('x3', 'Young Wolf'),
  hit('x4', 'Grey Wolf'),
  GOLD,
];
/** Finds the gold passage by its title alone. */
const base: Retriever = {
  search: (source, query, k) =>
    Promise.resolve({
      query,
      source,
      hits: (query === 'Old Wolf' ? CORPUS : CORPUS.slice(0, 4)).slice(0, k),
      latencyMs: 1,
      addedDelayMs: 0,
    }),
};
const question: Question = {
  id: 'q',
  text: 'Who wrote Old Wolf?',
  answers: ['Kerlund'],
  supporting: ['Old Wolf'],
  chain: [
    {
      subject: 'Old Wolf',
      relation: 'book.author',
      object: 'Kerlund',
      title: 'Old Wolf',
      passageId: 'gold',
      query: 'author of Old Wolf',
    },
  ],
};
const ids = async (rate: number, query = 'author of Old Wolf', seed = 1) => {
  const retriever = new SimulatedRetriever(base, question, rate, seed);
  return (await retriever.search('both', query, 2)).hits.map(({ passage }) => passage.id);
};

describe('a simulated engine', () => {
  it('brings what the step needs, though the index did not', async () => {
    expect(await ids(0)).toEqual(['gold', 'x1']);
  });
  it('brings noise at rate 1, known noise first', async () => {
    const shown = await ids(1);
    expect(shown).toContain('x3');
    expect(shown).not.toContain('gold');
  });
  it('is an ordinary index for a query that is like no step', async () => {
    expect(await ids(0, 'weather')).toEqual(['x1', 'x2']);
  });
  it('draws once a query, at the rate that it is told', async () => {
    let noisy = 0;
    for (let seed = 0; seed < 400; seed++) {
      const shown = await ids(0.25, 'author of Old Wolf', seed);
      expect(await ids(0.25, 'author of Old Wolf', seed)).toEqual(shown);
      if (!shown.includes('gold')) noisy++;
    }
    // Binomial, n 400, p 0.25: mean 100, deviation 8.7.
    expect(Math.abs(noisy - 100)).toBeLessThan(35);
  });
});
