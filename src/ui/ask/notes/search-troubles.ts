import type { Rollout } from '../../../records/rollout.ts';

/** Search failures of a run. */
export interface SearchTroubles {
  /** Failed calls of the retriever or the summarizer; one failed source of two counts. */
  count: number;
  /** Whether a web search is among them. */
  ofWeb: boolean;
  /** The messages with their counts, most frequent first. */
  reasons: { text: string; times: number }[];
}

/** The agent's message for a failed web search. */
const OF_WEB = /^search of (?:web|both) /;

/** Collects the failures; cancelled searches are not failures. */
export function searchTroubles(rollouts: readonly Rollout[]): SearchTroubles {
  const times = new Map<string, number>();
  for (const event of rollouts.flatMap(({ events }) => events)) {
    if (event.kind !== 'error' || event.what !== 'retrieval') continue;
    times.set(event.message, (times.get(event.message) ?? 0) + 1);
  }
  const reasons = [...times]
    .map(([text, count]) => ({ text, times: count }))
    .sort((a, b) => b.times - a.times);
  return {
    count: reasons.reduce((sum, one) => sum + one.times, 0),
    ofWeb: reasons.some(({ text }) => OF_WEB.test(text)),
    reasons,
  };
}
