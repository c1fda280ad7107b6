import type { PolicyChat } from '../../policy/policy.ts';
import type { TurnMessage, ToolSchema } from '../../policy/text-model.ts';

/**
 * Conversations with tools in a checkpoint's own chat template. A conversation only grows: what the model sampled stays as
 * it is, and of the template's rendering of the next messages only what follows the model's turn is appended. That part is
 * found by marks in the place of contents, which are encoded as text: no passage can end its turn.
 */

/** Stands for a content; a quotation mark after it shows whether the template writes contents as JSON. */
const mark = (what: string): string => `FORAGE0${what}0HERE`;

const USER = mark('USER');
const SAID = mark('SAID');

/** Template text and contents in their order. */
export type Piece = { template: string } | { content: number; json: boolean };

/** How a family writes a call where its template has no word on tools. */
export type Family = 'hermes' | 'llama3' | 'mistral' | 'gemma';

const FAMILY_MARKS: readonly (readonly [Family, string])[] = [
  ['gemma', '<start_of_turn>'],
  ['llama3', '<|start_header_id|>'],
  ['mistral', '[INST]'],
];

/** By what a rendered conversation looks like; ChatML and all others write calls as Hermes does. */
export const familyOf = (rendered: string): Family =>
  FAMILY_MARKS.find(([, text]) => rendered.includes(text))?.[0] ?? 'hermes';

const json = (value: unknown): string => JSON.stringify(value);

const CALL_FORMS: Readonly<Record<Family, string>> = {
  hermes:
    'To call a function, write a JSON object with its name and arguments within <tool_call></tool_call> tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call>',
  llama3:
    'To call a function, answer with JSON alone: {"name": <function-name>, "parameters": <args-json-object>}',
  mistral:
    'To call functions, answer with [TOOL_CALLS] and a JSON list alone: [TOOL_CALLS] [{"name": <function-name>, "arguments": <args-json-object>}]',
  gemma:
    'To call a function, wrap it in ```tool_code``` and stop; what it returns comes back in ```tool_output```. For example:\n```tool_code\nsearch(query="author of Old Wolf")\n```',
};

/** Tools as part of an instruction, for a template that leaves them out. */
export function describeTools(family: Family, tools: readonly ToolSchema[]): string {
  const list =
    family === 'gemma'
      ? tools.map(({ function: { name, description, parameters } }) => {
          const [key = '', about] = Object.entries(parameters.properties)[0] ?? [];
          return `def ${name}(${key}: str) -> str:\n    """${description} ${key}: ${about?.description ?? ''}"""`;
        })
      : tools.map(json);
  const shown = family === 'gemma' ? list.join('\n\n') : `<tools>\n${list.join('\n')}\n</tools>`;
  return `You may call these functions:\n${shown}\n\n${CALL_FORMS[family]}`;
}

/** Results as the user's message, for a template without a role for them. */
const asUserText = (family: Family, content: string): string =>
  family === 'gemma'
    ? `\`\`\`tool_output\n${content}\n\`\`\``
    : `<tool_response>\n${content}\n</tool_response>`;

/** A call that results belong to; its arguments are not shown again. */
export interface PastCall {
  name: string;
  /** As the model wrote it. */
  id?: string;
}

const contentMark = (i: number): string => `${mark(`CONTENT${i}`)}"`;

/** Cuts at the marks of contents. @returns null where one is missing or stands twice */
function piecesOf(text: string, count: number): Piece[] | null {
  const pieces: Piece[] = [];
  let rest = text;
  for (let i = 0; i < count; i++) {
    const name = mark(`CONTENT${i}`);
    const at = rest.indexOf(name);
    if (at < 0 || rest.includes(name, at + 1)) return null;
    const after = rest.slice(at + name.length);
    const escaped = after.startsWith('\\"');
    if (!escaped && !after.startsWith('"')) return null;
    pieces.push({ template: rest.slice(0, at) }, { content: i, json: escaped });
    rest = after.slice(escaped ? 2 : 1);
  }
  pieces.push({ template: rest });
  return pieces.filter((piece) => !('template' in piece) || piece.template !== '');
}

export interface Delta {
  /** What ends the model's turn, where it did not end it itself; empty where the template has nothing for it. */
  end: string;
  pieces: Piece[];
}

/** What follows the model's words in a rendering: from the last end of a turn before the first content. */
function afterSaid(rendered: string, count: number, ends: readonly string[]): Delta | null {
  const first = rendered.indexOf(mark('CONTENT0'));
  if (first < 0) return null;
  const said = rendered.lastIndexOf(SAID, first);
  let from = said < 0 ? -1 : said + SAID.length;
  let end = '';
  for (const text of ends) {
    if (text === '') continue;
    const at = rendered.lastIndexOf(text, first - text.length);
    if (at >= 0 && at + text.length > from) {
      from = at + text.length;
      end = text;
    }
  }
  if (from < 0) return null;
  const pieces = piecesOf(rendered.slice(from), count);
  return pieces && { end, pieces };
}

export class ToolChat {
  readonly #chat: PolicyChat;
  readonly #tools: readonly ToolSchema[];
  readonly #opening: readonly TurnMessage[];
  #user: Delta | undefined;
  /** By names and ids of the calls: a template is a slow program. */
  readonly #results = new Map<string, Delta>();
  /** What is around the user's text. */
  readonly frame: { before: string; after: string };
  readonly family: Family;

  /** @throws Error where the template shows the user's message not exactly once */
  constructor(chat: PolicyChat, instruction: string, tools: readonly ToolSchema[]) {
    this.#chat = chat;
    this.#tools = tools;
    const user: TurnMessage = { role: 'user', content: USER };
    const plain = chat.render([user]);
    this.family = familyOf(plain);
    const [line = instruction] = instruction.split('\n');
    const shown = (messages: readonly TurnMessage[]): string | null => {
      try {
        const rendered = chat.render(messages, tools);
        return rendered.includes(line) ? rendered : null;
      } catch {
        return null;
      }
    };
    const asSystem = (text: string): TurnMessage[] => [{ role: 'system', content: text }, user];
    const asUser = (text: string): TurnMessage[] => [
      { role: 'user', content: `${text}\n\n${USER}` },
    ];
    const opened = (text: string): TurnMessage[] =>
      shown(asSystem(text)) === null ? asUser(text) : asSystem(text);
    const first = opened(instruction);
    const rendered = chat.render(first, tools);
    const missing = tools.filter(
      ({ function: { description } }) =>
        !rendered.includes(description) && !rendered.includes(json(description).slice(1, -1)),
    );
    this.#opening =
      missing.length === 0
        ? first
        : opened(`${instruction}\n\n${describeTools(this.family, missing)}`);
    const [before, after, ...more] = chat.render(this.#opening, tools).split(USER);
    if (before === undefined || after === undefined || more.length > 0)
      throw new Error("the model's chat template does not show the user's message exactly once");
    this.frame = { before, after };
  }

  #render(messages: readonly TurnMessage[]): string | null {
    try {
      return this.#chat.render([...this.#opening, ...messages], this.#tools);
    } catch {
      return null;
    }
  }

  /**
   * The results of a turn's calls, one content per call, up to where the model's next turn begins.
   * @param ends texts of the tokens that end a turn
   * @throws Error where the template shows neither results nor a further message of the user's
   */
  results(calls: readonly PastCall[], ends: readonly string[]): Delta {
    const given = calls.map(({ name, id }, i) => ({ name, id: callId(id, i) }));
    const key = JSON.stringify(given);
    const known = this.#results.get(key) ?? this.#resultsOf(given, ends);
    if (this.#results.size >= MOST_KNOWN) this.#results.clear();
    this.#results.set(key, known);
    return known;
  }

  #resultsOf(given: readonly Required<PastCall>[], ends: readonly string[]): Delta {
    const called = (some: readonly Required<PastCall>[]): TurnMessage => ({
      role: 'assistant',
      content: '',
      tool_calls: some.map(({ id, name }) => ({
        id,
        type: 'function' as const,
        function: { name, arguments: { text: '' } },
      })),
    });
    const results = given.map(({ name, id }, i) => ({
      role: 'tool' as const,
      content: contentMark(i),
      name,
      tool_call_id: id,
    }));
    // Llama 3 refuses several calls of one turn, others calls as such; what follows the turn is the same.
    const turns: TurnMessage[] = [
      called(given),
      called(given.slice(0, 1)),
      { role: 'assistant', content: SAID },
    ];
    for (const turn of turns) {
      const rendered = this.#render([turn, ...results]);
      const delta = rendered === null ? null : afterSaid(rendered, given.length, ends);
      if (delta) return delta;
    }
    const text = given.map((_, i) => asUserText(this.family, contentMark(i))).join('\n');
    return this.#userTurn(text, given.length, ends);
  }

  /** A further message of the user's, which is one content. @throws as `results` */
  user(ends: readonly string[]): Delta {
    this.#user ??= this.#userTurn(contentMark(0), 1, ends);
    return this.#user;
  }

  #userTurn(content: string, count: number, ends: readonly string[]): Delta {
    const rendered = this.#render([
      { role: 'assistant', content: SAID },
      { role: 'user', content },
    ]);
    const delta = rendered === null ? null : afterSaid(rendered, count, ends);
    if (delta) return delta;
    throw new Error("the model's chat template does not show a further message of the user's");
  }
}

const MOST_KNOWN = 256;

/** Mistral's template takes nine letters or digits and nothing else. */
const callId = (id: string | undefined, i: number): string =>
  id !== undefined && /^[A-Za-z0-9]{9}$/.test(id) ? id : `call${String(i).padStart(5, '0')}`;
