import type { Rollout } from '../../../records/rollout.ts';

/** What went wrong while the rollouts of a run searched. */
export interface SearchTroubles {
  /** Calls of the retriever or the summarizer that failed; one of two sources counts. */
  count: number;
  /** Whether a search of the web is among them. */
  ofWeb: boolean;
  /** What was said, with how often, most frequent first. */
  reasons: { text: string; times: number }[];
}

/** How the agent words a failed search that asked the web. */
const OF_WEB = /^search of (?:web|both) /;

/** What failed while the rollouts searched; what was cancelled did not fail. */
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
