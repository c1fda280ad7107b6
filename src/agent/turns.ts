import type { SegmentRole } from '../records/rollout.ts';
import { contextRoom } from './budget.ts';
import { fault, type RunState, type WrittenCall } from './state.ts';
import type { Delta, Piece } from './transcript/tool-chat.ts';
import { isBareCall, readCalls } from './transcript/read-calls.ts';
import { cutIds } from './transcript/blocks.ts';
import type { Placed } from './transcript/conversation.ts';
import { endTexts, toolChatOf } from './transcript/prompt.ts';
import { resolveCall, toolsOf } from './transcript/tool-list.ts';

/**
 * The protocol of tools: the model's turns are read whole, and what the environment says to them is rendered by the
 * checkpoint's own chat template. Only what follows the existing context is appended.
 */

const CUT = 'The call was cut off at the limit of tokens; write a shorter one.';

interface Message {
  text: string;
  segment: number;
}

/** What a turn was. */
export interface Turn {
  calls: WrittenCall[];
  /** The message that is the answer; null where there are calls, or the turn said nothing. */
  answer: Message | null;
  /** The model ended its turn. */
  ended: boolean;
  /** What it said beside, in order. */
  thoughts: Message[];
}

/** Text without the whitespace and tags around it says nothing. */
const says = ({ text }: Message): boolean => text.trim() !== '';

/** A call that a limit cut off; a message to the model says so. */
function cutCall(state: RunState, turn: Turn): void {
  const { parser } = state.conversation;
  const { open, openInner } = parser;
  const segment = state.transcript.lastSegment;
  const bare = open === 'think' && isBareCall(openInner);
  if (open !== 'search' && !bare) return;
  fault(state, 'a call was cut off at the limit of tokens', segment);
  parser.closedByEnvironment('search');
  if (bare) state.conversation.relabel(segment, 'search');
  turn.calls.push({ read: { error: CUT }, segment });
}

/** The last message of a turn: calls without tags around them, or the answer. */
function readMessage(state: RunState, turn: Turn, message: Message): void {
  const { conversation, deps, settings } = state;
  if (!isBareCall(message.text)) {
    conversation.relabel(message.segment, 'answer');
    turn.answer = message;
    return;
  }
  conversation.relabel(message.segment, 'search');
  const { segment } = message;
  const calls = readCalls(message.text);
  const tools = toolsOf(settings);
  // A call that is wrong in itself is one fault.
  const known = calls.every((read) => 'tool' in resolveCall(read, tools));
  if (known && toolChatOf(deps.policy, settings).family !== 'llama3')
    fault(state, 'a call without the tags that this model has for calls', segment);
  turn.calls.push(...calls.map((read) => ({ read, segment })));
}

/** Reads what the model wrote in one turn, or in a part of it. */
export function readTurn(state: RunState, placed: readonly Placed[]): Turn {
  const turn: Turn = { calls: [], answer: null, ended: false, thoughts: [] };
  let message: Message | null = null;
  for (const { parsed, segment } of placed) {
    if (parsed.type === 'fault') fault(state, parsed.message, segment);
    if (parsed.type === 'end') turn.ended = true;
    if (parsed.type !== 'closed') continue;
    const { kind, inner } = parsed;
    if (kind === 'search') {
      turn.calls.push(...readCalls(inner).map((read) => ({ read, segment })));
    } else if (kind === 'short_answer') turn.answer = { text: inner, segment };
    else {
      const said = { text: inner, segment };
      if (message) turn.thoughts.push(message);
      message = parsed.prose && says(said) ? said : null;
      if (!parsed.prose) turn.thoughts.push(said);
    }
  }
  if (!turn.ended) cutCall(state, turn);
  if (message && turn.ended && turn.calls.length === 0 && !turn.answer)
    readMessage(state, turn, message);
  else if (message) turn.thoughts.push(message);
  if (turn.calls.length > 0) turn.answer = null;
  return turn;
}

/** Whether the model ended its last turn itself. */
function endedItself({ deps, transcript }: RunState): boolean {
  const last = transcript.rollout.segments.at(-1);
  const id = last?.ids.at(-1);
  const { endIds, endOfText } = deps.policy.tokenizer;
  return last?.source === 'policy' && id !== undefined && (endIds ?? [endOfText]).includes(id);
}

const asJson = (text: string): string => JSON.stringify(text).slice(1, -1);

interface Content {
  role: SegmentRole;
  text: string;
}

/** Writes the template's text with the contents in it; the last text begins the model's next turn, and waits. */
function writeDelta(state: RunState, { end, pieces }: Delta, contents: readonly Content[]): void {
  const { conversation, deps, tags } = state;
  const { tokenizer } = deps.policy;
  const template = (text: string): number[] => tokenizer.encodeTemplate?.(text) ?? [];
  const closing = endedItself(state) ? '' : end;
  const all: Piece[] = [...pieces];
  const [first] = all;
  if (closing !== '' && first && 'template' in first)
    all[0] = { template: closing + first.template };
  else if (closing !== '') all.unshift({ template: closing });
  const around = all.map((piece) => ('template' in piece ? template(piece.template) : []));
  let room = contextRoom(state) - around.reduce((sum, ids) => sum + ids.length, 0);
  let left = contents.length;
  const json = all.some((piece) => 'json' in piece && piece.json);
  all.forEach((piece, i) => {
    if ('template' in piece) {
      const ids = around[i] ?? [];
      if (i < all.length - 1) conversation.write('environment', 'instruction', ids);
      else conversation.openTurnLater('environment', ids, json);
      return;
    }
    const { role, text } = contents[piece.content] ?? { role: 'result', text: '' };
    const plain = tags.plain(text.trim());
    const whole = tokenizer.encodeText(piece.json ? asJson(plain) : plain);
    const share = Math.max(2, Math.floor(room / left));
    const ids = cutIds(whole, share, (some) => tokenizer.decode(some));
    room -= ids.length;
    left -= 1;
    conversation.answerBack(role, ids);
  });
}

/**
 * What the environment says in turns: to the call that is being answered; else in its own message where that is still
 * open; else in a message of its own, after the model's turn.
 */
export function sayInTurns(state: RunState, role: 'result' | 'hint', text: string): void {
  const { conversation, deps, replies, settings, tags } = state;
  if (replies) {
    const at = replies.texts.length - 1;
    const before = replies.texts[at] ?? '';
    replies.texts[at] = before === '' ? text.trim() : `${before}\n${text.trim()}`;
    return;
  }
  if (conversation.waitingTurn) {
    const { tokenizer } = deps.policy;
    const plain = tags.plain(`\n\n${text.trim()}`);
    const whole = tokenizer.encodeText(conversation.waitingTurn.json ? asJson(plain) : plain);
    const room = Math.max(2, contextRoom(state));
    const ids = cutIds(whole, room, (some) => tokenizer.decode(some));
    conversation.answerBack(role, ids);
    return;
  }
  const delta = toolChatOf(deps.policy, settings).user(endTexts(deps.policy));
  writeDelta(state, delta, [{ role, text }]);
}

/** Writes the results of a turn's calls; those that none was given say `rest`. */
export function writeReplies(state: RunState, rest = ''): void {
  const { deps, replies, settings } = state;
  if (!replies) return;
  state.replies = null;
  const calls = replies.calls.map(({ read }) => {
    const { name, id } = 'call' in read ? read.call : { name: 'search' };
    return { name, ...(id !== undefined && { id }) };
  });
  const delta = toolChatOf(deps.policy, settings).results(calls, endTexts(deps.policy));
  const contents = replies.calls.map((_, i) => ({
    role: 'result' as const,
    text: replies.texts[i] ?? rest,
  }));
  writeDelta(state, delta, contents);
}

/** The segment in which the result of the call that is being answered will be. */
export function replySegment({ conversation, replies, transcript }: RunState): number {
  const next = transcript.lastSegment + 1;
  // Template text stands before each result.
  if (replies) return next + 1 + 2 * (replies.texts.length - 1);
  return conversation.waitingTurn === null ? next + 1 : next;
}

/** Ends the turn in which the model was to answer, and asks for the answer with `hint`. */
export function askInTurns(state: RunState, hint: string, always: boolean): void {
  const { conversation } = state;
  const { parser } = conversation;
  if (parser.open) parser.closedByEnvironment(parser.open);
  if (state.replies) {
    sayInTurns(state, 'hint', hint);
    writeReplies(state, hint);
  } else if (always || conversation.waitingTurn === null) sayInTurns(state, 'hint', hint);
}
