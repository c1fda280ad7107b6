import type { StopEvent } from '../data/events.ts';
import { answerOpening, blockIds } from './blocks.ts';
import { HINTS } from './protocol.ts';
import type { RunState } from './state.ts';

/** How many tokens may still be written, and what limits them. */

export interface Room {
  tokens: number;
  /** The limit that binds, as the reason to stop once it is reached. */
  limit: Extract<StopEvent['reason'], 'token-budget' | 'context-full'>;
  detail: string;
}

/** Tokens kept free for the environment's hint, the forced opening, the answer and its closing tag. */
export function answerReserve(state: RunState): number {
  const { policy } = state.deps;
  const hint = blockIds(policy.tokenizer, state.tags, 'hint', ` ${HINTS.answerNow}`).length;
  const opening = answerOpening(policy.tokenizer, state.tags);
  // A block that has to be closed first, and the answer's own closing tag: no closing tag is longer.
  const closing = 2 * state.tags.ids('</short_answer>').length;
  const { answerTokens } = state.settings.budgets;
  return hint + opening.tag.length + opening.box.length + answerTokens + closing;
}

/** Free context behind the reserve; may be negative. */
export const contextRoom = (state: RunState): number =>
  state.deps.policy.info.maxContext - state.conversation.session.length - answerReserve(state);

/** Room for the policy's next step. */
export function stepRoom(state: RunState): Room {
  const { budgets } = state.settings;
  const written = state.conversation.sampled + state.thoughtTokens;
  const context: Room = {
    tokens: contextRoom(state),
    limit: 'context-full',
    detail: `the context of ${state.deps.policy.info.maxContext} tokens is full`,
  };
  const total: Room = {
    tokens: budgets.tokens - written,
    limit: 'token-budget',
    detail: `the policy wrote its ${budgets.tokens} tokens`,
  };
  const step: Room = {
    tokens: budgets.stepTokens,
    limit: 'token-budget',
    detail: `one step took ${budgets.stepTokens} tokens`,
  };
  return [total, step].reduce(
    (least, room) => (room.tokens < least.tokens ? room : least),
    context,
  );
}
