import { asText, hashText, numberOrText, type JsonObject } from '../shape/json.ts';
import { askedLast } from './chat-text.ts';
import { GOLD_KEYS, STEP_KEYS } from './keys.ts';
import { isObject } from '../../../base/objects.ts';
import { firstAnswers } from '../../values/answers.ts';

/** Questions, gold answers and steps out of the fields of training frameworks. */

// The last marker wins: few-shot prompts and instructions carry examples before the question itself.
const MARKER = /(?:^|[\n.>])[ \t]*(?:Question|User|user)[ \t]*[:\n][ \t]*/g;
const TURN_END =
  /\n\s{0,8}(?:Assistant|assistant|<\|im_start\|>|Answer|Response)\s{0,4}:?|<\|im_end\|>|<\/s>|<\|eot_id\|>/;
const LONGEST_GUESS = 2000;
/** A turn's own mark in front of the question's. */
const LABEL = /^Question[ \t]*:\s*/;

/** The question in a prompt: of a chat that is one text, in what the user asked last. */
export const questionIn = (prompt: string): string => questionInTurn(askedLast(prompt) ?? prompt);

/**
 * The question in a turn: what follows the last "Question:" or "User:", or is in the last
 * `<question>` block; up to where the turn ends. The whole prompt, trimmed, where no marker is found.
 */
function questionInTurn(prompt: string): string {
  const block = [...prompt.matchAll(/<question>([^<]*)<\/question>/g)].at(-1)?.[1];
  if (block !== undefined) return block.trim();
  const marker = [...prompt.matchAll(MARKER)].at(-1);
  if (!marker) return prompt.trim();
  const rest = prompt.slice(marker.index + marker[0].length);
  const end = rest.search(TURN_END);
  const question = (end >= 0 ? rest.slice(0, end) : rest).trim().replace(LABEL, '');
  return question === '' || question.length > LONGEST_GUESS ? prompt.trim() : question;
}

/** Id of a question that has none: the same text has the same id in every file. */
export const questionId = (text: string): string => `q-${hashText(text.trim())}`;

/** A label may be a class, by number, or a mark of right and wrong: neither is an answer. */
const isMark = (key: string, value: unknown): boolean =>
  key === 'label' &&
  (['boolean', 'number'].includes(typeof value) || /^(?:true|false)$/i.test(asText(value) ?? ''));

/** These hold the answer in an object, and elsewhere name the model that gave the reward. */
const isName = (key: string, value: unknown): boolean =>
  (key === 'reward_model' || key === 'reward_spec') && !isObject(value);

/**
 * Gold answers of a record, under the first of the usual keys that gives any.
 * @param own where the layout's own tool writes them: before all others, a number there is an answer
 */
export function goldsIn(record: JsonObject, own?: (typeof GOLD_KEYS)[number]): string[] {
  const stated = own === undefined ? undefined : record[own];
  const others = GOLD_KEYS.filter((key) => !isMark(key, record[key]) && !isName(key, record[key]));
  return firstAnswers([
    typeof stated === 'boolean' ? undefined : stated,
    ...others.map((key) => record[key]),
  ]);
}

/**
 * The training step of a record, null where none is counted.
 * @param read what counts as a step: a number, unless the layout writes it otherwise
 */
export function stepIn(
  record: JsonObject,
  read: (value: unknown) => number | null = numberOrText,
): number | null {
  for (const key of STEP_KEYS) {
    const step = read(record[key]);
    if (step !== null) return step;
  }
  return null;
}
