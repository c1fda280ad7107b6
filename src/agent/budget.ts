import type { StopEvent } from '../records/events.ts';
import {
  LONG_ANSWER_TOKENS,
  type RecipeSettings,
  type SettingsOverride,
} from '../recipes/parts/settings.ts';
import type { PolicyInfo } from '../policy/policy.ts';
import { answerOpening, blockIds } from './transcript/blocks.ts';
import { HINTS } from '../records/protocol.ts';
import { wantsLongAnswer } from './answers/long-answer.ts';
import type { RunState } from './state.ts';
import { endTexts, toolChatOf } from './transcript/prompt.ts';
import { speaksInTurns, type Tags } from './transcript/tags.ts';

/** How many tokens may still be written, and what limits them. */

export interface Room {
  tokens: number;
  /** The limit that binds, as the reason to stop once it is reached. */
  limit: Extract<StopEvent['reason'], 'token-budget' | 'context-full'>;
  detail: string;
}

/**
 * Budgets of policies whose tags are text. The recipes' own are those of the built-in policy, whose
 * tokenizer knows its small world; others take more tokens for the same words, and write more of them.
 */
const TEXT_BUDGETS = {
  tokens: 2048,
  stepTokens: 640,
  /** Of models below `SMALL`: what one writes on is mostly noise, and on a CPU each token takes its time. */
  smallStepTokens: 192,
  answerTokens: 128,
  longAnswerTokens: 400,
  passageTokens: 200,
};

/** Parameters. */
const SMALL = 1e9;

/**
 * The settings in force for a policy: where its tags are text, budgets that nobody set are at least
 * `TEXT_BUDGETS`, as far as a context holds them: half of it for all that is written, a sixth for one
 * step, a thirty-second for a short answer, a tenth for a long one, a twentieth for a passage. One step of a model with
 * fewer than 10⁹ parameters has at most 192 tokens, unless the recipe itself gives it more.
 *
 * @param over what was set for this rollout; it counts as it is
 */
export function budgetsInForce(
  settings: RecipeSettings,
  over: SettingsOverride,
  { spelling }: Pick<Tags, 'spelling'>,
  { maxContext, parameters }: Pick<PolicyInfo, 'maxContext' | 'parameters'>,
): RecipeSettings {
  if (spelling === 'ids') return settings;
  const { budgets, retrieval } = settings;
  const raised = (own: number, set: number | undefined, wanted: number, share: number): number =>
    set === undefined ? Math.max(own, Math.min(wanted, Math.floor(maxContext / share))) : own;
  const set = over.budgets;
  // A server may not say how large its model is.
  const small = parameters > 0 && parameters < SMALL;
  const step = small ? TEXT_BUDGETS.smallStepTokens : TEXT_BUDGETS.stepTokens;
  return {
    ...settings,
    budgets: {
      ...budgets,
      tokens: raised(budgets.tokens, set?.tokens, TEXT_BUDGETS.tokens, 2),
      stepTokens: raised(budgets.stepTokens, set?.stepTokens, step, 6),
      answerTokens: raised(budgets.answerTokens, set?.answerTokens, TEXT_BUDGETS.answerTokens, 32),
      longAnswerTokens: raised(
        budgets.longAnswerTokens ?? LONG_ANSWER_TOKENS,
        set?.longAnswerTokens,
        TEXT_BUDGETS.longAnswerTokens,
        10,
      ),
    },
    retrieval: {
      ...retrieval,
      passageTokens: raised(
        retrieval.passageTokens,
        over.retrieval?.passageTokens,
        TEXT_BUDGETS.passageTokens,
        20,
      ),
    },
  };
}

/** Room for the answer itself, in the form that the question asks for. */
export const answerTokensOf = ({
  settings,
  request,
}: Pick<RunState, 'settings' | 'request'>): number =>
  wantsLongAnswer(request.question)
    ? Math.max(
        settings.budgets.answerTokens,
        settings.budgets.longAnswerTokens ?? LONG_ANSWER_TOKENS,
      )
    : settings.budgets.answerTokens;

/** Tokens that the chat template puts around a message of the user's; none where tags are spoken. */
function aroundMessage({ deps, settings, tags }: RunState): number {
  const { tokenizer } = deps.policy;
  if (!speaksInTurns(tags) || !tokenizer.encodeTemplate) return 0;
  const { end, pieces } = toolChatOf(deps.policy, settings).user(endTexts(deps.policy));
  const text = end + pieces.map((piece) => ('template' in piece ? piece.template : '')).join('');
  return tokenizer.encodeTemplate(text).length;
}

/** Tokens kept free for the environment's hint, the forced opening, the answer and its closing tag. */
function answerReserve(state: RunState): number {
  const { policy } = state.deps;
  const hint = blockIds(policy.tokenizer, state.tags, 'hint', ` ${HINTS.answerNow}`).length;
  const opening = answerOpening(policy.tokenizer, state.tags);
  // A block that has to be closed first, and the answer's own closing tag: no closing tag is longer.
  const closing = 2 * state.tags.ids('</short_answer>').length;
  const answer = opening.tag.length + opening.box.length + answerTokensOf(state) + closing;
  return hint + answer + aroundMessage(state) + (state.conversation.waitingTurn?.ids.length ?? 0);
}

/** Free context after the reserve; may be negative. */
export const contextRoom = (state: RunState): number =>
  state.deps.policy.info.maxContext - state.conversation.session.length - answerReserve(state);

/** Room for the rest of an answer block that is open: all of the context except for its closing tag. */
export const answerRoom = (state: RunState): number =>
  state.deps.policy.info.maxContext -
  state.conversation.session.length -
  state.tags.ids('</short_answer>').length;

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
