import type { RouteEvent } from '../records/events.ts';
import type { SearchTarget, SourceName } from '../records/hits.ts';
import type { RecipeSettings } from '../recipes/settings.ts';
import { blockIds, passagesText } from './transcript/blocks.ts';
import { contextRoom } from './budget.ts';
import { userTurn } from './transcript/prompt.ts';
import { HINTS, inBlock } from '../records/protocol.ts';
import { fitting, retrieve, type Retrieved } from './retrieving.ts';
import { routeReward } from './router/reward.ts';
import { deriveSeed, uniform } from '../base/random.ts';
import type { RunState } from './state.ts';
import { judgeQuery } from './stie/queries.ts';
import { FALLBACK_HINT, summarizeHits } from './summarizing.ts';
import type { SearchTag } from './transcript/tags.ts';

/** One search: STIE over the query, NLR, retrieval, result. */

/** The environment's word in place of a result. */
export function writeHint(state: RunState, text: string): void {
  const { tokenizer } = state.deps.policy;
  const room = Math.max(2, contextRoom(state));
  state.conversation.answerBack('hint', blockIds(tokenizer, state.tags, 'hint', ` ${text}`, room));
}

/**
 * The environment's word to a policy that ended its turn: as the user's next message in the policy's own
 * chat template, and where it has none, or no room is left for one, as any other hint.
 */
export function writeTurnHint(state: RunState, text: string): void {
  const { conversation, deps, settings, tags, transcript } = state;
  const last = transcript.rollout.segments.at(-1)?.ids.at(-1);
  const turn = userTurn(deps.policy, settings, last);
  const hint = blockIds(deps.policy.tokenizer, tags, 'hint', ` ${text}`);
  const length = hint.length + (turn ? turn.before.length + turn.after.length : 0);
  if (!turn || length > contextRoom(state)) return writeHint(state, text);
  conversation.write('environment', 'instruction', turn.before);
  conversation.answerBack('hint', hint);
  conversation.write('environment', 'instruction', turn.after);
  if (turn.opensThought) conversation.parser.force('think', []);
}

/** Single sources that a search with this tag may reach. */
function reachable(
  { honourTags, source }: RecipeSettings['retrieval'],
  tag: SearchTag,
): SourceName[] {
  if (honourTags && tag === 'local_search') return ['local'];
  if (honourTags && tag === 'web_search') return ['web'];
  return source === 'router' ? ['local', 'web'] : [];
}

/** STIE over queries. @returns null where the query is refused, else the only source it may ask */
export function admitQuery(
  state: RunState,
  query: string,
  tag: SearchTag,
): { only: SourceName | null } | null {
  const { stie, retrieval } = state.settings;
  if (stie.mode === 'off' || !stie.overQueries) return { only: null };
  const { verdict, only } = judgeQuery(
    query,
    {
      // A failed call brought nothing that a second one could repeat.
      history: state.searches.filter((search) => !search.failed),
      nameWords: state.evidence.nameWords,
      reachable: reachable(retrieval, tag),
    },
    { mode: stie.mode, tokens: stie.tokens, thresholds: stie.thresholds },
  );
  state.transcript.event({
    kind: 'verdict',
    over: 'query',
    round: state.searches.length + 1,
    segment: state.transcript.lastSegment,
    ...verdict,
  });
  return verdict.action === 'refused' ? null : { only };
}

type Route = Pick<RouteEvent, 'by' | 'routing' | 'choice' | 'probabilities' | 'features'>;

/** A draw of ½ takes the likelier of two; of equals, local. */
const LIKELIER = 0.5;

const certain = (choice: SearchTarget, by: 'fixed' | 'policy-tag'): Route => ({
  by,
  choice,
  probabilities: { local: Number(choice !== 'web'), web: Number(choice !== 'local') },
  features: [],
});

/** NLR: the policy's own tag where it counts, a fixed source, or what π(a|s) says. */
function chooseRoute(
  state: RunState,
  query: string,
  tag: SearchTag,
  only: SourceName | null,
): Route {
  const { retrieval } = state.settings;
  if (retrieval.honourTags && tag === 'local_search') return certain('local', 'policy-tag');
  if (retrieval.honourTags && tag === 'web_search') return certain('web', 'policy-tag');
  if (retrieval.source !== 'router') return certain(retrieval.source, 'fixed');
  // A repeat that the same source answered again would bring nothing: there is no choice.
  if (only) return certain(only, 'fixed');
  const { deps, request } = state;
  const round = state.searches.length + 1;
  const likelier = state.settings.nlr.routing === 'argmax';
  const decision = deps.router.decide(
    {
      question: request.question.text,
      query,
      round,
      maxSearches: retrieval.maxSearches,
      past: state.searches,
      roomLeft: contextRoom(state) / deps.policy.info.maxContext,
      localCoverage: deps.router.localCoverage?.(query) ?? 0.5,
    },
    likelier ? LIKELIER : uniform(deriveSeed(request.seed, 'route', round)),
  );
  return { by: 'router', ...(likelier && { routing: 'argmax' as const }), ...decision };
}

/** Fills equation (20) into the route event, once the call's outcome is known. */
function rewardRoute(state: RunState, event: number, route: Route, got: Retrieved): void {
  const { supporting } = state.request.question;
  const found = got.observation.newSupporting;
  const reward = routeReward(route.choice, state.settings.nlr, {
    latencyMs: got.retrieval.latencyMs,
    meanWebLatencyMs: state.webLatency.value,
    newEvidenceShare: found ? found.length / new Set(supporting).size : null,
  });
  if (route.choice === 'web') state.webLatency.add(got.retrieval.latencyMs);
  state.transcript.replaceEvent(event, (known) =>
    known.kind === 'route' ? { ...known, reward } : known,
  );
}

/**
 * Equation (3): what the retriever is asked. The query states t's intention; `thought` takes t's own
 * text for the first search.
 */
function retrievalText(state: RunState, query: string): string {
  const thought = state.thought;
  state.thought = null;
  const literal = state.settings.background.secondStage === 'thought';
  return literal && thought !== null && thought !== '' ? thought : query;
}

/**
 * Routes, retrieves and writes the result.
 * @param only the one source that STIE leaves to a repeated query
 * @returns null where the call failed; a hint stands in place of the result
 */
export async function searchRound(
  state: RunState,
  query: string,
  tag: SearchTag,
  only: SourceName | null = null,
): Promise<Retrieved | null> {
  const { transcript, conversation, settings, deps, tags } = state;
  const route = chooseRoute(state, query, tag, only);
  const event = transcript.event({
    kind: 'route',
    ...route,
    reward: null,
    segment: transcript.lastSegment,
  });
  const got = await retrieve(state, route.choice, retrievalText(state, query));
  const summary = got && (await summarizeHits(state, query, got.retrieval.hits));
  state.searches.push({
    query,
    source: route.choice,
    missed: summary?.fallback === true || (got?.missed ?? true),
    failed: got === null,
  });
  if (!got) {
    writeHint(state, HINTS.searchFailed);
    return null;
  }
  rewardRoute(state, event, route, got);
  const text = summary
    ? inBlock(summary.text)
    : passagesText(
        deps.policy.tokenizer,
        fitting(state, got.retrieval.hits),
        settings.retrieval.passageTokens,
      );
  const room = Math.max(2, contextRoom(state));
  conversation.answerBack('result', blockIds(deps.policy.tokenizer, tags, 'result', text, room));
  if (summary?.fallback) writeHint(state, FALLBACK_HINT);
  return got;
}
