import type { SummarizerSpec } from '../../records/setup.ts';
import type { Similarities } from '../sources/similarities.ts';
import { cachedSummarizer, type CacheOptions } from './cached.ts';
import { Extractive, type ExtractiveOptions } from './extractive.ts';
import { ModelMethod, type SummaryModel } from './model-method.ts';
import type { Summarizer } from './summarizer.ts';

export interface SummarizerDeps {
  /** The model that the specification names; needed for `model` only. */
  model?: SummaryModel | null;
  /** The encoder's opinion on sentences; without it they are ranked by words only. */
  similarities?: Similarities | null;
  extractive?: ExtractiveOptions;
  cache?: CacheOptions;
}

/**
 * The summarizer of a setup; null where it is off.
 * @throws Error where a model is wanted and none is given
 */
export function openSummarizer(spec: SummarizerSpec, deps: SummarizerDeps = {}): Summarizer | null {
  switch (spec.kind) {
    case 'off':
      return null;
    case 'extractive':
      return cachedSummarizer(
        new Extractive(deps.similarities ?? null, deps.extractive),
        deps.cache,
      );
    case 'model':
      if (!deps.model)
        throw new Error(
          'the summarizer is a model that is not loaded: load it, or choose extractive',
        );
      return cachedSummarizer(new ModelMethod(deps.model), deps.cache);
  }
}
