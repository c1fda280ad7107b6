import { jsonOf } from '../../base/fetch-file.ts';
import { isObject } from '../../base/objects.ts';

/**
 * Tool calls as models write them: JSON objects or a list of them (Hermes, Qwen and SmolLM2 between `<tool_call>` tags,
 * Llama 3 after `<|python_tag|>` or as the whole message, Mistral after `[TOOL_CALLS]`), a name and its JSON (Mistral's
 * later tokenizers, Harmony), or Python (Gemma's ```` ```tool_code ````, Llama's built-in tools).
 */

export interface ToolCall {
  name: string;
  /** By parameter; an argument without a name, as Python allows, has the empty name. */
  arguments: Readonly<Record<string, unknown>>;
  /** The model's own name for the call, where it gave one. */
  id?: string;
}

/** A call, or what is wrong with it, as the tool result says it. */
export type ReadCall = { call: ToolCall } | { error: string };

const NOT_JSON = 'The call is not valid JSON.';

/** Arguments as an object; some models write them as a text that holds one. */
function argumentsOf(given: unknown): Readonly<Record<string, unknown>> | null {
  const value = typeof given === 'string' ? jsonOf(given) : given;
  return isObject(value) ? value : null;
}

function callOf(value: unknown): ReadCall {
  if (!isObject(value)) return { error: 'The call is not a JSON object.' };
  const { id } = value;
  // OpenAI's shape has name and arguments one level down.
  const body = isObject(value['function']) ? value['function'] : value;
  const { name } = body;
  if (typeof name !== 'string' || name === '') return { error: 'The call has no "name".' };
  const given = argumentsOf(body['arguments'] ?? body['parameters']);
  if (given === null) return { error: `The call of ${name} has no object of arguments.` };
  return { call: { name, arguments: given, ...(typeof id === 'string' && { id }) } };
}

/** Index after the JSON object or list that begins at `from`; −1 where it does not end. */
function jsonEnd(text: string, from: number): number {
  let depth = 0;
  let quoted = false;
  for (let i = from; i < text.length; i++) {
    const char = text[i]!;
    if (quoted) {
      if (char === '\\') i++;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return i + 1;
  }
  return -1;
}

/** JSON values one after the other, with blanks, commas or semicolons between them; Llama 3 separates calls so. */
function readJson(text: string): ReadCall[] {
  const calls: ReadCall[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && /[\s,;]/.test(text[at]!)) at++;
    if (at >= text.length) return calls;
    const end = text[at] === '{' || text[at] === '[' ? jsonEnd(text, at) : -1;
    const value = end < 0 ? undefined : jsonOf(text.slice(at, end));
    if (value === undefined) {
      // Text after a whole call is not part of it.
      if (calls.length === 0 || text[at] === '{') calls.push({ error: NOT_JSON });
      return calls;
    }
    calls.push(...(Array.isArray(value) ? (value as unknown[]).map(callOf) : [callOf(value)]));
    at = end;
  }
}

/** `name[ARGS]{…}`, several with `[TOOL_CALLS]` between them; `name … <|message|>{…}`. */
const NAMED =
  /^(?:functions\.)?([\w.-]+)(?:\[CALL_ID\](\w+))?(?:\[ARGS\]|[^{]*?<\|message\|>)\s*([\s\S]*)$/;

function readNamed(text: string): ReadCall | null {
  const [, name, id, json] = NAMED.exec(text.trim()) ?? [];
  if (name === undefined || json === undefined) return null;
  const given = argumentsOf(jsonOf(json.trim()));
  return given === null
    ? { error: NOT_JSON }
    : { call: { name, arguments: given, ...(id !== undefined && { id }) } };
}

const QUOTED = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
const PYTHON_CALL = new RegExp(
  String.raw`([A-Za-z_]\w*)(?:\.call)?\(\s*((?:\w+\s*=\s*)?(?:${QUOTED})(?:\s*,\s*(?:\w+\s*=\s*)?(?:${QUOTED}))*)\s*,?\s*\)`,
  'g',
);
const PYTHON_ARGUMENT = new RegExp(String.raw`(?:(\w+)\s*=\s*)?(${QUOTED})`, 'g');

const unquoted = (literal: string): string =>
  literal
    .slice(1, -1)
    .replaceAll(/\\(.)/gs, (_, char: string) => (char === 'n' ? '\n' : char === 't' ? '\t' : char));

/** `search(query="…")`, `print(search("…"))`, `search.call(query="…")`. */
const readPython = (text: string): ReadCall[] =>
  [...text.matchAll(PYTHON_CALL)].map(([, name = '', inner = '']) => ({
    call: {
      name,
      arguments: Object.fromEntries(
        [...inner.matchAll(PYTHON_ARGUMENT)].map(([, key = '', literal = '']) => [
          key,
          unquoted(literal),
        ]),
      ),
    },
  }));

const FENCE = /^```\w*\s*\n?([\s\S]*?)\s*(?:```)?\s*$/;

const withoutFence = (text: string): string => FENCE.exec(text)?.[1] ?? text;

/** Every call in the text of one block, in order; at least one, if only an error. */
export function readCalls(inner: string): ReadCall[] {
  const text = withoutFence(inner.trim()).trim();
  if (text === '') return [{ error: 'The call is empty.' }];
  if (/^[{[]/.test(text)) {
    const calls = readJson(text);
    return calls.length > 0 ? calls : [{ error: 'The list of calls is empty.' }];
  }
  const named = readNamed(text);
  if (named) return [named];
  const python = readPython(text);
  return python.length > 0 ? python : [{ error: NOT_JSON }];
}

/**
 * Whether a whole message is calls without the tags around them, as Llama 3 writes them and others by mistake: it begins
 * with an object, or a fence and an object, that has a name.
 */
export const isBareCall = (message: string): boolean =>
  /^(?:```\w*\s*)?\[?\s*\{\s*"(?:name|type|function)"\s*:/.test(message.trim());

/** The first text among the arguments of the first call; the text itself if it is not a call. */
export function calledText(inner: string): string {
  for (const read of readCalls(inner)) {
    if (!('call' in read)) continue;
    const text = Object.values(read.call.arguments).find((value) => typeof value === 'string');
    if (text !== undefined) return text.trim();
  }
  return '';
}
