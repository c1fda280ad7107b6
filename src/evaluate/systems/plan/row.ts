import { outsideOf } from '../../../records/outside-answer.ts';
import type { Question } from '../../../records/records.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { webCalls } from '../../metrics.ts';
import type { EvaluatedRollout } from '../result.ts';

/** What tables and pictures keep of a question and of a rollout. */

/** Whether each step's passage was retrieved, in the order of the chain. */
export function hopsFound(
  { chain = [] }: Pick<Question, 'chain'>,
  { events }: Pick<Rollout, 'events'>,
): boolean[] {
  const seen = new Set(
    events.flatMap((event) =>
      event.kind === 'retrieve' || event.kind === 'background'
        ? event.hits.map(({ passage }) => passage.id)
        : [],
    ),
  );
  // For steps that list no passages: their page may be found in either corpus, by its title.
  const titles = new Set(
    events.flatMap((event) =>
      event.kind === 'retrieve' || event.kind === 'background'
        ? event.hits.flatMap(({ passage }) => (passage.noise ? [] : [passage.title]))
        : [],
    ),
  );
  return chain.map(({ passageIds, passageId, title }) =>
    passageIds ? passageIds.some((id) => seen.has(id)) : seen.has(passageId) || titles.has(title),
  );
}

/** Measures of a rollout, for the page and the command line. */
export type RolloutFacts = Omit<EvaluatedRollout, 'system' | 'question' | 'seed' | 'rollout'>;

/**
 * @throws Error for a rollout that says nothing of its system: the policy or a search failed, it
 *   was cancelled, or the question has no gold answer
 */
export function factsOf(question: Question, rollout: Rollout): RolloutFacts {
  const { events, metrics, answer } = rollout;
  for (const event of events) {
    if (event.kind === 'stop' && (event.reason === 'error' || event.reason === 'cancelled'))
      throw new Error(event.detail);
    if (event.kind === 'error' && event.what === 'retrieval') throw new Error(event.message);
  }
  if (!metrics) throw new Error('the question has no gold answer to score with');
  return {
    answer,
    ...outsideOf(rollout),
    em: metrics.em,
    f1: metrics.f1,
    coverEm: metrics.cover_em,
    judge: null,
    recall: question.supporting.length > 0 ? metrics.recall : null,
    searches: metrics.searches,
    webCalls: webCalls(rollout),
    tokens: metrics.tokens,
    seconds: metrics.seconds,
    formatValid: metrics.formatValid,
    hopsFound: hopsFound(question, rollout),
  };
}
