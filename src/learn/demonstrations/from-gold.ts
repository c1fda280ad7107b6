import { deriveSeed } from '../../base/random.ts';
import { withOverrides } from '../../recipes/parts/settings.ts';
import type { Question } from '../../records/records.ts';
import { retrieverByMethod, type Retrieval, type Retriever } from '../../retrieval/retriever.ts';
import { authorOf } from './authors.ts';
import type { Reason } from './left-out.ts';
import {
  writeRollout,
  type DemonstrationOptions,
  type DemonstrationSources,
  type Outcome,
} from './write-rollout.ts';
import type { DemonstrationModel } from './written-policy.ts';

/** Further tries of a question with other queries, where one did not bring the evidence. */
const RETRIES = 8;

/** Faults that another query may mend. */
const BY_QUERY: readonly Reason[] = [
  'not-retrieved',
  'not-shown',
  'answer-not-shown',
  'not-knowable',
];

const WRITTEN = 'none: these tokens were written from the gold evidence or answer, not sampled';

/** The same retriever, asked once for each query: every try of a question begins with the searches of the one before. */
function remembering(retriever: Retriever): Retriever {
  const found = new Map<string, Promise<Retrieval>>();
  return {
    ...(retriever.by && {
      by: (method: string) => remembering(retrieverByMethod(retriever, method)),
    }),
    search: (source, query, k, signal) => {
      const key = JSON.stringify([source, query, k]);
      const known = found.get(key) ?? retriever.search(source, query, k, signal);
      found.set(key, known);
      return known;
    },
  };
}

/**
 * Writes one demonstration from a question's gold chain or supporting titles, or where it has none from its answer,
 * through the loop of the recipe: the passages are those that its retriever returns.
 */
export async function demonstrateGold(
  sources: DemonstrationSources,
  model: DemonstrationModel,
  question: Question,
  options: DemonstrationOptions,
): Promise<Outcome> {
  const { maxSearches } = withOverrides(options.recipe.settings, options.overrides).retrieval;
  const seed = deriveSeed(options.seed, 'gold', question.id);
  const once = { ...sources, retriever: remembering(sources.retriever) };
  let first: Outcome | null = null;
  let chosen: number[] | null = [];
  for (let tries = 0; tries <= RETRIES && chosen; tries++) {
    const author = authorOf(question, chosen, maxSearches);
    if (!author) return { leftOut: 'no-evidence' };
    const outcome = await writeRollout(
      once,
      model,
      {
        question,
        id: `gold-${options.seed}-${question.id}`,
        group: `gold-${question.id}`,
        seed,
        by: WRITTEN,
        author: (shown) => author.turn(shown),
        onHits: (hits) => author.found(hits.map(({ passage }) => passage)),
      },
      options,
    );
    if ('rollout' in outcome) return outcome;
    // The first fault says what is the matter; another query may meet another one.
    first ??= outcome;
    chosen = BY_QUERY.includes(outcome.leftOut) ? nextChoice(chosen, author.choices) : null;
  }
  return first ?? { leftOut: 'not-retrieved' };
}

/** The last search that has another query takes it; null where none has. */
function nextChoice(chosen: readonly number[], choices: readonly number[]): number[] | null {
  const now = choices.map((_, i) => chosen[i] ?? 0);
  const at = now.findLastIndex((one, i) => one + 1 < (choices[i] ?? 0));
  return at < 0 ? null : [...now.slice(0, at), (now[at] ?? 0) + 1];
}
