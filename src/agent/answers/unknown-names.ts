import { lastOf } from '../../base/items.ts';
import type { SourceName } from '../../records/hits.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';

/**
 * Names of a question that no passage mentions: an answer about them is invented. Where words may be ordinary
 * ones, or cannot be looked up, there is no notice.
 */

/** Sources that a rollout with these settings may ask. */
export function sourcesInUse({ loop, retrieval, background }: RecipeSettings): SourceName[] {
  if (loop === 'naive-generation') return [];
  const asked = [
    ...(retrieval.maxSearches > 0 || loop === 'naive-rag' ? [retrieval.source] : []),
    ...(background.mode === 'off' ? [] : [background.source]),
  ];
  // A tag of the policy's own may name either.
  const tagged = loop === 'agent' && retrieval.maxSearches > 0 && retrieval.honourTags;
  const wide = tagged || asked.some((source) => source === 'both' || source === 'router');
  return (['local', 'web'] as const).filter((source) => wide || asked.includes(source));
}

/**
 * The notice about unknown names, of which there is at least one.
 *
 * @param fictional the passages are those of the built-in encyclopedia
 */
export function describeUnknown(names: readonly string[], fictional: boolean): string {
  const quoted = names.map((name) => `“${name}”`);
  const last = lastOf(quoted, 'names');
  const others = quoted.slice(0, -1);
  const list = others.length === 0 ? last : `${others.join(', ')} or ${last}`;
  const why = fictional ? ' The built-in encyclopedia is fictional.' : '';
  return `No passage mentions ${list}; any answer is a guess.${why}`;
}
