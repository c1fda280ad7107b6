import type { ChatMessage } from '../../text-model.ts';
import { openBlock } from './echo.ts';
import type { Turns } from './text-backend.ts';
import type { PieceTokenizer } from './tokenizer.ts';

/** A context of pieces as the messages of a chat. */

/** One piece of a context and whether the policy sampled it. */
export interface ContextPiece {
  id: number;
  sampled: boolean;
}

/**
 * Asked of the model where its last word is at the end and its server only answers the user. It is
 * in the request alone, not in the record of the rollout.
 */
export const GO_ON = 'Go on.';

/** Asked where the environment opened a block in the model's place, in the request alone too. */
export const CLOSE_IT =
  'Go on exactly where this ends, and close every brace and every tag that is open.';

/**
 * With `continue`, everything after the assistant's mark is one assistant message, also text
 * that the policy did not write. With `alternate`, such text is a user message.
 */
export function messagesOf(
  context: readonly ContextPiece[],
  tokenizer: PieceTokenizer,
  turns: Turns,
): ChatMessage[] {
  const messages: ChatMessage[] = [];
  let turn: ChatMessage['role'] = 'user';
  for (const { id, sampled } of context) {
    const marked = tokenizer.roleOf(id);
    if (marked) {
      turn = marked;
      if (turns === 'continue' || marked !== 'assistant')
        messages.push({ role: turn, content: '' });
      continue;
    }
    const role = turns === 'alternate' && turn === 'assistant' && !sampled ? 'user' : turn;
    const last = messages.at(-1);
    const content = tokenizer.decode([id]);
    if (last?.role === role) last.content += content;
    else messages.push({ role, content });
  }
  const said = messages.filter(({ content }) => content.trim() !== '');
  return turns === 'alternate' ? asking(said) : said;
}

/** Messages of which the last is a question to the model. */
function asking(messages: ChatMessage[]): ChatMessage[] {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return [...messages, { role: 'user', content: GO_ON }];
  if (last?.role !== 'user' || openBlock(last.content) === '') return messages;
  const asked = { ...last, content: `${last.content}\n\n${CLOSE_IT}` };
  return [...messages.slice(0, -1), asked];
}
