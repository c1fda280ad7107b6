import type { Policy, PolicyChat } from '../../policy/policy.ts';
import type { ChatMessage } from '../../policy/text-model.ts';
import type { RecipeSettings } from '../../recipes/parts/settings.ts';
import { ToolChat } from './tool-chat.ts';
import { formIds } from './form.ts';
import { instructionText } from './instruction.ts';
import { speaksInTurns, type Tags } from './tags.ts';
import { schemaOf, toolsOf } from './tool-list.ts';

/**
 * What is around background and question in the context: for a policy whose tags are tokens the form
 * line in front of them, where it knows one; for one whose tags are text the
 * instruction in front of them, in the policy's own chat template where it has one, and the
 * template's text after them, where the assistant's turn begins.
 *
 * The template is rendered with a mark in the place of the user's text and cut there. Only its own two
 * pieces are encoded with special tokens; what the user and the passages say is encoded as text, so no
 * wording of theirs can end their turn or begin another one.
 */
export interface Frame {
  before: readonly number[];
  after: readonly number[];
  /** The template itself opens `<think>`: the policy's first tokens are the thought's. */
  opensThought: boolean;
}

const NO_FRAME: Frame = { before: [], after: [], opensThought: false };

/** Stands for the user's text; no template changes or drops it. */
const MARK = 'FORAGE0QUESTION0STANDS0HERE';

/** Stand for what the policy said and for the further message. */
const SAID_MARK = 'FORAGE0ANSWER0STANDS0HERE';
const FURTHER_MARK = 'FORAGE0REMARK0STANDS0HERE';

function cut(rendered: string, mark = MARK): { before: string; after: string } | null {
  const parts = rendered.split(mark);
  const [before, after] = parts;
  return parts.length === 2 && before !== undefined && after !== undefined
    ? { before, after }
    : null;
}

/**
 * The template's text around the user's. The instruction is the system's message, or, where a template
 * refuses one or drops it, the beginning of the user's.
 */
function renderChat(
  render: (messages: readonly ChatMessage[]) => string,
  instruction: string,
): { before: string; after: string } {
  try {
    const asSystem = cut(
      render([
        { role: 'system', content: instruction },
        { role: 'user', content: MARK },
      ]),
    );
    // A template that trims keeps the first line at least.
    const [firstLine = instruction] = instruction.split('\n');
    if (asSystem?.before.includes(firstLine)) return asSystem;
  } catch {
    // Some templates raise an exception at a system message; the other form may do.
  }
  const asUser = cut(render([{ role: 'user', content: `${instruction}\n\n${MARK}` }]));
  if (asUser) return asUser;
  throw new Error("the policy's chat template does not show the user's message exactly once");
}

/** @throws Error where the policy's chat template cannot be used */
export const promptFrame = (
  policy: Pick<Policy, 'chat' | 'tokenizer'>,
  tags: Tags,
  settings: RecipeSettings,
): Frame =>
  tags.spelling === 'ids'
    ? { ...NO_FRAME, before: formIds(policy.tokenizer, settings) }
    : speaksInTurns(tags)
      ? frameOf(policy, toolChatOf(policy, settings).frame)
      : frameAround(policy, instructionText(settings));

const CHATS = new WeakMap<PolicyChat, Map<string, ToolChat>>();

/** Texts of the tokens that end a turn. */
export const endTexts = ({ tokenizer }: Pick<Policy, 'tokenizer'>): string[] =>
  (tokenizer.endIds ?? [tokenizer.endOfText]).map((id) => tokenizer.decode([id]));

/** The conversation of a policy with the tools of these settings. @throws Error where its template cannot be used */
export function toolChatOf({ chat }: Pick<Policy, 'chat'>, settings: RecipeSettings): ToolChat {
  if (!chat) throw new Error('the model has no chat template');
  const instruction = instructionText(settings);
  const tools = toolsOf(settings).map(schemaOf);
  const known = CHATS.get(chat) ?? new Map<string, ToolChat>();
  CHATS.set(chat, known);
  const key = JSON.stringify([instruction, tools]);
  const found = known.get(key) ?? new ToolChat(chat, instruction, tools);
  known.set(key, found);
  return found;
}

/** What is around the user's text under an instruction. @throws as `promptFrame` */
export function frameAround(
  { chat, tokenizer }: Pick<Policy, 'chat' | 'tokenizer'>,
  instruction: string,
): Frame {
  const plain = { before: `${instruction}\n\n`, after: '\n' };
  const text = chat ? renderChat((messages) => chat.render(messages), instruction) : plain;
  return frameOf({ chat, tokenizer }, text);
}

function frameOf(
  { chat, tokenizer }: Pick<Policy, 'chat' | 'tokenizer'>,
  { before, after }: { before: string; after: string },
): Frame {
  const encode = (text: string): number[] =>
    chat && tokenizer.encodeTemplate ? tokenizer.encodeTemplate(text) : tokenizer.encodeText(text);
  const start = chat ? undefined : tokenizer.startOfText;
  return {
    before: [...(start === undefined ? [] : [start]), ...encode(before)],
    after: encode(after),
    opensThought: after.trimEnd().endsWith('<think>'),
  };
}

/** After the policy's words: the end of its turn, and the template's text around the next message. */
function renderTurn(
  render: (messages: readonly ChatMessage[]) => string,
  opening: readonly ChatMessage[],
): { before: string; after: string } | null {
  try {
    const rendered = render([
      ...opening,
      { role: 'assistant', content: SAID_MARK },
      { role: 'user', content: FURTHER_MARK },
    ]);
    return cut(cut(rendered, SAID_MARK)?.after ?? '', FURTHER_MARK);
  } catch {
    return null;
  }
}

/**
 * The template's text around a further message of the user's, cut as `promptFrame` does: after the token
 * that ended the policy's turn, up to where its next one begins.
 *
 * @param last the token that ended the turn; where the template ends a turn with it, it stands once
 * @returns null without a chat template, and where it shows no such conversation
 */
export function userTurn(
  { chat, tokenizer }: Pick<Policy, 'chat' | 'tokenizer'>,
  settings: RecipeSettings,
  last: number | undefined,
): Frame | null {
  if (!chat || !tokenizer.encodeTemplate) return null;
  const instruction = instructionText(settings);
  const render = (messages: readonly ChatMessage[]): string => chat.render(messages);
  const question: ChatMessage = { role: 'user', content: MARK };
  const found =
    renderTurn(render, [{ role: 'system', content: instruction }, question]) ??
    renderTurn(render, [question]);
  if (!found) return null;
  const before = tokenizer.encodeTemplate(found.before);
  return {
    before: before[0] === last ? before.slice(1) : before,
    after: tokenizer.encodeTemplate(found.after),
    opensThought: found.after.trimEnd().endsWith('<think>'),
  };
}
