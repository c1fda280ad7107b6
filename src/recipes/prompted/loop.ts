import type { DialectId } from '../methods/dialect.ts';
import { DEFAULT_SETTINGS, type RecipeSettings } from '../parts/settings.ts';

/** The loop of a system that is prompted and not trained. */
export const promptedLoop = (
  loop: RecipeSettings['loop'],
  { k, maxSearches }: { k: number; maxSearches: number },
  { method, dialect }: { method?: RecipeSettings['method']; dialect?: DialectId } = {},
): RecipeSettings => ({
  ...DEFAULT_SETTINGS,
  loop,
  retrieval: { ...DEFAULT_SETTINGS.retrieval, k, fitK: true, maxSearches },
  ...(dialect === undefined ? {} : { dialect }),
  ...(method === undefined ? {} : { method }),
});

/** Differences from the paper that all of them share. */
export const PROMPTED_DIFFERENCES = [
  'The instruction is our own, without examples; passages come from both sources, as many of the k as fit in the context.',
] as const;
