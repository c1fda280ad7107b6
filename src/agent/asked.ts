import { inBlock } from '../records/protocol.ts';
import { contextRoom } from './budget.ts';
import type { RunState } from './state.ts';
import { fault } from './state.ts';
import { blockIds } from './transcript/blocks.ts';
import { compute } from './tools/expression.ts';

/** What the environment answers where the policy computes or asks. */

/** Where nothing can be added to the question. */
const NOTHING_MORE = 'nothing more is known about the question .';

/** The asker's answer: who is meant, where the question left it open. */
const replyOf = ({ request }: RunState): string =>
  request.question.clarification?.reply ?? NOTHING_MORE;

/** The value of an expression, or what is wrong with it. */
const resultOf = (text: string): string => {
  const done = compute(text);
  return done.ok ? done.text : `no result : ${done.message} .`;
};

/** Answers a `compute` or an `ask` block, and notes both. */
export function onAsked(
  state: RunState,
  { block, inner, segment }: { block: 'compute' | 'ask'; inner: string; segment: number },
): void {
  const { conversation, deps, tags, transcript } = state;
  const { tokenizer } = deps.policy;
  const text = inner.trim();
  if (text === '') fault(state, `<${block}> is empty`, segment);
  const reply = block === 'compute' ? resultOf(text) : replyOf(state);
  transcript.event({ kind: 'block', block, text, reply, segment });
  const room = Math.max(2, contextRoom(state));
  if (block === 'compute') {
    conversation.answerBack('result', blockIds(tokenizer, tags, 'result', inBlock(reply), room));
    return;
  }
  conversation.answerBack('result', blockIds(tokenizer, tags, 'reply', inBlock(reply), room));
}
