import type { ImportedSegment, TokenColumns } from '../shape/imported.ts';
import { asText, type JsonObject } from '../shape/json.ts';
import { OpenCalls } from '../protocols/open-calls.ts';
import type { Piece, Protocol } from '../protocols/protocol.ts';
import { recogniseProtocol } from '../protocols/recognise.ts';
import { cutText } from '../protocols/split.ts';
import {
  callText,
  isSearchCall,
  parsed,
  toolCallOf,
  type ToolCall,
} from '../protocols/tool-call.ts';
import type { RecordParts } from './build.ts';
import { namedTokens, spelledBlocks, wholeBlock } from './message-tokens.ts';
import { isObject } from '../../../base/objects.ts';

/** Chat messages as OpenAI's and Anthropic's APIs, Ollama, TRL, verifiers and Inspect AI write them. */

type MessageCall = ToolCall & { id: string | null };

export interface Message {
  /** `system`, `user`, `assistant`, `tool`, or whatever else the file has. */
  role: string;
  content: string;
  /** What the model thought, where a server keeps it apart from what it said. */
  reasoning: string;
  calls: MessageCall[];
  /** Of a tool's message: the call that it answers, and the tool's name. */
  answers?: { id: string | null; name: string | null };
  /** Tokens of what the model wrote, where the file has them. */
  columns?: TokenColumns | null;
}

/** Roles by the names that files give them, those of `Message` left out. */
const ROLES = new Map([
  ['human', 'user'],
  ['gpt', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['function', 'tool'],
  ['observation', 'tool'],
  ['ipython', 'tool'],
  ['environment', 'tool'],
  ['tool_response', 'tool'],
  ['tool_result', 'tool'],
  ['function_response', 'tool'],
]);

/** The role that a file's name for it means. */
export const roleOf = (name: string): string => ROLES.get(name.toLowerCase()) ?? name;

export const textMessage = (role: string, content: string): Message => ({
  role,
  content,
  reasoning: '',
  calls: [],
});

/** Text of a content: a text, a block, or a list of them. Images and the like have none. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(textOf).join('');
  if (!isObject(value)) return asText(value) ?? '';
  return asText(value['text']) ?? (value['content'] === undefined ? '' : textOf(value['content']));
}

/** What was thought: Inspect AI's and Anthropic's blocks, and Mistral's, which hold a list of texts. */
const reasoningOf = (block: JsonObject): string => textOf(block['reasoning'] ?? block['thinking']);

function callOf(value: unknown): MessageCall[] {
  const given = parsed(value);
  const call = toolCallOf(given);
  const id = isObject(given) ? (asText(given['id']) ?? asText(given['call_id'])) : null;
  return call ? [{ ...call, id }] : [];
}

/** A block that answers per call: Anthropic's, in a turn of the user's, or after a call of a server's tool. */
const isResult = (block: JsonObject): boolean =>
  /(?:^|_)tool_result$/.test(asText(block['type']) ?? '');
const isCall = (block: JsonObject): boolean => /(?:^|_)tool_use$/.test(asText(block['type']) ?? '');

/** Passages of a server's search: Anthropic lists them by title and address. */
const resultText = ({ content }: JsonObject): string =>
  Array.isArray(content) && content.every((one) => isObject(one) && asText(one['title']) !== null)
    ? content
        .map((one: JsonObject) => `${asText(one['title'])} ${asText(one['url']) ?? ''}`)
        .join('\n')
    : textOf(content);

/** Messages of a list of blocks: each result is a message of its tool's. */
function messagesOfBlocks(role: string, blocks: readonly JsonObject[]): Message[] {
  const messages: Message[] = [];
  let own: Message | null = null;
  for (const block of blocks) {
    if (isResult(block)) {
      own = null;
      const answers = { id: asText(block['tool_use_id']), name: null };
      messages.push({ ...textMessage('tool', resultText(block)), answers });
      continue;
    }
    if (!own) messages.push((own = textMessage(role, '')));
    own.reasoning += reasoningOf(block);
    if (isCall(block)) own.calls.push(...callOf(block));
    else own.content += textOf(block);
  }
  return messages.length === 0 ? [textMessage(role, '')] : messages;
}

/** A message of Harmony's channels (gpt-oss): a thought, or a call of its recipient. Null for any other. */
function channelMessage(item: JsonObject): Message | null {
  const [recipient, content] = [asText(item['recipient']), textOf(item['content'])];
  if (!isAssistant(item) || asText(item['channel']) === null) return null;
  if (recipient !== null && recipient !== 'all')
    return {
      ...textMessage('assistant', ''),
      calls: callOf({ name: recipient, arguments: content }),
    };
  return item['channel'] === 'analysis'
    ? { ...textMessage('assistant', ''), reasoning: content }
    : null;
}

/** Messages of one of the file's: several where its blocks hold results. Null where it is not a message. */
function messagesIn(item: unknown): Message[] | null {
  if (!isObject(item)) return null;
  const channel = channelMessage(item);
  if (channel) return [channel];
  const name = asText(item['role']);
  const { content } = item;
  if (name === null) return null;
  const role = roleOf(name);
  const text = asText(content ?? '');
  if (text === null && !(Array.isArray(content) && content.every(isObject))) return null;
  const messages =
    text === null ? messagesOfBlocks(role, content as JsonObject[]) : [textMessage(role, text)];
  const calls = Array.isArray(item['tool_calls']) ? item['tool_calls'] : [];
  const legacy = isObject(item['function_call']) ? [item['function_call']] : [];
  const apart = ['reasoning_content', 'reasoning', 'thinking'].map((key) => asText(item[key]));
  const id = asText(item['tool_call_id']) ?? asText(item['call_id']);
  return messages.map((message, i) => ({
    ...message,
    ...(i === 0 && { reasoning: message.reasoning || (apart.find((one) => one !== null) ?? '') }),
    ...(i === messages.length - 1 && {
      calls: [...message.calls, ...[...calls, ...legacy].flatMap(callOf)],
      columns: namedTokens(item['logprobs']),
    }),
    ...(role === 'tool' && {
      answers: { id, name: asText(item['name']) ?? asText(item['function']) },
    }),
  }));
}

/** Chat messages; null where the value is not a list of them. */
export function messagesOf(value: unknown): Message[] | null {
  if (!Array.isArray(value)) return null;
  const messages = value.map(messagesIn);
  return messages.every((found) => found !== null) ? messages.flat() : null;
}

/** Whether the object is a message of the model. */
export const isAssistant = (value: unknown): value is JsonObject =>
  isObject(value) && roleOf(asText(value['role']) ?? '') === 'assistant';

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

/** Nothing in a completion is the prompt's, whatever tag it carries. */
const asWritten = (piece: Piece): Piece =>
  piece.source === 'prompt' ? { ...piece, source: 'policy' } : piece;

const segmentOf = ({ source, role, text }: Piece): ImportedSegment => ({ source, role, text });

const isResultPiece = ({ source, role }: Piece): boolean =>
  source === 'environment' && role === 'result';

/** Reads the messages of a completion in order, and pairs results with the calls that they answer. */
class Completion {
  readonly #protocol: Protocol | null;
  readonly #calls = new OpenCalls(true);

  constructor(protocol: Protocol | null) {
    this.#protocol = protocol;
  }

  #cut(content: string): Piece[] {
    return this.#protocol
      ? cutText(content, this.#protocol).map(asWritten)
      : [{ source: 'policy', role: 'other', text: content, start: 0 }];
  }

  /** Role of what a tool answered. */
  #answered(answers?: Message['answers']): 'result' | 'other' {
    return this.#calls.answer(answers) ? 'result' : 'other';
  }

  /** What a user or a tool says. */
  heard({ role, content, answers }: Message): ImportedSegment[] {
    if (content === '') return [];
    const whole = (own: 'result' | 'other'): ImportedSegment[] => [
      { source: 'environment', role: own, text: content },
    ];
    const pieces = this.#cut(content);
    const results = pieces.filter(isResultPiece).length;
    // Tags tell several results apart. One is the whole message, except for what a user says beside it.
    if (results > 1 || (results === 1 && role !== 'tool'))
      return pieces.map((piece) => ({
        source: 'environment',
        role: isResultPiece(piece) ? this.#answered(answers) : 'other',
        text: piece.text,
      }));
    // After a call, the next turn is its result, whatever its role.
    const isAnswer = role === 'tool' || (role === 'user' && this.#calls.waiting);
    return whole(isAnswer ? this.#answered(answers) : 'other');
  }

  /** What the model said and called, without its thoughts that are kept apart. */
  said({ content, calls, columns = null }: Message): ImportedSegment[] {
    const pieces = content === '' ? [] : this.#cut(content);
    const paired = pieces.map((piece): Piece => {
      if (piece.reads !== undefined) this.#calls.add({ reads: piece.reads });
      return isResultPiece(piece) ? { ...piece, role: this.#answered() } : piece;
    });
    const spoken = (columns && spelledBlocks(content, paired, columns)) ?? paired.map(segmentOf);
    const called = calls.map((call): ImportedSegment => {
      const reads = isSearchCall(call);
      this.#calls.add({ reads, id: call.id, name: call.name });
      const { name, arguments: given } = call;
      const text = callText({ name, arguments: given });
      return { source: 'policy', role: reads ? 'search' : 'other', text };
    });
    return [...spoken, ...called];
  }
}

/**
 * The model's turns cut into blocks; what tools and users say in between is the environment's. A tool that was
 * called for something to read answers with a result. Answers are read in `spoken`, which lacks the thoughts.
 */
export function completionOf(
  messages: readonly Message[],
): Required<Pick<RecordParts, 'response' | 'responseSegments' | 'spoken'>> {
  const protocol = recogniseProtocol(messages.map(({ content }) => content).join('\n'));
  const completion = new Completion(protocol);
  const parts = messages.map((message): { thought: ImportedSegment[]; said: ImportedSegment[] } => {
    if (message.role !== 'assistant') return { thought: [], said: completion.heard(message) };
    const { reasoning, columns = null } = message;
    const said = completion.said(message);
    if (reasoning === '') return { thought: [], said: columns ? wholeBlock(said, columns) : said };
    return { thought: [{ source: 'policy', role: 'think', text: reasoning }], said };
  });
  const responseSegments = parts.flatMap(({ thought, said }) => [...thought, ...said]);
  return {
    response: responseSegments.map(({ text }) => text).join(''),
    responseSegments,
    spoken: parts.flatMap(({ said }) => said),
  };
}
