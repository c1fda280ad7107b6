import { describe, expect, it } from 'vitest';
import type { Hit } from '../../../src/records/hits.ts';
import type { Passage, Question } from '../../../src/records/records.ts';
import type { Curriculum } from '../../../src/learn/rl/contracts.ts';
import {
  curriculum,
  noiseRate,
  SearchRounds,
  SimulatedRetriever,
} from '../../../src/systems/zero-search/curriculum.ts';
import { getTraining } from '../../../src/systems/index.ts';
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
  passage: { id, title, text: id, sentences: [id], noise },
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

describe('ZeroSearch as released', () => {
  it('answers the j-th rollout that searches in a round for the batch’s j-th question', async () => {
    const rounds = new SearchRounds<string>();
    const [a, b, c] = ['A', 'B', 'C'].map((of) => rounds.join(of));
    // A answers without a search. C asks before B does, and is told only once B is there.
    const told: string[] = [];
    const ofC = c!.search().then((of) => told.push(`C: ${of}`));
    a!.leave();
    await Promise.resolve();
    expect(told).toEqual([]);
    expect(await b!.search()).toBe('A');
    await ofC;
    expect(told).toEqual(['C: B']);
    // In the second round C alone searches: it is the first of them.
    b!.leave();
    expect(await c!.search()).toBe('A');
    c!.leave();
    // The next batch counts from its own first.
    const next = rounds.join('D');
    expect(await next.search()).toBe('D');
  });

  it('answers each for its own where all search', async () => {
    const rounds = new SearchRounds<string>();
    const members = ['A', 'B', 'C'].map((of) => rounds.join(of));
    const found = await Promise.all(members.toReversed().map((member) => member.search()));
    expect(found).toEqual(['C', 'B', 'A']);
  });

  const curriculumOf = (simulator: 'by-place' | undefined): Curriculum => {
    const settings = { ...getTraining('zero-search/as-released'), steps: 1e9 };
    const other: Question = { id: 'p', text: 'Who?', answers: ['Nobody'], supporting: [] };
    const all = [question, other];
    // At a rate of nearly 0 in the first of many steps every search is useful.
    return curriculum({ simulator }, { settings, questions: all, retriever: base, seed: 1 });
  };
  /** What both rollouts of a batch find, the first of which is said to be over before, or searches as well. */
  const found = async (firstSearches: boolean, simulator?: 'by-place'): Promise<string[][]> => {
    const drawn = await curriculumOf(simulator).draw({ step: 0, batch: 0, count: 2 });
    const joined = drawn.map(({ agent }) => agent?.retriever?.join?.());
    if (!firstSearches) joined[0]?.leave();
    const asked = drawn.map(({ question: of, agent }, i) => ({
      id: of.id,
      retriever: joined[i]?.retriever ?? agent!.retriever!,
    }));
    const searching = firstSearches ? asked : asked.slice(1);
    const ids = async ({ id, retriever }: (typeof asked)[number]): Promise<string[]> => {
      const { hits } = await retriever.search('both', 'author of Old Wolf', 2);
      return [id, ...hits.map(({ passage }) => passage.id)];
    };
    return Promise.all(searching.map(ids));
  };

  it('may so tell the engine another question, whose gold it does not bring', async () => {
    const all = await found(true, 'by-place');
    const [own, others] = [
      ['q', 'gold', 'x1'],
      ['p', 'x1', 'x2'],
    ];
    expect(all).toHaveLength(2);
    expect(all).toEqual(expect.arrayContaining([own, others]));
    // The first answers at once: the second is asked for the first’s question.
    const second = all[1]?.[0];
    const [swapped] = await found(false, 'by-place');
    expect(swapped).toEqual(second === 'q' ? ['q', 'x1', 'x2'] : ['p', 'gold', 'x1']);
    // Not so otherwise: its own, whoever else searches.
    const plain = await found(false);
    expect(plain).toEqual([second === 'q' ? own : others]);
  });
});
