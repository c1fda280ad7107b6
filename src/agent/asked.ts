import { inBlock } from '../records/protocol.ts';
import { contextRoom } from './budget.ts';
import type { RunState } from './state.ts';
import { fault } from './state.ts';
import { lookUp } from '../recipes/parts/pages.ts';
import { blockIds } from './transcript/blocks.ts';
import { speaksInTurns, type AskedBlock } from './transcript/tags.ts';
import { sayInTurns } from './turns.ts';
import { computeReply } from './tools/expression.ts';

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
export function onAsked(
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
