import type { ImportedSegment, TokenColumns } from '../shape/imported.ts';
import { asText, type JsonObject } from '../shape/json.ts';
import type { Piece, Protocol } from '../protocols/protocol.ts';
import { recogniseProtocol } from '../protocols/recognise.ts';
import { splitText } from '../protocols/split.ts';
import { callText, isSearchCall, toolCallOf, type ToolCall } from '../protocols/tool-call.ts';
import { namedTokens, spelledBlocks, wholeBlock } from './message-tokens.ts';
import { isObject } from '../../../base/objects.ts';

/** Chat messages as OpenAI's API, TRL, verifiers and Inspect AI write them. */

export interface Message {
  role: string;
  content: string;
  /** What the model thought, where a server keeps it apart from what it said. */
  reasoning: string;
  calls: ToolCall[];
  /** Tokens of what the model wrote, where the file has them. */
  columns?: TokenColumns | null;
}

/** Content is a text or a list of parts; images and the like have no text. */
function contentOf(value: unknown): Pick<Message, 'content' | 'reasoning'> | null {
  const text = asText(value ?? '');
  if (text !== null) return { content: text, reasoning: '' };
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  const joined = (key: string): string => value.map((part) => asText(part[key]) ?? '').join('');
  return { content: joined('text'), reasoning: joined('reasoning') };
}

function messageOf(item: unknown): Message | null {
  if (!isObject(item)) return null;
  const role = asText(item['role']);
  const parts = contentOf(item['content']);
  if (role === null || parts === null) return null;
  const calls = Array.isArray(item['tool_calls']) ? item['tool_calls'] : [];
  const apart = asText(item['reasoning_content']) ?? asText(item['reasoning']) ?? '';
  return {
    role,
    content: parts.content,
    reasoning: parts.reasoning || apart,
    calls: calls.flatMap((call) => toolCallOf(call) ?? []),
    columns: namedTokens(item['logprobs']),
  };
}

/** Chat messages; null where the value is no list of them. */
export function messagesOf(value: unknown): Message[] | null {
  if (!Array.isArray(value)) return null;
  const messages = value.map(messageOf);
  return messages.every((message) => message !== null) ? messages : null;
}

/** Whether the object is a message of the model. */
export const isAssistant = (value: unknown): value is JsonObject =>
  isObject(value) && value['role'] === 'assistant';

/** The messages before the model's first, and the others. */
export function atFirstAnswer(messages: readonly Message[]): [Message[], Message[]] {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  const at = first < 0 ? messages.length : first;
  return [messages.slice(0, at), messages.slice(at)];
}

export const promptOf = (messages: readonly Message[]): ImportedSegment[] =>
  messages
    .filter(({ content }) => content !== '')
    .map(({ role, content }) => ({
      source: 'prompt',
      role: role === 'user' ? 'question' : 'instruction',
      text: content,
    }));

/** The last thing that a user asked. */
export const lastAsked = (messages: readonly Message[]): string | undefined =>
  messages.findLast(({ role }) => role === 'user')?.content;

/** A call as the chat template would write it: a search where it asks for something to read. */
const callSegment = (call: ToolCall): ImportedSegment => ({
  source: 'policy',
  role: isSearchCall(call) ? 'search' : 'other',
  text: callText(call),
});

/** Nothing in a completion is the prompt's, whatever tag it carries. */
const asWritten = (piece: Piece): Piece =>
  piece.source === 'prompt' ? { ...piece, source: 'policy' } : piece;

function spokenBlocks(
  content: string,
  protocol: Protocol | null,
  columns: TokenColumns | null,
): ImportedSegment[] {
  if (content === '') return [];
  const pieces: Piece[] = protocol
    ? splitText(content, protocol).map(asWritten)
    : [{ source: 'policy', role: 'other', text: content, start: 0 }];
  const blocks = columns && spelledBlocks(content, pieces, columns);
  return blocks ?? pieces.map(({ source, role, text }) => ({ source, role, text }));
}

/**
 * The assistant's turns cut into blocks; what tools and users say in between is the environment's. A tool
 * that was called for something to read answers with a result.
 */
export function completionOf(messages: readonly Message[]): ImportedSegment[] {
  const protocol = recogniseProtocol(messages.map(({ content }) => content).join('\n'));
  let reads = true;
  return messages.flatMap((message): ImportedSegment[] => {
    const { role, content, reasoning, calls, columns = null } = message;
    if (role !== 'assistant') {
      const result = role === 'tool' && reads;
      return content === ''
        ? []
        : [{ source: 'environment', role: result ? 'result' : 'other', text: content }];
    }
    if (calls.length > 0) reads = calls.some(isSearchCall);
    const thought: ImportedSegment[] =
      reasoning === '' ? [] : [{ source: 'policy', role: 'think', text: reasoning }];
    const blocks = [
      ...thought,
      ...spokenBlocks(content, protocol, columns),
      ...calls.map(callSegment),
    ];
    return columns ? wholeBlock(blocks, columns) : blocks;
  });
}
