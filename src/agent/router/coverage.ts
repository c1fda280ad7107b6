import type { Passage } from '../../records/records.ts';
import { namesIn } from '../answers/evidence.ts';

/**
 * The router's `localCoverage` over a local corpus: the share of the query's names that are the name
 * in some local title ("Victor Kerlund" in "Career of Victor Kerlund"). A query without names tells
 * nothing: 0.5.
 */
export function coverageOf(local: readonly Pick<Passage, 'title'>[]): (query: string) => number {
  const known = new Set(local.flatMap((passage) => namesIn(passage.title)));
  return (query) => {
    const names = namesIn(query);
    if (names.length === 0) return 0.5;
    return names.filter((name) => known.has(name)).length / names.length;
  };
}
