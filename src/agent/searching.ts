import { deriveSeed } from '../base/random.ts';
import type { Hit, SourceName } from '../records/hits.ts';
import { traitsOf } from '../recipes/parts/system.ts';
import type { RecipeSettings } from '../recipes/parts/settings.ts';
import { blockIds, passagesText } from './transcript/blocks.ts';
import { contextRoom } from './budget.ts';
import { userTurn } from './transcript/prompt.ts';
import { HINTS, inBlock } from '../records/protocol.ts';
import { chooseRoute, fitting, retrieve, rewardRoute, type Retrieved } from './retrieving.ts';
import type { ShownResult } from './hooks.ts';
import type { RunState } from './state.ts';
import { judgeQuery } from './stie.ts';
import { FALLBACK_HINT, summarizeHits } from './summarizing.ts';
import { speaksInTurns, type SearchTag } from './transcript/tags.ts';
import { sayInTurns } from './turns.ts';

/** One search: STIE over the query, NLR, retrieval, result. */

/** The environment's word in place of a result. */
export function writeHint(state: RunState, text: string): void {
  if (speaksInTurns(state.tags)) return sayInTurns(state, 'hint', text);
  const { tokenizer } = state.deps.policy;
  const room = Math.max(2, contextRoom(state));
  state.conversation.answerBack('hint', blockIds(tokenizer, state.tags, 'hint', ` ${text}`, room));
}

/** Begins a thought in the policy's place, or continues with the one that is open; it continues from there. */
export function openThought({ conversation, deps, tags }: RunState, text: string): void {
  const turns = speaksInTurns(tags);
  const words = deps.policy.tokenizer.encodeText(turns ? text : ` ${text}`);
  const opening = turns || conversation.parser.open === 'think' ? [] : tags.ids('<think>');
  conversation.openTurn();
  conversation.write('policy', 'think', [...opening, ...words]);
  conversation.parser.force('think', words, turns);
}

/**
 * The environment's word to a policy that ended its turn: as the user's next message in the policy's own
 * chat template, and where it has none, or no room is left for one, as any other hint.
 */
export function writeTurnHint(state: RunState, text: string): void {
  if (speaksInTurns(state.tags)) return sayInTurns(state, 'hint', text);
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

/** STIE over passages: whether what an earlier result showed is left out. A context that restarts has lost it. */
const leavesOutSeen = ({ settings }: RunState): boolean =>
  settings.stie.mode !== 'off' &&
  settings.stie.overPassages === true &&
  !traitsOf(settings).resetsContext;

/** What a call brought, and where it went. */
export interface Called {
  route: ReturnType<typeof chooseRoute>;
  got: Retrieved | null;
  /** What the policy is to read in place of the passages; null: the passages. */
  summary: ShownResult | null;
}

/**
 * Routes and retrieves: all of a search but what the policy reads of it.
 * @param only the one source that STIE leaves to a repeated query
 * @param shown whether a result is written next
 */
export async function callSearch(
  state: RunState,
  query: string,
  tag: SearchTag,
  only: SourceName | null = null,
  shown = true,
): Promise<Called> {
  const { hooks, transcript } = state;
  const route = chooseRoute(state, query, tag, only);
  const event = transcript.event({
    kind: 'route',
    ...route,
    reward: null,
    // A question's own search comes before anything is written.
    ...(transcript.lastSegment >= 0 && { segment: transcript.lastSegment }),
  });
  const unseen = leavesOutSeen(state);
  const got = await retrieve(state, route.choice, retrievalText(state, query), { shown, unseen });
  const hits = got?.retrieval.hits;
  const summary =
    hits && shown
      ? ((await summarizeHits(state, query, hits)) ??
        (await hooks.showResult?.(state, query, hits)) ??
        null)
      : null;
  state.searches.push({
    query,
    source: route.choice,
    missed: summary?.fallback === true || (got?.missed ?? true),
    failed: got === null,
  });
  if (got)
    rewardRoute(state, event, {
      choice: route.choice,
      latencyMs: got.retrieval.latencyMs,
      newSupporting: got.observation.newSupporting,
    });
  return { route, got, summary };
}

/** As many of these passages as the context holds, as the policy reads them. */
export function fittingText(state: RunState, hits: readonly Hit[]): string {
  const { deps, hooks, settings, tags } = state;
  const shown = fitting(state, hits);
  return passagesText(
    deps.policy.tokenizer,
    hooks.arrangeHits?.(shown) ?? shown,
    settings.retrieval.passageTokens,
    tags,
  );
}

/** Opens a new, empty context. */
export async function resetContext({
  conversation,
  deps,
  request,
  transcript,
}: RunState): Promise<void> {
  const number = (transcript.rollout.contexts?.length ?? 0) + 1;
  conversation.resetContext(await deps.policy.open(deriveSeed(request.seed, 'policy', number)));
}

/** A result as its call, or a message of the user's, shows it. */
const shownInTurns = ({ deps, hooks, replies }: RunState, text: string): string => {
  const { tokenizer } = deps.policy;
  const kept = hooks.cutResult
    ? tokenizer.decode(hooks.cutResult(tokenizer.encodeText(text), [0, 0]))
    : text;
  return replies ? kept : `Passages:\n${kept.trim()}`;
};

/** Writes a result block. */
function writeResult(state: RunState, text: string): void {
  const { conversation, deps, hooks, tags } = state;
  if (speaksInTurns(tags)) return sayInTurns(state, 'result', shownInTurns(state, text));
  const room = Math.max(2, contextRoom(state));
  const whole = blockIds(deps.policy.tokenizer, tags, 'result', text);
  const around = [tags.ids('<result>').length, tags.ids('</result>').length] as const;
  const ids = hooks.cutResult?.(whole, around) ?? whole;
  const fits = ids.length <= room;
  conversation.answerBack(
    'result',
    fits ? ids : blockIds(deps.policy.tokenizer, tags, 'result', text, room),
  );
}

/** The further queries of one search: each is a search of its own except for the result that all share. */
async function callFurther(
  state: RunState,
  queries: readonly string[],
  tag: SearchTag,
): Promise<Called[]> {
  const { transcript } = state;
  const called: Called[] = [];
  for (const query of queries) {
    const round = state.searches.length + 1;
    if (round > state.settings.retrieval.maxSearches) break;
    transcript.event({ kind: 'search', query, round, tag, segment: transcript.lastSegment });
    called.push(await callSearch(state, query, tag));
  }
  return called;
}

/** What several calls brought, in turns of the best of each, each passage once. */
function mixed(called: readonly Called[]): Hit[] {
  const lists = called.map(({ got }) => got?.retrieval.hits ?? []);
  const [only, ...others] = lists;
  if (others.length === 0) return only ?? [];
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  const all = Array.from({ length: longest }, (_, i) => lists.flatMap((list) => list[i] ?? []));
  return [...new Map(all.flat().map((hit) => [hit.passage.id, hit])).values()];
}

/**
 * Routes, retrieves and writes the result.
 * @param only the one source that STIE leaves to a repeated query
 * @param further queries that the same result answers
 * @returns null where every call failed; a hint is in place of the result
 */
export async function searchRound(
  state: RunState,
  query: string,
  tag: SearchTag,
  only: SourceName | null = null,
  further: readonly string[] = [],
): Promise<Retrieved | null> {
  await state.hooks.beforeSearch?.(state);
  const first = await callSearch(state, query, tag, only);
  const called = [first, ...(await callFurther(state, further, tag))];
  const got = called.findLast((one) => one.got !== null)?.got ?? null;
  if (!got) {
    writeHint(state, HINTS.searchFailed);
    return null;
  }
  const hits = mixed(called);
  const summaries = called.flatMap(({ summary }) => summary ?? []);
  const text =
    summaries.length > 0
      ? inBlock(summaries.map((summary) => summary.text).join(' '))
      : (state.hooks.resultText?.(state, query, hits) ?? fittingText(state, hits));
  const { placeResult } = state.hooks;
  if (placeResult) await placeResult.write(state, text);
  else writeResult(state, text);
  if (summaries.length > 0 && summaries.every(({ fallback }) => fallback))
    writeHint(state, FALLBACK_HINT);
  state.hooks.afterResult?.(state);
  return got;
}
