import type { Hit } from '../../records/hits.ts';
import { terms } from './text.ts';

export interface Relevance {
  /** Mean cosine similarity over the hits that have one; null where none has. */
  meanSimilarity: number | null;
  /** Share of the query's distinct terms that some hit's title or text holds; 0 for an empty query. */
  termOverlap: number;
}

/** How much retrieved passages have to do with a query (logged for RDRA's D0). */
export function relevance(query: string, hits: readonly Hit[]): Relevance {
  const similarities = hits.flatMap(({ similarity }) => similarity ?? []);
  const wanted = new Set(terms(query));
  const found = new Set(hits.flatMap(({ passage }) => terms(`${passage.title} ${passage.text}`)));
  const shared = [...wanted].filter((term) => found.has(term)).length;
  return {
    meanSimilarity:
      similarities.length === 0
        ? null
        : similarities.reduce((sum, s) => sum + s, 0) / similarities.length,
    termOverlap: wanted.size === 0 ? 0 : shared / wanted.size,
  };
}
