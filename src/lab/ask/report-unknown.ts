import { sourcesInUse } from '../../agent/answers/unknown-names.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { RemoteRetriever } from '../corpus/retrieval/start-retrieval.ts';
import type { RunRequest } from '../contract/settings.ts';
import type { recipeFor } from './request.ts';

/** Resolves when the signal is aborted, at once where it is already. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/**
 * What a question names and nothing mentions is said before an answer misleads. Of the built-in ones the look-up
 * comes last: it fetches shards of the web index, which belong to the measured latency of the searches.
 */
export const isToldFirst = ({ asked, setup }: Pick<RunRequest, 'asked' | 'setup'>): boolean =>
  asked.kind === 'typed' || setup.questions.kind !== 'built-in';

type Searched = Pick<ReturnType<typeof recipeFor>, 'recipe' | 'overrides'>;

/** Names of a question that nothing mentions which such rollouts search, as they are written in it. */
export const lookUpNames = (
  question: string,
  retriever: Pick<RemoteRetriever, 'unknownNames'>,
  { recipe, overrides }: Searched,
  signal?: AbortSignal,
): Promise<string[]> =>
  retriever.unknownNames(question, sourcesInUse(withOverrides(recipe.settings, overrides)), signal);

/**
 * Reports the names of the question that no passage mentions, where there are any. Never rejects: a
 * look-up that fails must not fail the run.
 * @param signal ends it at once, even where the worker does not answer
 */
export async function reportUnknown(
  question: string,
  retriever: Pick<RemoteRetriever, 'unknownNames'>,
  chosen: Searched,
  signal: AbortSignal,
  report: (names: string[]) => void,
): Promise<void> {
  if (signal.aborted) return;
  const asked = lookUpNames(question, retriever, chosen, signal).catch(() => []);
  const names = await Promise.race([asked, aborted(signal)]);
  if (names && names.length > 0 && !signal.aborted) report(names);
}
