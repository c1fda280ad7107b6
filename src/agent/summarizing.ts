import { messageOf } from '../base/errors.ts';
import type { AgentEvent } from '../records/events.ts';
import type { Hit } from '../records/hits.ts';
import type { Passage } from '../records/records.ts';
import type { Summary } from '../retrieval/summarize/summarizer.ts';
import { checkCancelled, type RunState } from './state.ts';

/**
 * Summarized retrieval (UR², section 3.1.1): what the policy reads in place of the passages. A query
 * that asks for reasoning gets the fallback sentence as its result and a hint after it. Both are
 * written by the environment, so neither is trained (the released code trains the hint).
 */

/** Follows the fallback sentence (UR², appendix C.4, in our words). */
export const FALLBACK_HINT =
  'no search answers this . ask for one fact in simple words or reason on with what is known .';

const UNSUMMARIZED = 'no summary, so the passages are shown: ';

/** Results of a rollout whose passages are shown because nobody could summarize them: why, one each. */
export const unsummarized = (events: readonly AgentEvent[]): string[] =>
  events.flatMap((event) =>
    event.kind === 'error' && event.message.startsWith(UNSUMMARIZED)
      ? [event.message.slice(UNSUMMARIZED.length)]
      : [],
  );

function written(
  { deps, request }: RunState,
  query: string,
  passages: readonly Passage[],
): Promise<Summary> {
  if (!deps.summarizer) throw new Error('there is no summarizer');
  const { question: gold, signal } = request;
  return deps.summarizer.summarize({ query, passages, gold, signal });
}

/**
 * Summarizes for the query where the recipe says so.
 * @returns null where the passages themselves are shown: it is off, or it failed
 */
export async function summarizeHits(
  state: RunState,
  query: string,
  hits: readonly Hit[],
): Promise<Summary | null> {
  const { settings, transcript } = state;
  if (settings.retrieval.summarize === 'off') return null;
  const recorded = state.past?.next('summarize');
  try {
    const failed = state.past?.next('error');
    if (failed) throw new Error(failed.message);
    const passages = hits.map(({ passage }) => passage);
    const summary = recorded ?? (await written(state, query, passages));
    checkCancelled(state);
    const { by, text, fallback, reason, latencyMs, cached } = summary;
    transcript.event({
      kind: 'summarize',
      query,
      by,
      passages: passages.map(({ id }) => id),
      text,
      fallback,
      reason,
      latencyMs,
      cached,
      // The result segment is written next.
      segment: transcript.lastSegment + 1,
    });
    return summary;
  } catch (error) {
    checkCancelled(state);
    const message = `${UNSUMMARIZED}${messageOf(error)}`;
    transcript.event({ kind: 'error', what: 'retrieval', message });
    return null;
  }
}
