import { messageOf } from '../base/errors.ts';
import type { Hit, SearchTarget } from '../records/hits.ts';
import type { Retrieval } from '../retrieval/retriever.ts';
import { isMiss, type Observation } from './answers/evidence.ts';
import { contextRoom } from './budget.ts';
import { passagesText } from './transcript/blocks.ts';
import { checkCancelled, type RunState } from './state.ts';

/** One call of the retriever, as an event; its failure is an event too. */

export interface Retrieved {
  retrieval: Retrieval;
  observation: Observation;
  missed: boolean;
}

/** @returns null where the call failed; the error event is written, also of one source of two */
export async function callRetriever(
  state: RunState,
  source: SearchTarget,
  query: string,
  k: number,
): Promise<Retrieval | null> {
  const failed = (of: SearchTarget, why: string) =>
    state.transcript.event({
      kind: 'error',
      what: 'retrieval',
      message: `search of ${of} failed: ${why}`,
    });
  try {
    const retrieval = await state.deps.retriever.search(source, query, k, state.request.signal);
    for (const { source: of, message } of retrieval.failures ?? [])
      failed(of, `${message}; the other source answered`);
    return retrieval;
  } catch (error) {
    checkCancelled(state);
    failed(source, messageOf(error));
    return null;
  } finally {
    checkCancelled(state);
  }
}

/**
 * The passages that the policy's context holds, best first, one at least: where the recipe has k give
 * way, no search takes more than its share of the room that is left. What the policy writes itself has
 * a share like one search.
 */
export function fitting(state: RunState, hits: readonly Hit[]): Hit[] {
  const { fitK = false, maxSearches, passageTokens } = state.settings.retrieval;
  if (!fitK) return [...hits];
  const { tokenizer } = state.deps.policy;
  const left = Math.max(1, maxSearches - state.searches.length);
  const share = contextRoom(state) / (left + 1);
  const lengthOf = (n: number): number =>
    tokenizer.encodeText(passagesText(tokenizer, hits.slice(0, n), passageTokens)).length;
  let n = hits.length;
  while (n > 1 && lengthOf(n) > share) n--;
  return hits.slice(0, n);
}

/**
 * Retrieves and writes the retrieve event.
 * @param query what the retriever is asked: equation (3)'s text, which the event shows
 */
export async function retrieve(
  state: RunState,
  source: SearchTarget,
  query: string,
): Promise<Retrieved | null> {
  const { k, summarize } = state.settings.retrieval;
  const found = await callRetriever(state, source, query, k);
  if (!found) return null;
  const hits = summarize === 'on' ? found.hits : fitting(state, found.hits);
  const retrieval = { ...found, hits };
  const observation = state.evidence.observe(retrieval.hits);
  state.transcript.event({
    kind: 'retrieve',
    query,
    source,
    hits: retrieval.hits,
    ...(hits.length < found.hits.length && { asked: k }),
    latencyMs: retrieval.latencyMs,
    addedDelayMs: retrieval.addedDelayMs,
    ...(retrieval.requests === undefined ? {} : { requests: retrieval.requests }),
    ...(retrieval.bytes === undefined ? {} : { bytes: retrieval.bytes }),
    newSupporting: observation.newSupporting,
    duplicates: observation.duplicates,
    newEntities: observation.newEntities,
    // The result segment is written next.
    segment: state.transcript.lastSegment + 1,
  });
  return { retrieval, observation, missed: isMiss(query, retrieval.hits) };
}
