import { createRouter, type Router } from '../../agent/router/router.ts';
import type { Hit } from '../../records/hits.ts';
import type { Passage } from '../../records/records.ts';
import type { Retriever } from '../../retrieval/retriever.ts';
import type { DemonstrationSources } from './write-rollout.ts';

/**
 * Sources that return what a recorded rollout was shown, search by search, at most k passages of each.
 * @param routes what the router chose there, call by call
 */
export function replayedSources(
  results: readonly (readonly Hit[])[],
  routes: readonly ReturnType<Router['decide']>[] = [],
): DemonstrationSources {
  const router = createRouter();
  let next = 0;
  let routed = 0;
  const retriever: Retriever = {
    by: () => retriever,
    search: (source, query, k) =>
      Promise.resolve({
        query,
        source,
        hits: (results[next++] ?? []).slice(0, k),
        latencyMs: 0,
        addedDelayMs: 0,
      }),
  };
  const decide: Router['decide'] = (state, draw) => routes[routed++] ?? router.decide(state, draw);
  return { retriever, router: { ...router, decide }, now: Date.now };
}

/** Passages of a foreign file as hits; equal ones have one id. */
export class ForeignHits {
  readonly #ids = new Map<string, string>();

  constructor(private readonly rollout: string) {}

  of(passages: readonly Pick<Passage, 'title' | 'text'>[]): Hit[] {
    return passages.map(({ title, text }, i) => {
      const key = `${title}\n${text}`;
      const id = this.#ids.get(key) ?? `${this.rollout}-p${this.#ids.size}`;
      this.#ids.set(key, id);
      // A file gives no scores; their order is kept.
      return {
        passage: { id, title, text, sentences: [text] },
        score: 1 / (i + 1),
        source: 'local',
      };
    });
  }
}
