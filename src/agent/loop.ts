import { inBlock, HINTS, splitQueries, TURN_ENDED_HINT } from '../records/protocol.ts';
import { contextRoom, stepRoom } from './budget.ts';
import {
  type RunState,
  fault,
  checkCancelled,
  stop,
  type Replies,
  type WrittenCall,
} from './state.ts';
import { lookUp } from '../recipes/parts/pages.ts';
import { blockIds, passagesText, readQueryIn } from './transcript/blocks.ts';
import {
  speaksInTurns,
  type AskedBlock,
  isAnswer,
  isAsked,
  isFurther,
  isSearch,
  type AnswerTag,
  type SearchTag,
  type Stops,
} from './transcript/tags.ts';
import { sayInTurns, readTurn, writeReplies } from './turns.ts';
import { computeReply } from './expression.ts';
import type { StopEvent } from '../records/events.ts';
import { forceAnswer, noteProse, takeAnswer } from './answering.ts';
import { readBoxes, readProseAnswer } from './transcript/boxed.ts';
import type { Generated } from '../policy/policy.ts';
import type { Placed } from './transcript/conversation.ts';
import { stieRound } from './probing.ts';
import { openContext } from './rdra.ts';
import type { Past } from './fork/past.ts';
import {
  admitQuery,
  callSearch,
  openThought,
  searchRound,
  writeHint,
  writeTurnHint,
} from './searching.ts';
import { fitting } from './retrieving.ts';
import { traitsOf } from '../recipes/parts/system.ts';
import { resolveCall, toolsOf } from './transcript/tool-list.ts';

/** What the environment answers where the policy computes or asks. */

/** Where nothing can be added to the question. */
const NOTHING_MORE = 'nothing more is known about the question .';

/** The asker's answer: who is meant, where the question left it open, and the asker still answers. */
function replyOf(state: RunState): string {
  if (state.hooks.repliesToAsk?.(state) === false) return NOTHING_MORE;
  return state.request.question.clarification?.reply ?? NOTHING_MORE;
}

/** ReAct's look-up: the next sentence with this text on the page that was opened last. */
function nextMention(state: RunState, text: string): string {
  const { page, text: last, seen } = state.page;
  const n = last === text ? seen : 0;
  state.page = { page, text, seen: n + 1 };
  state.lookups += 1;
  return lookUp(page, text, n) ?? 'no more results .';
}

function replyTo(state: RunState, block: AskedBlock, text: string): string {
  if (block === 'lookup') return nextMention(state, text);
  return block === 'compute' ? computeReply(text) : replyOf(state);
}

/** Answers a block that asks something of the environment, and notes both. */
function onAsked(
  state: RunState,
  { block, inner, segment }: { block: AskedBlock; inner: string; segment: number },
): void {
  const { conversation, deps, tags, transcript } = state;
  const { tokenizer } = deps.policy;
  const text = inner.trim();
  if (text === '') fault(state, `<${block}> is empty`, segment);
  const reply = replyTo(state, block, text);
  transcript.event({ kind: 'block', block, text, reply, segment });
  if (speaksInTurns(tags)) return sayInTurns(state, 'result', reply);
  const room = Math.max(2, contextRoom(state));
  const tag = block === 'ask' ? 'reply' : 'result';
  conversation.answerBack('result', blockIds(tokenizer, tags, tag, inBlock(reply), room));
}

const wordsOf = (text: string): number => text.split(/\s+/u).filter(Boolean).length;

/** The think–search–answer loop of the KunLunBaizeRAG protocol. */

interface Block {
  inner: string;
  segment: number;
}

/** How one step of the policy ended. */
export type StepEnd =
  | ({ type: 'search'; tag: SearchTag } & Block)
  | ({ type: 'answer'; tag: AnswerTag } & Block)
  | ({ type: 'asked'; block: AskedBlock } & Block)
  /** What one turn called, where calls are tools'. */
  | { type: 'calls'; calls: readonly WrittenCall[] }
  | { type: 'end' }
  | { type: 'limit'; reason: StopEvent['reason']; detail: string }
  /** A fault ended it, or the end of a thought that a loop waits for; the policy may continue. */
  | { type: 'again' };

function readParsed(state: RunState, placed: Placed): StepEnd | null {
  const { parsed, segment } = placed;
  if (parsed.type === 'fault') fault(state, parsed.message, segment);
  if (parsed.type === 'end') return { type: 'end' };
  if (parsed.type !== 'closed') return null;
  const { kind, inner } = parsed;
  if (isSearch(kind)) return parsed.usable ? { type: 'search', tag: kind, inner, segment } : null;
  if (isAnswer(kind)) {
    // A block that another tag cut off counts only where its box is whole.
    const whole = parsed.usable || readBoxes(inner.trim()).contents.length > 0;
    return whole ? { type: 'answer', tag: kind, inner, segment } : null;
  }
  if (isAsked(kind)) return parsed.usable ? { type: 'asked', block: kind, inner, segment } : null;
  if (isFurther(kind))
    state.transcript.event({ kind: 'block', block: kind, text: inner.trim(), segment });
  else noteThought(state, inner, segment);
  return null;
}

function noteThought(state: RunState, inner: string, segment: number): void {
  const text = inner.trim();
  // In a dialect a thought is whatever prose is there.
  if (text === '' && state.tags.dialect) return;
  const { mode } = state.settings.background;
  const first = state.transcript.rollout.events.every((event) => event.kind !== 'think');
  const aligned = first && mode !== 'off';
  if (aligned) state.thought = text;
  state.transcript.event({ kind: 'think', text, phase: aligned ? 'alignment' : 'step', segment });
}

const acts = (end: StepEnd | null): boolean =>
  end?.type === 'search' || end?.type === 'answer' || end?.type === 'asked';

/** Whether this block must not replace the step's outcome. */
function keepsOutcome(next: StepEnd, placed: Placed, end: StepEnd | null): boolean {
  // An answer block that the end of text cut off is still that answer.
  if (next.type === 'end' && end?.type === 'answer') return true;
  // Sampling ended at the first; the second is in the same token.
  return placed.afterStop && acts(end);
}

/** Closes a block that the policy opened after its search, in the same token: the result comes first. */
function closeBlockAfterCall(state: RunState, end: StepEnd): void {
  const { conversation, tags } = state;
  if (end.type !== 'search' && end.type !== 'asked') return;
  noteProse(state);
  const { open } = conversation.parser;
  if (!open) return;
  fault(state, `<${open}> behind a search`, state.transcript.lastSegment);
  conversation.closeOpenBlock((kind) => tags.ids(`</${kind}>`));
}

/** Words that a fork puts before what the policy continues with. */
function writeWords(state: RunState, past: Past): void {
  const hint = past.change('hint');
  if (hint !== undefined) writeHint(state, hint);
  const opening = past.change('opening');
  if (opening !== undefined) openThought(state, opening);
}

/** How a turn of the model's ended; null where a limit cut it off and nothing was called. */
function turnEnd(state: RunState, placed: readonly Placed[]): StepEnd | null {
  const { answer, calls, ended, thoughts } = readTurn(state, placed);
  for (const { text, segment } of thoughts) noteThought(state, text, segment);
  if (calls.length > 0) return { type: 'calls', calls };
  if (answer)
    return { type: 'answer', tag: 'short_answer', inner: answer.text, segment: answer.segment };
  return ended ? { type: 'end' } : null;
}

/** What a fork of the context sampled becomes the policy's next step. */
export function adoptStep(state: RunState, generated: Generated): StepEnd {
  if (speaksInTurns(state.tags)) {
    const placed: Placed[] = [];
    state.conversation.adopt(generated, (one) => placed.push(one));
    return turnEnd(state, placed) ?? { type: 'again' };
  }
  let end: StepEnd | null = null;
  state.conversation.adopt(generated, (placed) => {
    const next = readParsed(state, placed);
    if (next && !keepsOutcome(next, placed, end)) end = next;
  });
  return end ?? { type: 'again' };
}

/**
 * Lets the policy write until it searches, answers, ends or meets a limit.
 * @param stops where a loop waits for something else, such as the end of a thought
 */
export async function policyStep(
  state: RunState,
  stops: Stops = state.tags.stops,
): Promise<StepEnd> {
  if (state.past?.wordsWait) writeWords(state, state.past);
  const { conversation, settings, request } = state;
  const room = stepRoom(state);
  if (room.tokens <= 0) return { type: 'limit', reason: room.limit, detail: room.detail };
  let end: StepEnd | null = null;
  const turn: Placed[] | null = speaksInTurns(state.tags) ? [] : null;
  const generated = await conversation.sample(
    {
      maxTokens: room.tokens,
      stops,
      sampling: settings.sampling,
      ...state.hooks.samplingOptions?.(state),
      signal: request.signal,
    },
    (placed) => {
      if (turn) {
        turn.push(placed);
        return;
      }
      const next = readParsed(state, placed);
      if (next && !keepsOutcome(next, placed, end)) end = next;
    },
  );
  checkCancelled(state);
  if (turn) end = turnEnd(state, turn);
  if (end) closeBlockAfterCall(state, end);
  if (end) return end;
  if (generated.finish === 'stop') return { type: 'again' };
  const reason = generated.finish === 'context' ? 'context-full' : room.limit;
  return { type: 'limit', reason, detail: room.detail };
}

/** One search of the policy. @returns whether the rollout is over */
async function onSearch(
  state: RunState,
  block: Omit<Block, 'inner'> & { tag: SearchTag },
  inner: string,
): Promise<boolean> {
  const { retrieval, stie } = state.settings;
  const { queries } = traitsOf(state.settings);
  const [query = inner, ...further] =
    queries === undefined ? [inner] : splitQueries(inner, queries);
  if (query === '') {
    fault(state, 'the search is empty', block.segment);
    writeHint(state, HINTS.emptyQuery);
    return false;
  }
  const round = state.searches.length + 1;
  const { tag, segment } = block;
  state.transcript.event({ kind: 'search', query, round, tag, segment });
  const verdict = (await state.hooks.onQuery?.(state, query)) ?? 'search';
  if (verdict !== 'search') return verdict === 'end';
  if (retrieval.maxSearches === 0) {
    fault(state, 'a search where none is allowed', segment);
    await forceAnswer(state, limit('max-searches', 'no search is allowed here'), true);
    return true;
  }
  const { maxSearches } = retrieval;
  if (round + state.lookups > maxSearches) {
    await forceAnswer(state, limit('max-searches', `all ${maxSearches} searches are made`), true);
    return true;
  }
  const { queryWords } = retrieval;
  if (queryWords !== undefined && wordsOf(query) > queryWords)
    fault(state, `a query of ${wordsOf(query)} words; at most ${queryWords} are allowed`, segment);
  // A result of less than this says nothing.
  if (contextRoom(state) < 24) {
    await forceAnswer(state, limit('context-full', 'no room for another result'), true);
    return true;
  }
  const admitted = admitQuery(state, query, tag);
  if (!admitted) return refuse(state, stie.maxRefusals);
  state.refusals = 0;
  const got = await searchRound(state, query, tag, admitted.only, further);
  if (!got) return false;
  if (!state.replies) return stieRound(state, got.observation);
  // The result is written with those of the turn's other calls.
  state.replies.observation = got.observation;
  return false;
}

/** One call of a turn. @returns whether the rollout is over */
async function onCall(state: RunState, { read, segment }: WrittenCall): Promise<boolean> {
  const resolved = resolveCall(read, toolsOf(state.settings));
  if ('error' in resolved) {
    fault(state, resolved.error, segment);
    sayInTurns(state, 'hint', `Error: ${resolved.error}`);
    return false;
  }
  const { tool, text } = resolved;
  if (isSearch(tool.name)) return onSearch(state, { tag: tool.name, segment }, text);
  return answerAsked(state, { type: 'asked', block: tool.name, inner: text, segment });
}

/** The calls of one turn, in order; their results are written together. @returns whether the rollout is over */
async function onCalls(state: RunState, calls: readonly WrittenCall[]): Promise<boolean> {
  const replies: Replies = { calls, texts: [], observation: null };
  state.replies = replies;
  for (const call of calls) {
    // A context that was reset has no turn to answer.
    if (state.replies === null) break;
    replies.texts.push('');
    if (await onCall(state, call)) return true;
  }
  writeReplies(state);
  return replies.observation ? stieRound(state, replies.observation) : false;
}

const limit = (
  reason: StopEvent['reason'],
  detail: string,
): { reason: StopEvent['reason']; detail: string } => ({ reason, detail });

async function refuse(state: RunState, most: number): Promise<boolean> {
  state.refusals += 1;
  if (state.refusals < most) {
    writeHint(state, HINTS.repeatedQuery);
    return false;
  }
  const clause = { rule: 'repeated-queries', value: state.refusals, threshold: most } as const;
  const detail = `${state.refusals} repeated queries in a row`;
  await forceAnswer(state, { reason: 'stie-overlap', detail, clause }, true);
  return true;
}

function onAnswer(state: RunState, block: Block & { tag: AnswerTag }): void {
  const form = block.tag === 'short_answer' ? 'short' : 'long';
  const found = takeAnswer(state, { inner: block.inner, segment: block.segment, form }, false);
  if (found) stop(state, 'answer', 'the policy answered');
  else stop(state, 'malformed', 'the answer block holds no answer');
}

/** Takes the answer out of the turn's last thought, in a dialect that has no block for it. @returns whether there was one */
function answeredInProse(state: RunState): boolean {
  const { dialect } = state.tags;
  if (dialect?.answer !== 'boxed-prose') return false;
  const last = state.transcript.rollout.events.at(-1);
  if (last?.kind !== 'think') return false;
  const answer = readProseAnswer(last.text, dialect.phrase);
  if (answer === null) return false;
  const segment = last.segment ?? state.transcript.lastSegment;
  onAnswer(state, { inner: `\\boxed{${answer}}`, segment, tag: 'short_answer' });
  return true;
}

/**
 * A policy that was not trained on the protocol ends its turn after its thought or behind prose, as in
 * a chat: it gets the instruction again, until it has too many faults. One whose tags are tokens
 * of its own means the end.
 * @returns whether the rollout is over
 */
function onTurnEnd(state: RunState): boolean {
  if (answeredInProse(state)) return true;
  if (state.tags.spelling === 'ids') {
    stop(state, 'end-of-text', 'the policy ended without an answer');
    return true;
  }
  fault(state, 'the turn ended without a search or an answer', state.transcript.lastSegment);
  if (state.faults >= state.settings.budgets.maxFaults) {
    stop(
      state,
      'end-of-text',
      `the policy ended its turn without an answer, fault ${state.faults}`,
    );
    return true;
  }
  writeTurnHint(state, TURN_ENDED_HINT);
  return false;
}

/** Does what the policy asked for. @returns whether the rollout is over */
export async function act(state: RunState, end: StepEnd): Promise<boolean> {
  switch (end.type) {
    case 'search':
      return onSearch(state, end, readQueryIn(state.tags, end.inner));
    case 'calls':
      return onCalls(state, end.calls);
    case 'answer':
      onAnswer(state, end);
      return true;
    case 'asked':
      return answerAsked(state, end);
    case 'end':
      return onTurnEnd(state);
    case 'limit':
      await forceAnswer(state, end, true);
      return true;
    case 'again':
      break;
  }
  return false;
}

/** Look-ups count as searches: both are steps. @returns whether the rollout is over */
async function answerAsked(
  state: RunState,
  end: Extract<StepEnd, { type: 'asked' }>,
): Promise<boolean> {
  const { maxSearches } = state.settings.retrieval;
  if (end.block === 'lookup' && state.searches.length + state.lookups >= maxSearches) {
    await forceAnswer(state, limit('max-searches', `all ${maxSearches} steps are taken`), true);
    return true;
  }
  onAsked(state, end);
  return false;
}

/**
 * Opens the context, with a first search for the question itself where the recipe has one. Its passages are where
 * a background does for a policy whose tags are ids, which was shown passages for a question there, unless the recipe
 * wants what follows a result.
 */
export async function openWithSearch(state: RunState): Promise<void> {
  const { method, retrieval } = state.settings;
  const question = state.request.question.text;
  if (!method?.firstSearch || retrieval.maxSearches === 0) return openContext(state);
  const before = state.tags.spelling === 'ids' && method.firstSearch === 'question';
  if (before || speaksInTurns(state.tags)) {
    const { got } = await callSearch(state, question, 'search', null, false);
    const hits = fitting(state, got?.retrieval.hits ?? []);
    const { tokenizer } = state.deps.policy;
    const text = hits.length > 0 ? passagesText(tokenizer, hits, retrieval.passageTokens) : '';
    return openContext(state, text);
  }
  await openContext(state);
  await searchRound(state, question, 'search');
}

/** Runs the loop to its stop event. */
export async function agentLoop(state: RunState): Promise<void> {
  await openWithSearch(state);
  for (;;) {
    const over = await act(state, await policyStep(state));
    if (over) return;
    if (state.faults >= state.settings.budgets.maxFaults) {
      stop(state, 'malformed', `${state.faults} faults against the protocol`);
      return;
    }
  }
}
