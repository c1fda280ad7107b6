import { expect, test } from 'vitest';
import { LiveClusters } from '../../../src/retrieval/cluster/live.ts';
import type {
  ClusterIndex,
  LearnedSampling,
} from '../../../src/retrieval/cluster/cluster-index.ts';
import type { TracedNeighbours } from '../../../src/retrieval/cluster/trace.ts';

/** An index that says how often it was asked, and learns its number of queries. */
function index() {
  const state = { queries: 0, learned: null as unknown };
  const found = (): TracedNeighbours =>
    ({
      neighbours: [{ index: 1, similarity: 1 }],
      trace: {
        query: state.queries++,
        temperature: 1.2,
        candidates: 30,
        clusters: [
          { cluster: 4, candidates: 9, results: 1 },
          { cluster: 3, candidates: 9, results: 0 },
          { cluster: 2, candidates: 9, results: 1 },
          { cluster: 1, candidates: 9, results: 2 },
          ...[5, 6, 7, 8].map((cluster) => ({ cluster, candidates: 1, results: 1 })),
        ],
      },
    }) as unknown as TracedNeighbours;
  return {
    state,
    of: {
      trace: found,
      get learned() {
        return { queries: state.queries } as unknown as LearnedSampling;
      },
      learn: (learned: unknown) => void (state.learned = learned),
    } as unknown as ClusterIndex,
  };
}

const vector = Float32Array.of(1);

test('a query is remembered with the six clusters that gave most, ties by number', () => {
  const live = new LiveClusters(index().of, { stored: true, openedMs: 5, keep: null });
  expect([live.stored, live.openedMs, live.kept, live.changes]).toEqual([true, 5, false, 0]);
  live.search('who?', vector, 5);
  expect(live.recent).toEqual([
    {
      query: 0,
      text: 'who?',
      temperature: 1.2,
      candidates: 30,
      results: 1,
      sources: [
        { cluster: 1, candidates: 9, results: 2 },
        { cluster: 2, candidates: 9, results: 1 },
        { cluster: 4, candidates: 9, results: 1 },
        { cluster: 5, candidates: 1, results: 1 },
        { cluster: 6, candidates: 1, results: 1 },
        { cluster: 7, candidates: 1, results: 1 },
      ],
    },
  ]);
});

test('the last fifty queries, the latest first', () => {
  const live = new LiveClusters(index().of, { stored: false, openedMs: 0, keep: null });
  for (let i = 0; i < 51; i++) live.search(`q${i}`, vector, 1);
  expect(live.recent).toHaveLength(50);
  expect([live.recent[0]?.text, live.recent.at(-1)?.text]).toEqual(['q50', 'q1']);
  expect(live.changes).toBe(51);
});

test('what was learned is forgotten and brought back once, with the queries of then', () => {
  const { state, of } = index();
  const kept: LearnedSampling[] = [];
  const live = new LiveClusters(of, {
    stored: false,
    openedMs: 0,
    keep: (learned) => void kept.push(learned()),
  });
  expect(live.kept).toBe(true);
  live.recall();
  expect([live.changes, live.recallable]).toEqual([0, false]);
  live.search('before', vector, 1);
  live.forget();
  expect([live.recent, live.recallable, state.learned, live.changes]).toEqual([[], true, null, 2]);
  live.search('since', vector, 1);
  live.recall();
  expect(live.recent.map(({ text }) => text)).toEqual(['before']);
  expect([state.learned, live.recallable, live.changes]).toEqual([{ queries: 1 }, false, 4]);
  expect(kept).toHaveLength(4);
});
