import { itemAt } from '../../../base/items.ts';
import { asText, parseJson, type JsonObject } from '../shape/json.ts';
import type { Content, Piece, Protocol, Turns } from './protocol.ts';
import { isObject } from '../../../base/objects.ts';

/**
 * Calls of tools as chat templates write them. Hermes and Qwen: `<tool_call>{"name", "arguments"}</tool_call>`,
 * answered by `<tool_response>` in a turn of the user's; verl's agent loops and DeepResearcher train on this
 * text. Qwen3-Coder: `<function=name><parameter=key>value</parameter></function>` in the same tags. DeepSeek:
 * `<｜tool▁call▁begin｜>name<｜tool▁sep｜>{arguments}<｜tool▁call▁end｜>`.
 */

export interface ToolCall {
  name: string;
  arguments: JsonObject;
}

/** What a text of JSON holds, null where it is none; anything but a text as it is. */
export const parsed = (value: unknown): unknown => {
  const text = asText(value);
  if (text === null) return value;
  try {
    return parseJson(text);
  } catch {
    return null;
  }
};

/**
 * A call in any of the shapes that clients record: `{name, arguments}`, OpenAI's `{function: {name,
 * arguments}}`, Inspect AI's `{function: "name", arguments}`, Anthropic's `{name, input}`; the whole or its
 * arguments may be JSON in a string. Null for anything else.
 */
export function toolCallOf(value: unknown): ToolCall | null {
  const call = parsed(value);
  if (!isObject(call)) return null;
  const named = isObject(call['function']) ? call['function'] : call;
  const name = asText(named['name']) ?? asText(call['function']);
  const given = parsed(named['arguments'] ?? named['parameters'] ?? named['input'] ?? {});
  if (name === null) return null;
  return { name, arguments: isObject(given) ? given : { input: given } };
}

/** Arguments that say what is looked for, and those that say which page is opened. */
const QUERY_KEYS = ['query', 'queries', 'query_list', 'search_query', 'q', 'keyword', 'keywords'];
const PAGE_KEYS = ['url', 'urls', 'link', 'goal'];
const SEARCH_NAME = /search|retriev|wiki|brows|crawl|fetch|visit|lookup|look_up/i;
/** Tools that compute, whatever their arguments are called. */
const CODE_NAME = /python|code|interpreter|calc|math|shell|bash|exec|sql/i;

/** Whether the call asks for something to read: a search, or a page. Code and arithmetic do not. */
export const isSearchCall = (call: ToolCall): boolean =>
  SEARCH_NAME.test(call.name) ||
  (!CODE_NAME.test(call.name) &&
    [...QUERY_KEYS, ...PAGE_KEYS].some((key) => Object.hasOwn(call.arguments, key)));

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => asText(item) ?? []);

function asked({ arguments: given }: ToolCall): string[] {
  const key = [...QUERY_KEYS, ...PAGE_KEYS].find((name) => textsIn(given[name]).length > 0);
  return key === undefined
    ? Object.values(given).flatMap(textsIn).slice(0, 1)
    : textsIn(given[key]);
}

/** What a call asks for, several queries joined by a semicolon, and where it is in the call's text. */
export function queryOfCall(call: ToolCall | null, text: string): Content | null {
  const queries = call ? asked(call) : [];
  if (queries.length === 0) return null;
  const start = queries.length === 1 ? text.indexOf(itemAt(queries, 0)) : -1;
  return { text: queries.join('; '), start: Math.max(0, start) };
}

/** The query of `{"query": "…"}`, and where it is in that text. */
export function queryField(text: string): Content | null {
  const given = parsed(text);
  const query = isObject(given) ? asText(given['query']) : null;
  return query === null ? null : { text: query, start: Math.max(0, text.indexOf(query)) };
}

/** The texts between an opening and a closing mark, with the word that the opening ends with. */
function* marked(text: string, open: string, close: string): Generator<[string, string]> {
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at)) {
    const name = text.indexOf('>', at);
    const end = text.indexOf(close, name);
    if (name < 0 || end < 0) return;
    yield [text.slice(at + open.length, name).trim(), text.slice(name + 1, end)];
    at = end;
  }
}

/** Qwen3-Coder's call: a function and its parameters as tags, values as they are. */
function taggedCall(text: string): ToolCall | null {
  const open = text.indexOf('<function=');
  const end = text.indexOf('>', open);
  if (open < 0 || end < 0) return null;
  const parameters = [...marked(text, '<parameter=', '</parameter>')];
  return {
    name: text.slice(open + '<function='.length, end).trim(),
    arguments: Object.fromEntries(parameters.map(([key, value]) => [key, value.trim()])),
  };
}

const SEPARATOR = '<｜tool▁sep｜>';
const FENCE = /^```(?:json)?\s{0,8}|\s{0,8}```$/g;

/** DeepSeek's call: `name` and arguments, or `function`, `name` and arguments in a fence (V3, R1). */
function separatedCall(text: string): ToolCall | null {
  const [first = '', ...rest] = text.split(SEPARATOR);
  if (rest.length === 0) return null;
  const second = rest.join(SEPARATOR).trim();
  const line = second.indexOf('\n');
  const [name, given] =
    first.trim() === 'function' && line >= 0
      ? [second.slice(0, line), second.slice(line)]
      : [first, second];
  return toolCallOf({ name: name.trim(), arguments: given.trim().replaceAll(FENCE, '') });
}

/** The call that a block's content makes, in any of these templates; null where it makes none. */
const callIn = (text: string): ToolCall | null =>
  taggedCall(text) ?? separatedCall(text) ?? toolCallOf(text);

const CALL = { open: '<tool_call>', close: '</tool_call>' };

/** A call as the chat template writes it. */
export const callText = (call: ToolCall): string =>
  `${CALL.open}\n${JSON.stringify(call)}\n${CALL.close}`;

/** A protocol of calls in the text: marks around a call, around what answers it, and between the turns. */
function callProtocol(
  named: Pick<Protocol, 'id' | 'name'>,
  call: { open: string; close: string },
  result: { open: string; close: string },
  turns: Turns,
): Protocol {
  const bodyOf = (text: string): string => {
    const end = text.lastIndexOf(call.close);
    return text.slice(call.open.length, end < 0 ? undefined : end).trim();
  };
  const isBlank = (text: string): boolean =>
    turns.own.reduce((rest, mark) => rest.replaceAll(mark, ''), text).trim() === '';
  const pieceOf = (piece: Piece): Piece => {
    if (piece.reads === undefined) return piece;
    const made = callIn(bodyOf(piece.text));
    // A call that cannot be read is still one: the policy wrote it badly.
    const reads = made === null || isSearchCall(made);
    return { ...piece, role: reads ? 'search' : 'other', reads };
  };
  return {
    ...named,
    blocks: [
      { open: '<think>', close: '</think>', role: 'think', source: 'policy' },
      { ...call, role: 'search', source: 'policy' },
      { ...result, role: 'result', source: 'environment' },
      { open: '<answer>', close: '</answer>', role: 'answer', source: 'policy' },
    ],
    prose: 'think',
    answer: 'any',
    turns,
    calledOnly: true,
    query: (content) => queryOfCall(callIn(content), content),
    /** Blanks, and marks around a turn, belong to what the policy wrote before them. */
    refine: (pieces) => {
      const out: Piece[] = [];
      for (const piece of pieces.map(pieceOf)) {
        const last = out.at(-1);
        if (piece.source === 'policy' && last?.source === 'policy' && isBlank(piece.text))
          out[out.length - 1] = { ...last, text: last.text + piece.text };
        else out.push(piece);
      }
      return out;
    },
  };
}

export const TOOL_CALL = callProtocol(
  { id: 'tool-call', name: 'tool calls in tags: Hermes, Qwen, verl, DeepResearcher' },
  CALL,
  { open: '<tool_response>', close: '</tool_response>' },
  {
    // Special tokens may have been left out when decoding.
    before: /(?:\s{0,8}<\|im_start\|>|(?:^|\n)\s{0,8})(?:user|tool)\s{0,8}$/,
    after: /^\s{0,8}(?:<\|im_end\|>)?\s{0,8}(?:(?:<\|im_start\|>)?assistant[ \t]{0,4}\n)?\s*/,
    own: ['<|im_end|>'],
  },
);

export const DEEPSEEK_CALL = callProtocol(
  { id: 'deepseek-call', name: 'tool calls of DeepSeek' },
  { open: '<｜tool▁call▁begin｜>', close: '<｜tool▁call▁end｜>' },
  { open: '<｜tool▁output▁begin｜>', close: '<｜tool▁output▁end｜>' },
  {
    before: /\s{0,8}<｜tool▁outputs▁begin｜>\s{0,8}$/,
    after: /^\s{0,8}(?:<｜tool▁outputs▁end｜>)?\s{0,8}(?:<｜Assistant｜>)?\s*/,
    own: ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', '<｜end▁of▁sentence｜>'],
  },
);
