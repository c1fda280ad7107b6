import type { Question } from '../../records/records.ts';
import { mergeOverrides, type SettingsOverride } from '../../recipes/parts/settings.ts';

/**
 * Nothing is retrieved, a recipe's background included. The policy gets the hint that it cannot search; a
 * search is a fault, and its answer is asked for.
 */
const WITHOUT_RETRIEVAL: SettingsOverride = {
  retrieval: { maxSearches: 0 },
  background: { mode: 'off' },
};

/** What is changed in the recipe's settings for a question: where it may not retrieve, that as well. */
export const permitted = (
  { mayRetrieve }: Pick<Question, 'mayRetrieve'>,
  overrides: SettingsOverride,
): SettingsOverride =>
  mayRetrieve === false ? mergeOverrides(overrides, WITHOUT_RETRIEVAL) : overrides;
