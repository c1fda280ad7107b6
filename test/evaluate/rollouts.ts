import type { RetrieveEvent } from '../../src/data/events.ts';
import type { Rollout, RolloutMetrics } from '../../src/data/rollout.ts';

/** A rollout record of searches alone: titles of each search's passages. */
export function contextless(searches: readonly string[][], supporting: string[]): Rollout {
  const seen = new Set<string>();
  const events = searches.map((titles): RetrieveEvent => {
    const duplicates = titles.filter((title) => seen.has(title));
    for (const title of titles) seen.add(title);
    const hits = titles.map((title) => ({
      passage: { id: title, title, text: title, sentences: [title] },
      score: 1,
      source: 'local' as const,
    }));
    return {
      kind: 'retrieve',
      t: 0,
      query: 'q',
      source: 'local',
      hits,
      latencyMs: 1,
      addedDelayMs: 0,
      newSupporting: null,
      duplicates,
      newEntities: 0,
    };
  });
  return {
    ...scored('q', 1, {}),
    question: { id: 'q', text: 'q', answers: ['x'], supporting },
    events,
  };
}

/** A finished rollout with given metrics. */
export const scored = (
  question: string,
  hops: number,
  metrics: Partial<RolloutMetrics>,
): Rollout => ({
  format: 'forage.rollout/1',
  id: question,
  runId: 'run',
  step: 0,
  groupId: 'g',
  seed: 0,
  createdAt: '2000-01-01T00:00:00.000Z',
  question: { id: question, text: question, answers: ['x'], supporting: ['x'], hops },
  recipe: { id: 'search', version: '1', settings: {} },
  policy: { id: 'p', revision: '0' },
  segments: [],
  events: [],
  rewards: [],
  reward: null,
  baseline: null,
  advantage: null,
  metrics: {
    em: 0,
    f1: 0,
    cover_em: 0,
    recall: 0,
    searches: 0,
    tokens: 0,
    seconds: 1,
    formatValid: true,
    ...metrics,
  },
  answer: null,
});
