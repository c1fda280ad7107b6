import { runRollout } from '../../agent/run.ts';
import type { AgentDeps } from '../../agent/request.ts';
import { readTags } from '../../agent/transcript/tags.ts';
import { sum } from '../../base/statistics.ts';
import { deriveSeed, Random } from '../../base/random.ts';
import type { Recipe } from '../../recipes/parts/recipe.ts';
import {
  withOverrides,
  type RecipeSettings,
  type SettingsOverride,
} from '../../recipes/parts/settings.ts';
import type { Question } from '../../records/records.ts';
import type { Rollout } from '../../records/rollout.ts';
import { GoldAuthor } from './gold-author.ts';
import { GaveUp, type Reason } from './left-out.ts';
import { writtenPolicy, type DemonstrationModel } from './written-policy.ts';

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

/** Further tries of a question with other queries, where one did not bring the evidence. */
const RETRIES = 8;

const WRITTEN = 'none: these tokens were written from the gold evidence, not sampled';

/**
 * Why demonstrations cannot be written in a recipe's loop, in one sentence; null where they can: where the loop is only
 * turns of the model with results between them.
 */
export function unwritable(settings: RecipeSettings, title: string): string | null {
  const { loop, background, stie, retrieval } = settings;
  const whys = [
    ...(loop === 'agent' ? [] : [`its loop (${loop}) is not the search loop`]),
    ...(background.mode === 'off' ? [] : ['it has a background (set --background off)']),
    ...(stie.mode === 'off' ? [] : ['STIE samples candidate answers (set --stie off)']),
    ...(retrieval.summarize === 'off' ? [] : ['its results are summaries']),
    ...(retrieval.context === undefined ? [] : ['it resets the context after a search']),
    ...(retrieval.maxSearches > 0 ? [] : ['it makes no search']),
  ];
  return whys.length === 0
    ? null
    : `Demonstrations cannot be written for ${title}: ${whys.join(', ')}. Choose another recipe, such as search.`;
}

/**
 * Writes one demonstration from a question's gold chain or supporting titles, through the loop of the recipe: the
 * passages are those that its retriever returns. The same seed gives the same.
 * @param sources the agent without a policy
 */
export async function demonstrateGold(
  sources: Omit<AgentDeps, 'policy'>,
  model: DemonstrationModel,
  question: Question,
  options: DemonstrationOptions,
): Promise<Outcome> {
  let reason: Reason = 'not-retrieved';
  let chosen: number[] = [];
  for (let tries = 0; tries <= RETRIES; tries++) {
    const one = await attempt(sources, model, question, { ...options, chosen });
    if ('rollout' in one) return one;
    // The first fault says what is the matter; another query may meet another one.
    if (tries === 0) reason = one.leftOut;
    const other = otherQuery(chosen, one);
    if (!other) break;
    chosen = other;
  }
  return { leftOut: reason };
}

/** The last search with its next query; null where none is left, or another query would not help. */
function otherQuery(
  chosen: readonly number[],
  { leftOut, choices }: { leftOut: Reason; choices: readonly number[] },
): number[] | null {
  const helps = ['not-retrieved', 'not-shown', 'answer-not-shown', 'not-knowable'].includes(
    leftOut,
  );
  if (!helps) return null;
  const now = choices.map((_, i) => chosen[i] ?? 0);
  for (let at = now.length - 1; at >= 0; at--)
    if ((now[at] ?? 0) + 1 < (choices[at] ?? 0)) return [...now.slice(0, at), (now[at] ?? 0) + 1];
  return null;
}

async function attempt(
  sources: Omit<AgentDeps, 'policy'>,
  model: DemonstrationModel,
  question: Question,
  { chosen, ...options }: DemonstrationOptions & { chosen: readonly number[] },
): Promise<{ rollout: Rollout } | { leftOut: Reason; choices: readonly number[] }> {
  const { recipe, overrides, seed, maxTokens, signal } = options;
  const settings = withOverrides(recipe.settings, overrides);
  const tags = readTags(model.tokenizer, settings.blocks, settings.dialect);
  const own = deriveSeed(seed, 'gold', question.id);
  let gaveUp: Reason | null = null;
  let author: GoldAuthor;
  try {
    const { maxSearches } = settings.retrieval;
    author = new GoldAuthor(question, new Random(own), chosen, maxSearches);
  } catch (error) {
    if (error instanceof GaveUp) return { leftOut: error.reason, choices: [] };
    throw error;
  }
  const info = { ...model.info, logprobs: WRITTEN, logprobsOf: 'unknown' as const };
  const policy = writtenPolicy({ ...model, info }, tags, (shown) => {
    try {
      return author.turn(shown);
    } catch (error) {
      if (error instanceof GaveUp) gaveUp = error.reason;
      throw error;
    }
  });
  const rollout = await runRollout(
    { ...sources, policy },
    {
      question,
      recipe,
      overrides,
      seed: own,
      rolloutId: `gold-${seed}-${question.id}`,
      runId: 'demonstrations',
      groupId: `gold-${question.id}`,
      step: 0,
      ...(signal && { signal }),
    },
    (update) => {
      if (update.type === 'event' && update.event.kind === 'retrieve')
        author.found(update.event.hits.map(({ passage }) => passage));
    },
  );
  signal?.throwIfAborted();
  const left: Reason | null = gaveUp ?? fault(rollout, maxTokens);
  return left === null ? { rollout } : { leftOut: left, choices: author.choices };
}

/** Tokens of a rollout, whoever wrote them. */
export const tokensOf = ({ segments }: Pick<Rollout, 'segments'>): number =>
  sum(segments.map(({ ids }) => ids.length));

/**
 * Why a whole rollout is no demonstration; null where it is one.
 * @throws Error where something broke, with what
 */
export function fault({ events, metrics, segments }: Rollout, maxTokens: number): Reason | null {
  const errors = events.filter((event) => event.kind === 'error');
  const broken = errors.find(({ what }) => what === 'policy');
  if (broken) throw new Error(broken.message);
  if (metrics?.em !== 1)
    return errors.some(({ what }) => what === 'retrieval') ? 'failed' : 'wrong';
  if (!metrics.formatValid) return 'format';
  return tokensOf({ segments }) > maxTokens ? 'too-long' : null;
}
