import { messageOf } from '../base/errors.ts';
import type { SearchTarget } from '../records/hits.ts';
import type { Retrieval } from '../retrieval/retriever.ts';
import { isMiss, type Observation } from './answers/evidence.ts';
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
