import type { Passage } from './records.ts';

export type SourceName = 'local' | 'web';

/** `both` asks the two sources and fuses their lists. */
export type SearchTarget = SourceName | 'both';

export interface Hit {
  passage: Passage;
  /**
   * Of several lists the fused score (reciprocal rank fusion), of one method its own: BM25+, or the cosine. Higher is
   * better.
   */
  score: number;
  source: SourceName;
  /** 1-based ranks in the lists that were fused; absent where that list does not hold the passage. */
  lexicalRank?: number;
  denseRank?: number;
  /** Cosine similarity of query and passage, where the dense list computed it. */
  similarity?: number;
}
