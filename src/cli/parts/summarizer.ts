import type { Recipe } from '../../recipes/parts/recipe.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { openSummarizer } from '../../retrieval/summarize/index.ts';
import type { Summarizer } from '../../retrieval/summarize/summarizer.ts';
import { UsageError, type OptionValues } from '../shared/options.ts';
import {
  openTextModel,
  openTextModelOf,
  type OpenTextModel,
  type TextModelSpec,
} from './text-model.ts';

/** The summarizer of passages, as the command line names it. */

/** As a record names it. */
export type SummarizerName = 'extractive' | TextModelSpec;

export interface OpenSummarizer {
  name: SummarizerName;
  summarizer: Summarizer;
  close(): void;
}

const PURPOSE = { option: '--summarizer', work: 'summarize' };

const EXTRACTIVE = 'extractive';

function extractive(): OpenSummarizer {
  const summarizer = openSummarizer({ kind: EXTRACTIVE });
  if (!summarizer) throw new Error('the extractive summarizer is off');
  return { name: EXTRACTIVE, summarizer, close: () => undefined };
}

function byModel(opened: OpenTextModel): OpenSummarizer {
  const { spec, model } = opened;
  const summarizer = openSummarizer({ kind: 'model', policy: { kind: 'built-in' } }, { model });
  if (!summarizer) throw new Error('the summarizer is off');
  return { name: spec, summarizer, close: () => opened.close() };
}

/** The summarizer of `--summarizer`; null without it. @throws UsageError */
export async function openSummarizerOf(values: OptionValues): Promise<OpenSummarizer | null> {
  const [given, name] = [values['summarizer'], values['summarizer-model']];
  if (given === undefined) {
    if (name === undefined) return null;
    throw new UsageError('--summarizer-model needs --summarizer URL.');
  }
  if (given === EXTRACTIVE) return extractive();
  const model = name === undefined ? undefined : String(name);
  return byModel(await openTextModel(String(given), model, PURPOSE));
}

/** The summarizer of a record. @throws UsageError */
export const openSummarizerNamed = async (name: SummarizerName): Promise<OpenSummarizer> =>
  name === EXTRACTIVE ? extractive() : byModel(await openTextModelOf(name, PURPOSE));

/** @throws UsageError where these settings need a summarizer and none is set */
export function checkSummaries(
  { title }: Pick<Recipe, 'title'>,
  { retrieval }: Pick<RecipeSettings, 'retrieval'>,
  summarizer: unknown,
): void {
  if (retrieval.summarize === 'on' && !summarizer)
    throw new UsageError(
      `${title} needs a summarizer: add --summarizer extractive (built in), or turn summaries off with --set retrieval.summarize=off.`,
    );
}
