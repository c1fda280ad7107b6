import { itemAt } from '../../../base/items.ts';
import { asText, parseJson, type JsonObject } from '../shape/json.ts';
import type { Content, Piece, Protocol } from './protocol.ts';
import { isObject } from '../../../base/objects.ts';

/**
 * Tool calls as the chat templates of Hermes and Qwen write them: `<tool_call>{"name", "arguments"}
 * </tool_call>`, answered by `<tool_response>` in a turn of the user's. verl's agent loops and
 * DeepResearcher train on this text.
 */

export interface ToolCall {
  name: string;
  arguments: JsonObject;
}

const parsed = (value: unknown): unknown => {
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
 * arguments}}`, Inspect AI's `{function: "name", arguments}`; the whole or its arguments may be JSON in a
 * string. Null for anything else.
 */
export function toolCallOf(value: unknown): ToolCall | null {
  const call = parsed(value);
  if (!isObject(call)) return null;
  const named = isObject(call['function']) ? call['function'] : call;
  const name = asText(named['name']) ?? asText(call['function']);
  const given = parsed(named['arguments'] ?? named['parameters'] ?? {});
  if (name === null) return null;
  return { name, arguments: isObject(given) ? given : { input: given } };
}

/** Arguments that say what is looked for, and those that say which page is opened. */
const QUERY_KEYS = ['query', 'queries', 'query_list', 'search_query', 'q', 'keyword', 'keywords'];
const PAGE_KEYS = ['url', 'urls', 'link', 'goal'];
const SEARCH_NAME = /search|retriev|wiki|brows|crawl|fetch|visit|lookup|look_up/i;

/** Whether the call asks for something to read: a search, or a page. Code and arithmetic do not. */
export const isSearchCall = (call: ToolCall): boolean =>
  SEARCH_NAME.test(call.name) ||
  [...QUERY_KEYS, ...PAGE_KEYS].some((key) => Object.hasOwn(call.arguments, key));

const textsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((item) => asText(item) ?? []);

function asked({ arguments: given }: ToolCall): string[] {
  const key = [...QUERY_KEYS, ...PAGE_KEYS].find((name) => textsIn(given[name]).length > 0);
  return key === undefined
    ? Object.values(given).flatMap(textsIn).slice(0, 1)
    : textsIn(given[key]);
}

/** What a call asks for, several queries joined by a semicolon, and where it stands in the call's text. */
function queryIn(text: string): Content | null {
  const call = toolCallOf(text);
  const queries = call ? asked(call) : [];
  if (queries.length === 0) return null;
  const start = queries.length === 1 ? text.indexOf(itemAt(queries, 0)) : -1;
  return { text: queries.join('; '), start: Math.max(0, start) };
}

/** The query of `{"query": "…"}`, and where it stands in that text. */
export function queryField(text: string): Content | null {
  const given = parsed(text);
  const query = isObject(given) ? asText(given['query']) : null;
  return query === null ? null : { text: query, start: Math.max(0, text.indexOf(query)) };
}

const CALL = { open: '<tool_call>', close: '</tool_call>' };

const bodyOf = (text: string): string => {
  const end = text.lastIndexOf(CALL.close);
  return text.slice(CALL.open.length, end < 0 ? undefined : end).trim();
};

/** A call as the chat template writes it. */
export const callText = (call: ToolCall): string =>
  `${CALL.open}\n${JSON.stringify(call)}\n${CALL.close}`;

/** The mark that a model ends its turn with. */
const TURN_END = '<|im_end|>';

/** Blanks, and the mark that ends a turn, belong to what the policy wrote before them. */
function folded(pieces: readonly Piece[]): Piece[] {
  const out: Piece[] = [];
  for (const piece of pieces) {
    const last = out.at(-1);
    const blank = piece.text.replaceAll(TURN_END, '').trim() === '';
    if (blank && piece.source === 'policy' && last?.source === 'policy')
      out[out.length - 1] = { ...last, text: last.text + piece.text };
    else out.push(piece);
  }
  return out;
}

/** Calls of tools that bring nothing to read, and what those answer, are no searches and no results. */
function refine(pieces: readonly Piece[]): Piece[] {
  let searched = false;
  let answered = true;
  return folded(pieces).map((piece) => {
    if (piece.role === 'search') {
      const call = toolCallOf(bodyOf(piece.text));
      // A call that is no JSON is still one: the policy wrote it badly.
      const search = call === null || isSearchCall(call);
      searched = search || (searched && !answered);
      answered = false;
      return search ? piece : { ...piece, role: 'other' };
    }
    if (piece.role !== 'result') return piece;
    answered = true;
    return searched ? piece : { ...piece, role: 'other' };
  });
}

export const TOOL_CALL: Protocol = {
  id: 'tool-call',
  name: 'tool calls in tags: Hermes, Qwen, verl, DeepResearcher',
  blocks: [
    { open: '<think>', close: '</think>', role: 'think', source: 'policy' },
    { ...CALL, role: 'search', source: 'policy' },
    {
      open: '<tool_response>',
      close: '</tool_response>',
      role: 'result',
      source: 'environment',
    },
    { open: '<answer>', close: '</answer>', role: 'answer', source: 'policy' },
  ],
  prose: 'think',
  answer: 'any',
  turns: true,
  query: queryIn,
  refine,
};
