import { runRollout } from '../../agent/run.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { sum } from '../../base/statistics.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import {
  mergeOverrides,
  withOverrides,
  type RecipeSettings,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import { traitsOf } from '../../recipes/parts/system.ts';
import type { Hit } from '../../records/hits.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import type { Reason } from './left-out.ts';
import { writtenPolicy, type Author, type DemonstrationModel } from './written-policy.ts';

export interface DemonstrationOptions {
  recipe: Recipe;
  overrides: SettingsOverride;
  seed: number;
  /** Most tokens of a whole demonstration, prompt and passages among them. */
  maxTokens: number;
  signal?: AbortSignal | undefined;
}

/** A demonstration, or why there is none. */
export type Outcome = { rollout: Rollout } | { leftOut: Reason };

/** What an agent works with, without its policy. */
export type DemonstrationSources = Omit<AgentDeps, 'policy'>;

/**
 * Why demonstrations cannot be written in a recipe's loop, in one sentence; null where they can: where the loop is only
 * turns of the model with passages before and results between them.
 * @param foreign whether they are rewritten from rollouts of other systems
 */
export function unwritable(
  settings: RecipeSettings,
  title: string,
  foreign: boolean,
): string | null {
  const { loop, background, retrieval } = settings;
  const whys = [
    ...(loop === 'agent' ? [] : [`its loop (${loop}) is not the search loop`]),
    ...(foreign && background.mode !== 'off'
      ? ['it has a background, and rollouts of other systems have none (set --background off)']
      : []),
    ...(background.mode === 'shown'
      ? [
          'its first thought is sampled without the background (set --background shown-and-used-by-T)',
        ]
      : []),
    ...(retrieval.summarize === 'off' ? [] : ['its results are summaries']),
    ...(traitsOf(settings).resetsContext ? ['it resets the context after a search'] : []),
    ...(retrieval.maxSearches > 0 ? [] : ['it makes no search']),
  ];
  return whys.length === 0
    ? null
    : `Demonstrations cannot be written for ${title}: ${whys.join(', ')}. Choose another recipe, such as search.`;
}

/** STIE asks for answers in forks, which no record keeps: nothing of it could be learned from a demonstration. */
export const withoutStie = (overrides: SettingsOverride): SettingsOverride =>
  mergeOverrides(overrides, { stie: { mode: 'off' } });

interface Written {
  question: Question;
  /** Of the rollout; demonstrations of one question are a group. */
  id: string;
  group: string;
  seed: number;
  /** For the record: who wrote the tokens, as `PolicyInfo.logprobs` says it. */
  by: string;
  author: Author;
  /** Called with the background, and with what each search brought, before the author is asked for the next turn. */
  onHits?: (hits: readonly Hit[]) => void;
}

/**
 * Runs the recipe's loop with an author in the policy's place.
 * @throws Error where the loop breaks, with what
 */
export async function writeRollout(
  sources: DemonstrationSources,
  model: DemonstrationModel,
  { question, id, group, seed, by, author, onHits }: Written,
  { recipe, overrides, maxTokens, signal }: DemonstrationOptions,
): Promise<Outcome> {
  const written = withoutStie(overrides);
  const settings = withOverrides(recipe.settings, written);
  const tags = readTags(model.tokenizer, settings.blocks, settings.dialect);
  const info = { ...model.info, logprobs: by, logprobsOf: 'unknown' as const };
  let gaveUp: Reason | null = null;
  /** Shown before the first turn, instruction and question left out; null after it. */
  let background: string | null = '';
  const policy = writtenPolicy({ ...model, info }, tags, {
    author: (shown) => {
      const read = background ?? shown;
      background = null;
      return author(read);
    },
    onGaveUp: (reason) => (gaveUp = reason),
  });
  const rollout = await runRollout(
    { ...sources, policy },
    {
      question,
      recipe,
      overrides: written,
      seed,
      rolloutId: id,
      runId: 'demonstrations',
      groupId: group,
      step: 0,
      ...(signal && { signal }),
    },
    (update) => {
      if (update.type === 'segment' && update.segment.role === 'background')
        background = update.segment.text;
      if (update.type !== 'event') return;
      const { event } = update;
      if (event.kind === 'retrieve' || event.kind === 'background') onHits?.(event.hits);
    },
  );
  signal?.throwIfAborted();
  const leftOut: Reason | null = gaveUp ?? fault(rollout, maxTokens);
  return leftOut === null ? { rollout } : { leftOut };
}

/** Tokens of a rollout, of prompt, model and environment. */
export const tokensOf = ({ segments }: Pick<Rollout, 'segments'>): number =>
  sum(segments.map(({ ids }) => ids.length));

function fault({ events, metrics, segments }: Rollout, maxTokens: number): Reason | null {
  const errors = events.filter((event) => event.kind === 'error');
  const broken = errors.find(({ what }) => what === 'policy');
  if (broken) throw new Error(broken.message);
  if (metrics?.em !== 1)
    return errors.some(({ what }) => what === 'retrieval') ? 'failed' : 'wrong';
  if (!metrics.formatValid) return 'format';
  return tokensOf({ segments }) > maxTokens ? 'too-long' : null;
}
