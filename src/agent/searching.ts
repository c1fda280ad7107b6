import type { SourceName } from '../records/hits.ts';
import type { RecipeSettings } from '../recipes/parts/settings.ts';
import { blockIds, passagesText } from './transcript/blocks.ts';
import { contextRoom } from './budget.ts';
import { userTurn } from './transcript/prompt.ts';
import { HINTS, inBlock } from '../records/protocol.ts';
import { chooseRoute, fitting, retrieve, rewardRoute, type Retrieved } from './retrieving.ts';
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

/** Begins a thought in the policy's place; it goes on from there. */
export function openThought({ conversation, deps, tags }: RunState, text: string): void {
  const words = deps.policy.tokenizer.encodeText(` ${text}`);
  conversation.write('policy', 'think', [...tags.ids('<think>'), ...words]);
  conversation.parser.force('think', words);
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
  const recorded = state.past?.next('verdict');
  const lifted = verdict.action === 'refused' && state.past?.change('admit') === true;
  const action = recorded?.action ?? (lifted ? 'kept' : verdict.action);
  state.transcript.event({
    kind: 'verdict',
    over: 'query',
    round: state.searches.length + 1,
    segment: state.transcript.lastSegment,
    ...verdict,
    ...(lifted && {
      action,
      reason: `${verdict.reason}; admitted all the same, to see what follows`,
    }),
  });
  return action === 'refused' ? null : { only };
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
  rewardRoute(state, event, {
    choice: route.choice,
    latencyMs: got.retrieval.latencyMs,
    newSupporting: got.observation.newSupporting,
  });
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
