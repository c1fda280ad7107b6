import { asText, hashText } from '../shape/json.ts';
import { isObject } from '../../../base/objects.ts';

/** Questions and gold answers out of the fields of training frameworks. */

// The last marker wins: few-shot prompts and instructions carry examples before the question itself.
const MARKER = /(?:^|[\n.>])[ \t]*(?:Question|User|user)[ \t]*[:\n][ \t]*/g;
const TURN_END =
  /\n\s{0,8}(?:Assistant|assistant|<\|im_start\|>|Answer|Response)\s{0,4}:?|<\|im_end\|>|<\/s>|<\|eot_id\|>/;
const LONGEST_GUESS = 2000;
/** A turn's own mark in front of the question's. */
const LABEL = /^Question[ \t]*:\s*/;

/**
 * The question in a prompt: what follows the last "Question:" or "User:", or stands in the last
 * `<question>` block; up to where the turn ends. The whole prompt, trimmed, where no marker is found.
 */
export function questionIn(prompt: string): string {
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

const ANSWER_KEYS = ['target', 'ground_truth', 'golden_answers', 'answers', 'answer'];

/**
 * Gold answers as text: a string, a number, a list, or an object that holds them under one of verl's
 * usual keys. DeepResearcher's `<|answer_split|>` parts a string. Empty where there is none.
 */
export function goldAnswers(value: unknown): string[] {
  const text = asText(value);
  if (text !== null) return text.split('<|answer_split|>').filter((answer) => answer.trim() !== '');
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (Array.isArray(value))
    return value.flatMap((item) => (Array.isArray(item) ? [] : goldAnswers(item)));
  if (!isObject(value)) return [];
  const key = ANSWER_KEYS.find((name) => Object.hasOwn(value, name));
  const inner = key === undefined ? null : value[key];
  if (!isObject(inner)) return goldAnswers(inner);
  const named = ANSWER_KEYS.some((name) => Object.hasOwn(inner, name));
  return goldAnswers(named ? inner : Object.values(inner));
}
