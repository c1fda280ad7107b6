import { sourcesInUse } from '../../agent/unknown-names.ts';
import { withOverrides } from '../../recipes/settings.ts';
import type { RemoteRetriever } from '../corpus/retrieval/start-retrieval.ts';
import type { recipeFor } from './request.ts';

/** Resolves when the signal is aborted, at once where it is already. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * Tells which names of the question no passage mentions, where there are any. Never rejects: that it
 * cannot be found out fails no run.
 * @param signal ends it at once, even where the worker does not answer
 */
export async function tellUnknown(
  question: string,
  retriever: Pick<RemoteRetriever, 'unknownNames'>,
  { recipe, overrides }: Pick<ReturnType<typeof recipeFor>, 'recipe' | 'overrides'>,
  signal: AbortSignal,
  tell: (names: string[]) => void,
): Promise<void> {
  if (signal.aborted) return;
  const sources = sourcesInUse(withOverrides(recipe.settings, overrides));
  const asked = retriever.unknownNames(question, sources, signal).catch(() => []);
  const names = await Promise.race([asked, aborted(signal)]);
  if (names && names.length > 0 && !signal.aborted) tell(names);
}
