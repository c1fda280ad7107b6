import { messageOf } from '../base/errors.ts';
import { deriveSeed, uniform } from '../base/random.ts';
import type { RouteEvent } from '../records/events.ts';
import type { Hit, SearchTarget, SourceName } from '../records/hits.ts';
import type { Retrieval } from '../retrieval/retriever.ts';
import { isMiss, type Observation } from './answers/evidence.ts';
import { contextRoom } from './budget.ts';
import { routeReward } from './router/reward.ts';
import { passagesText } from './transcript/blocks.ts';
import { checkCancelled, type RunState } from './state.ts';
import { speaksInTurns, type SearchTag } from './transcript/tags.ts';
import { replySegment } from './turns.ts';

/**
 * One call of the retriever: where it goes (NLR, equations (20) to (23)), what it brought as an event, and what
 * that earned; its failure is an event too.
 */

type Route = Pick<RouteEvent, 'by' | 'routing' | 'choice' | 'probabilities' | 'features'>;

/** A draw of ½ takes the likelier of two; of equals, local. */
const LIKELIER = 0.5;

const certain = (choice: SearchTarget, by: 'fixed' | 'policy-tag'): Route => ({
  by,
  choice,
  probabilities: { local: Number(choice !== 'web'), web: Number(choice !== 'local') },
  features: [],
});

const recordedRoute = ({ by, routing, choice, probabilities, features }: RouteEvent): Route => ({
  by,
  routing,
  choice,
  probabilities,
  features,
});

/** Local coverage where nobody says what it is: neither known nor unknown. */
const UNSEEN = 0.5;

/** What π(a|s) says. @param round of the search; 0: the background, whose state is that of a first search */
function asked(state: RunState, query: string, round: number): Route {
  const { deps, request } = state;
  const { routing, coverage } = state.settings.nlr;
  const likelier = routing === 'argmax';
  const covered = coverage === 'hidden' ? undefined : deps.router.localCoverage?.(query);
  const decision = deps.router.decide(
    {
      question: request.question.text,
      query,
      round: Math.max(1, round),
      maxSearches: state.settings.retrieval.maxSearches,
      past: state.searches,
      roomLeft: contextRoom(state) / deps.policy.info.maxContext,
      localCoverage: covered ?? UNSEEN,
    },
    likelier ? LIKELIER : uniform(deriveSeed(request.seed, 'route', round)),
  );
  return { by: 'router', ...(likelier && { routing: 'argmax' as const }), ...decision };
}

/** The policy's own tag where it counts, a fixed source, or what the router says. */
export function chooseRoute(
  state: RunState,
  query: string,
  tag: SearchTag,
  only: SourceName | null,
): Route {
  const { retrieval } = state.settings;
  const recorded = state.past?.next('route');
  if (recorded) return recordedRoute(recorded);
  const changed = state.past?.change('source');
  if (changed) return certain(changed, 'fixed');
  if (retrieval.honourTags && tag === 'local_search') return certain('local', 'policy-tag');
  if (retrieval.honourTags && tag === 'web_search') return certain('web', 'policy-tag');
  if (retrieval.source !== 'router') return certain(retrieval.source, 'fixed');
  // A repeat that the same source answered again would bring nothing: there is no choice.
  if (only) return certain(only, 'fixed');
  return asked(state, query, state.searches.length + 1);
}

/** Where the background comes from; no event of a route where the settings fix it. */
export function routeBackground(
  state: RunState,
  question: string,
): { choice: SearchTarget; event: number | null } {
  const { source } = state.settings.background;
  if (source !== 'router') return { choice: source, event: null };
  const recorded = state.past?.next('route');
  const route = recorded ? recordedRoute(recorded) : asked(state, question, 0);
  const event = state.transcript.event({
    kind: 'route',
    of: 'background',
    ...route,
    reward: null,
  });
  return { choice: route.choice, event };
}

/**
 * Fills equation (20) into a route event, once the call's outcome is known.
 * @param newSupporting supporting titles first seen with the call; null where the question names none
 */
export function rewardRoute(
  state: RunState,
  event: number,
  {
    choice,
    latencyMs,
    newSupporting,
  }: {
    choice: SearchTarget;
    latencyMs: number;
    newSupporting: readonly string[] | null;
  },
): void {
  const { supporting } = state.request.question;
  const reward = routeReward(choice, state.settings.nlr, {
    latencyMs,
    meanWebLatencyMs: state.webLatency.value,
    newEvidenceShare: newSupporting ? newSupporting.length / new Set(supporting).size : null,
  });
  if (choice === 'web') state.webLatency.add(latencyMs);
  if (state.past?.replayedOutcome) return;
  state.transcript.replaceEvent(event, (known) =>
    known.kind === 'route' ? { ...known, reward } : known,
  );
}

export interface Retrieved {
  retrieval: Retrieval;
  observation: Observation;
  missed: boolean;
}

/** A search that is made; a fork may put passages first among what it finds. */
async function searchNow(
  state: RunState,
  source: SearchTarget,
  query: string,
  k: number,
): Promise<Retrieval> {
  const asked = await state.deps.retriever.search(source, query, k, state.request.signal);
  const hits = (await state.hooks.changeHits?.(state, asked, query)) ?? asked.hits;
  const found = { ...asked, hits };
  const put = state.past?.change('passages');
  if (!put?.length) return found;
  const ids = new Set(put.map(({ id }) => id));
  const from = source === 'web' ? 'web' : 'local';
  const best = found.hits[0]?.score ?? 1;
  const first = put.map((passage): Hit => ({ passage, score: best, source: from }));
  const rest = found.hits.filter(({ passage }) => !ids.has(passage.id));
  return { ...found, hits: [...first, ...rest].slice(0, Math.max(k, first.length)) };
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
    const recorded = state.past?.retrieval();
    if (recorded instanceof Error) throw recorded;
    const retrieval = recorded ?? (await searchNow(state, source, query, k));
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
    tokenizer.encodeText(passagesText(tokenizer, hits.slice(0, n), passageTokens, state.tags))
      .length;
  let n = hits.length;
  while (n > 1 && lengthOf(n) > share) n--;
  return hits.slice(0, n);
}

/** Number of the segment that the result will be in. */
function resultSegment(state: RunState): number {
  const { hooks, tags, transcript } = state;
  if (hooks.placeResult) return hooks.placeResult.segment(state);
  return speaksInTurns(tags) ? replySegment(state) : transcript.lastSegment + 1;
}

/**
 * Retrieves and writes the retrieve event.
 * @param query what the retriever is asked: equation (3)'s text, which the event shows
 * @param shown whether the policy is shown a result of it in its context
 * @param unseen whether passages that an earlier result showed are left out
 */
export async function retrieve(
  state: RunState,
  source: SearchTarget,
  query: string,
  { shown = true, unseen = false }: { shown?: boolean; unseen?: boolean } = {},
): Promise<Retrieved | null> {
  const { k, summarize } = state.settings.retrieval;
  // What the policy is not shown takes no room of its context.
  const replaced = state.hooks.showResult ?? state.hooks.resultText;
  const whole = summarize === 'on' || !shown || replaced !== undefined;
  const { evidence } = state;
  const all = await callRetriever(state, source, query, unseen ? k + evidence.size : k);
  if (!all) return null;
  const isNew = ({ passage }: Hit): boolean => !evidence.has(passage.id);
  const found = unseen ? { ...all, hits: all.hits.filter(isNew).slice(0, k) } : all;
  const leftOut = unseen ? all.hits.slice(0, k).filter((hit) => !isNew(hit)) : [];
  const hits = whole ? found.hits : fitting(state, found.hits);
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
    requests: retrieval.requests,
    bytes: retrieval.bytes,
    newSupporting: observation.newSupporting,
    duplicates: observation.duplicates,
    ...(leftOut.length > 0 && { leftOut: leftOut.map(({ passage }) => passage.id) }),
    newEntities: observation.newEntities,
    ...(shown ? { segment: resultSegment(state) } : {}),
  });
  return { retrieval, observation, missed: isMiss(query, retrieval.hits) };
}
