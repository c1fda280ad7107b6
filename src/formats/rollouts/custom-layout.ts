import { COMPLETION_KEYS, PREDICTION_KEYS, PROMPT_KEYS, TAGGED_KEYS } from './parts/keys.ts';
import { responseStart } from './parts/chat-text.ts';
import { messagesOf } from './parts/messages.ts';
import { PROTOCOLS } from './protocols/catalogue.ts';
import { asText, without, type JsonObject } from './shape/json.ts';

/**
 * Custom lines: a question and a response, under names that no framework uses
 * together. They are read as the framework's line that they resemble most.
 */

const isFilled = (value: unknown): value is string => (asText(value) ?? '').trim() !== '';

/** Tags by which the policy opens its blocks, of all protocols. */
const TAGS = [
  ...new Set(
    PROTOCOLS.flatMap(({ blocks }) =>
      blocks.filter(({ source }) => source === 'policy').map(({ open }) => open),
    ),
  ),
];

/** How many kinds of them are in a text. */
const tagsIn = (value: unknown): number =>
  isFilled(value) ? TAGS.filter((tag) => value.includes(tag)).length : 0;

/** Whether the record has scores, so that an empty text counts as a response, too. */
const isScored = (record: JsonObject): boolean =>
  ['reward', 'score', ...PREDICTION_KEYS].some((key) => Object.hasOwn(record, key));

const isMessages = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && messagesOf(value) !== null;

const isCompletion = (value: unknown, record: JsonObject): boolean =>
  isFilled(value) || isMessages(value) || (value === '' && isScored(record));

/** Candidates for the text of the rollout: where there are several, those with tags. */
function completionKeys(record: JsonObject): readonly string[] {
  const tagged = (keys: readonly string[]) => keys.filter((key) => tagsIn(record[key]) > 0);
  const plain = COMPLETION_KEYS.filter((key) => isCompletion(record[key], record));
  const found = [tagged(COMPLETION_KEYS), tagged(TAGGED_KEYS), plain];
  return found.find((keys) => keys.length > 0) ?? [];
}

const promptKey = (record: JsonObject): string | undefined =>
  PROMPT_KEYS.find((key) => isFilled(record[key]) || isMessages(record[key]));

/** A record under the names of a layout, and which of its own names each stands for. */
interface RenamedRecord {
  record: JsonObject;
  names: ReadonlyMap<string, string>;
}

/** Null where question or response is ambiguous. */
export function renamed(record: JsonObject): RenamedRecord | null {
  const [said, ...others] = completionKeys(record);
  if (said === undefined || others.length > 0) return null;
  const value = record[said];
  const asked = promptKey(record);
  // A whole chat in one text holds what was asked.
  if (asked === undefined && responseStart(asText(value) ?? '', '') === 0) return null;
  const own = ['completion', 'output'].includes(said) ? said : 'response';
  // Of the layouts, TRL's has chats.
  const prompt = asked === undefined ? '' : record[asked];
  const name = [prompt, value].some(isMessages) ? 'completion' : own;
  // What else is under a name of texts would be taken for the text.
  const rest = without(record, new Set(COMPLETION_KEYS));
  return {
    record: { ...rest, prompt, [name]: value },
    names: new Map([...(asked === undefined ? [] : [['prompt', asked] as const]), [name, said]]),
  };
}

const listed = (keys: readonly string[], last: string): string =>
  keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} ${last} ${keys.at(-1)}`;

const PLACES = `expected it under ${listed(COMPLETION_KEYS.slice(0, 3), 'or')}, or with tags such as <answer> under text or prediction`;

/**
 * What a record lacks to be a rollout, and what it has; null where it is none.
 * @param question whether it has what a question of a data set has
 */
export function missingPart(record: JsonObject, question: boolean): string | null {
  const asked = promptKey(record);
  const said = completionKeys(record);
  const has = `has the keys ${listed(Object.keys(record).slice(0, 8), 'and')}`;
  if (asked === undefined) {
    // A passage may hold a tag, too.
    const told = said.find((key) => key !== 'text' || tagsIn(record[key]) > 1);
    const where = `expected it under ${listed(PROMPT_KEYS, 'or')}`;
    return told === undefined || Object.hasOwn(record, 'title')
      ? null
      : `${has} and no question next to the text under ${told}; ${where}`;
  }
  if (said.length > 1)
    return `${has}, and it is unclear which of ${listed(said, 'and')} is the rollout’s text; expected one of them`;
  const answered = [...PREDICTION_KEYS, 'pred_ans'].some((key) => Object.hasOwn(record, key));
  const texts = !question && isFilled(record['text']);
  return answered || texts ? `${has} and no text of a rollout; ${PLACES}` : null;
}
