import { messageOf } from '../data/message-of.ts';
import type { SearchTarget } from '../data/hits.ts';
import type { Retrieval } from '../retrieval/retriever.ts';
import { isMiss, type Observation } from './evidence.ts';
import { checkCancelled, type RunState } from './state.ts';

/** One call of the retriever, as an event; its failure is an event too. */

export interface Retrieved {
  retrieval: Retrieval;
  observation: Observation;
  missed: boolean;
}

/** @returns null where the call failed; the error event is written */
export async function callRetriever(
  state: RunState,
  source: SearchTarget,
  query: string,
  k: number,
): Promise<Retrieval | null> {
  try {
    return await state.deps.retriever.search(source, query, k, state.request.signal);
  } catch (error) {
    checkCancelled(state);
    const message = `search of ${source} failed: ${messageOf(error)}`;
    state.transcript.event({ kind: 'error', what: 'retrieval', message });
    return null;
  } finally {
    checkCancelled(state);
  }
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
  const retrieval = await callRetriever(state, source, query, state.settings.retrieval.k);
  if (!retrieval) return null;
  const observation = state.evidence.observe(retrieval.hits);
  state.transcript.event({
    kind: 'retrieve',
    query,
    source,
    hits: retrieval.hits,
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
