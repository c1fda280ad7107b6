import type { EngineKind } from './engine.ts';
import { mediaWiki } from './mediawiki.ts';
import { r1Searcher } from './r1-searcher.ts';
import { research } from './research.ts';
import { searchR1 } from './search-r1.ts';
import { searXng } from './searxng.ts';

/** Every search engine that a setup may name, in the order of the menu. */
export const ENGINES: readonly EngineKind[] = [mediaWiki, searXng, searchR1, r1Searcher, research];

/** @throws Error for a kind that is not in the list */
export function engineKind(id: string, engines: readonly EngineKind[] = ENGINES): EngineKind {
  const found = engines.find((kind) => kind.id === id);
  if (found) return found;
  throw new Error(
    `There is no search engine of the kind “${id}”; this version knows ${engines.map((kind) => kind.id).join(', ')}.`,
  );
}
