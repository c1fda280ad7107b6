import { PROTOCOLS } from '../protocols/catalogue.ts';

/** Chats that a template made one text of: whose turn begins where. */

interface Turn {
  role: 'system' | 'user' | 'assistant' | 'tool';
  /** Where its mark begins, and where its text does. */
  from: number;
  start: number;
  end: number;
}

/**
 * Marks that open a turn: ChatML (Qwen), Llama 3, Gemma, DeepSeek, Mistral, GLM and Phi, Harmony (gpt-oss), and
 * role names on lines of their own, which is what skipping special tokens leaves of ChatML.
 */
const OPENING = new RegExp(
  [
    String.raw`<\|im_start\|>(\w{1,20})[ \t]{0,4}\n?`,
    String.raw`<\|start_header_id\|>(\w{1,20})<\|end_header_id\|>\s{0,4}`,
    String.raw`<start_of_turn>(\w{1,20})\n`,
    String.raw`<｜(User|Assistant)｜>`,
    String.raw`\[(/?INST)\]`,
    String.raw`<\|(system|user|assistant|observation)\|>\n?`,
    String.raw`<\|start\|>(\w{1,20})(?:<\|message\|>|(?=<\|channel\|>)|$)`,
    String.raw`(?<![^\n])(system|user|assistant|tool)\n`,
  ].join('|'),
  'g',
);
const CLOSING =
  /\s{0,4}(?:<\|(?:im_end|eot_id|end|eom_id|return|call)\|>|<end_of_turn>|<｜end▁of▁sentence｜>|<\/s>)\s*$/;

const ROLES: Record<string, Turn['role']> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  human: 'user',
  inst: 'user',
  assistant: 'assistant',
  model: 'assistant',
  '/inst': 'assistant',
  tool: 'tool',
  observation: 'tool',
  ipython: 'tool',
};

/** Turns of a text; what has another name than a role is not a turn. */
function turnsOf(text: string): Turn[] {
  const marks = [...text.matchAll(OPENING)].flatMap((match) => {
    const name = match.slice(1).find((group) => group !== undefined) ?? '';
    const role = ROLES[name.toLowerCase()];
    return role ? [{ role, from: match.index, start: match.index + match[0].length }] : [];
  });
  return marks.map((mark, i) => {
    const to = marks[i + 1]?.from ?? text.length;
    const own = text.slice(mark.start, to).replace(CLOSING, '');
    return { ...mark, end: mark.start + own.length };
  });
}

const BLOCKS = PROTOCOLS.flatMap(({ blocks }) => blocks);
/** Tags that open what the environment wrote, and those that close a call. */
const RESULTS = BLOCKS.filter(({ source, role }) => source === 'environment' && role === 'result');
const CALLS = BLOCKS.filter(({ role, acts }) => role === 'search' || acts === true);

/** Whether a turn of the user's is what the environment answers to the turn before it. */
function isResult(text: string, turn: Turn, before: Turn | undefined): boolean {
  const own = text.slice(turn.start, turn.end).trimStart();
  if (RESULTS.some(({ open }) => own.startsWith(open)) || own.startsWith('Observation'))
    return true;
  if (before?.role !== 'assistant') return false;
  const said = text.slice(before.start, before.end).trimEnd();
  return CALLS.some(({ close }) => said.endsWith(close)) || /\nAction[^\n]*$/.test(said);
}

/** The user's turns that ask: those which the environment wrote in the user's place are left out. */
const askedIn = (text: string, turns: readonly Turn[]): Turn[] =>
  turns.filter((turn, i) => turn.role === 'user' && !isResult(text, turn, turns[i - 1]));

/** Harmony's turns without its special tokens run together: `…}userWhich town?assistant`. */
const PLAIN_HARMONY = /^system[\s\S]*# Valid channels:/;
const PLAIN_USER = /(?<=\S)user(?=[\p{Lu}\p{N}"'“¿¡])/gu;

/** What the user asked last in a chat that is one text; null where no template's marks tell. */
export function askedLast(text: string): string | null {
  if (PLAIN_HARMONY.test(text)) {
    const mark = [...text.matchAll(PLAIN_USER)].at(-1);
    if (mark)
      return text
        .slice(mark.index + 'user'.length)
        .replace(/assistant$/, '')
        .trim();
  }
  const last = askedIn(text, turnsOf(text)).at(-1);
  return last ? text.slice(last.start, last.end).trim() : null;
}

const SEQUENCE_START = /^\s{0,8}(?:<\|begin_of_text\|>|<s>|<bos>|<｜begin▁of▁sentence｜>)?\s{0,8}/;
/** A shorter prompt may begin a response by chance. */
const SHORTEST_PROMPT = 16;

/**
 * Where a response begins in a text that repeats its prompt: after the prompt's own words, or, where the text is
 * a whole chat, with the model's first turn after the last question. 0 where the text is all response.
 */
export function responseStart(text: string, prompt: string): number {
  const repeated = prompt.length >= SHORTEST_PROMPT && text.startsWith(prompt) ? prompt.length : 0;
  const begin = SEQUENCE_START.exec(text)?.[0].length ?? 0;
  const turns = turnsOf(text);
  const [first] = turns;
  const isChat =
    first !== undefined &&
    (first.from <= begin || (begin > 0 && text.startsWith('<｜begin▁of▁sentence｜>'))) &&
    first.role !== 'assistant';
  if (!isChat) return repeated;
  const asked = askedIn(text, turns).at(-1);
  const answer = turns.find(({ role, from }) => role === 'assistant' && asked && from > asked.from);
  return Math.max(repeated, answer?.start ?? 0);
}
