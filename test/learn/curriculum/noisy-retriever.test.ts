import { describe, expect, it } from 'vitest';
import { NoisyRetriever } from '../../../src/learn/curriculum/noisy-retriever.ts';
import type { Passage } from '../../../src/records/records.ts';
import type { Retrieval, Retriever } from '../../../src/retrieval/retriever.ts';
import { hit, passage } from '../../fixtures/rollouts.ts';

/** A source that ranks these passages, whatever it is asked. */
class Ranked implements Retriever {
  readonly asked: [string, string, number, boolean][] = [];

  constructor(private readonly passages: readonly Passage[]) {}

  search(source: string, query: string, k: number, signal?: AbortSignal): Promise<Retrieval> {
    this.asked.push([source, query, k, signal !== undefined]);
    const hits = this.passages.slice(0, k).map(hit);
    return Promise.resolve({ hits, latencyMs: 7, addedDelayMs: 1 } as unknown as Retrieval);
  }
}

const plain = (count: number): Passage[] =>
  Array.from({ length: count }, (_, i) => passage(`p${i}`, `T${i}`, `text ${i}`));
const noisy = (id: string, title = id): Passage => ({
  ...passage(id, title, 'other'),
  noise: 'stale',
});

async function shown(
  passages: readonly Passage[],
  k: number,
  options: { strength?: number; supporting?: string[]; seed?: number } = {},
): Promise<{ ids: string[]; asked: Ranked['asked']; latencyMs: number }> {
  const base = new Ranked(passages);
  const { strength = 1, supporting = [], seed = 3 } = options;
  const retriever = new NoisyRetriever(base, { strength, seed, supporting });
  const signal = new AbortController().signal;
  const { hits, latencyMs } = await retriever.search('local', 'who', k, signal);
  return { ids: hits.map((each) => each.passage.id), asked: base.asked, latencyMs };
}

describe('noise in the place of every passage', () => {
  it('is looked for twice as deep and eight passages more', async () => {
    const { ids, asked, latencyMs } = await shown(plain(30), 3);
    expect(ids).toEqual(['p3', 'p4', 'p5']);
    expect(asked).toEqual([
      ['local', 'who', 3, true],
      ['local', 'who', 14, true],
    ]);
    // Those of the undisturbed call.
    expect(latencyMs).toBe(7);
  });

  it('is what is known to be noise first, then by rank', async () => {
    const passages = [...plain(5), noisy('stale'), passage('last', 'Last', 'x'), noisy('older')];
    expect((await shown(passages, 4)).ids).toEqual(['stale', 'older', 'p4', 'last']);
  });

  it('is nothing that supports the question, but for stale news of it', async () => {
    const passages = [...plain(4), noisy('old', 'T3'), passage('end', 'End', 'x')];
    const { ids } = await shown(passages, 2, { supporting: ['T2', 'T3'] });
    expect(ids).toEqual(['old', 'end']);
  });

  it('leaves what stands there where there is no other', async () => {
    expect((await shown(plain(4), 3)).ids).toEqual(['p3', 'p1', 'p2']);
    expect((await shown(plain(3), 3)).ids).toEqual(['p0', 'p1', 'p2']);
  });
});

it('no noise at all is one search', async () => {
  const { ids, asked } = await shown(plain(9), 3, { strength: 0 });
  expect([ids, asked.length]).toEqual([['p0', 'p1', 'p2'], 1]);
});

it('some noise leaves the other passages at their places', async () => {
  // Over many seeds each place is replaced in about half of the calls.
  const counts = [0, 0, 0];
  for (let seed = 0; seed < 200; seed++) {
    const { ids } = await shown(plain(20), 3, { strength: 0.5, seed });
    const fresh = ids.filter((id) => !['p0', 'p1', 'p2'].includes(id));
    expect(fresh).toEqual(['p3', 'p4', 'p5'].slice(0, fresh.length));
    ids.forEach((id, place) => {
      if (id !== `p${place}`) counts[place] = (counts[place] ?? 0) + 1;
    });
  }
  for (const count of counts) expect(Math.abs(count - 100)).toBeLessThan(30);
});
