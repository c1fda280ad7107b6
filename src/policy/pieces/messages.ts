import type { ChatMessage } from '../text-model.ts';
import type { Turns } from './text-backend.ts';
import type { PieceTokenizer } from './tokenizer.ts';

/** A context of pieces as the messages of a chat. */

/** One piece of a context and whether the policy sampled it. */
export interface ContextPiece {
  id: number;
  sampled: boolean;
}

/**
 * Asked of the model where its last word stands at the end and its server only answers the user. It is
 * in the request alone, not in the record of the rollout.
 */
export const GO_ON = 'Go on.';

/**
 * With `continue`, everything behind the assistant's mark is one message of the assistant's, whoever
 * wrote it. With `alternate`, what the policy did not write there is the user's.
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
  const mustAsk = turns === 'alternate' && said.at(-1)?.role === 'assistant';
  return mustAsk ? [...said, { role: 'user', content: GO_ON }] : said;
}
