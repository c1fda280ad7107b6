import { IMPORTERS } from './importers/list.ts';
import { buildRollout, RecordError, type Importer, type Place } from './parts/build.ts';
import type { ImportedRollout } from './shape/imported.ts';
import { isTooDeep, without, type JsonObject, asText } from './shape/json.ts';
import { isObject } from '../../base/objects.ts';
import { faultOf } from './own-schema.ts';
import { COMPLETION_KEYS, PREDICTION_KEYS, PROMPT_KEYS, TAGGED_KEYS } from './parts/keys.ts';
import { responseStart } from './parts/chat-text.ts';
import { messagesOf } from './parts/messages.ts';
import { PROTOCOLS } from './protocols/catalogue.ts';

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
function renamed(record: JsonObject): RenamedRecord | null {
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
function missingPart(record: JsonObject, question: boolean): string | null {
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

/**
 * One line of our own: `forage.rollout/1`, a rollout of ours or an imported one that was written again.
 * The record itself comes back, unknown keys and all.
 * @throws RecordError naming the key at fault
 */
function readForage(record: JsonObject): ImportedRollout {
  const format = asText(record['format']);
  if (format !== 'forage.rollout/1')
    throw new RecordError(`"format" is "${format}"; this version reads forage.rollout/1`);
  const fault = faultOf(record);
  if (fault !== null) throw new RecordError(fault);
  return record as unknown as ImportedRollout;
}

const isForage = (record: JsonObject): boolean =>
  typeof record['format'] === 'string' && record['format'].startsWith('forage.');

/** The layout of another system's record by its keys, or null. */
const layoutOf = (record: JsonObject, importers: readonly Importer[]): Importer | null =>
  importers.find(
    ({ keys, is }) =>
      keys.every((key) => Object.hasOwn(record, key)) && (is === undefined || is(record)),
  ) ?? null;

/** A question with its answer and no text of a rollout. */
export class QuestionError extends RecordError {}

/** A rollout except for one part, which the message names: it belongs nowhere else. */
export class PartError extends RecordError {}

const hasText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

/**
 * Files of questions lie beside those of rollouts and are easily taken for them. R1-Searcher's own have the
 * key of the response, empty, and no prediction.
 */
const isQuestion = (record: JsonObject): boolean =>
  Object.hasOwn(record, 'question') &&
  ['answer', 'answers', 'golden_answers'].some((key) => Object.hasOwn(record, key)) &&
  !hasText(record['gen_text_store']) &&
  !Object.hasOwn(record, 'pred_ans');

const QUESTION =
  'has a question with its answer and no text of a rollout: open files of questions under Corpus';

const expected = (importers: readonly Importer[]): string =>
  importers.map(({ id, keys }) => `${keys.join(' and ')} (${id})`).join(', ');

/** A custom line, read under the names of a layout; null where no layout fits. */
function readHomeMade(
  value: JsonObject,
  place: Place,
  importers: readonly Importer[],
): { rollout: ImportedRollout; layout: string } | null {
  const made = renamed(value);
  const layout = made && layoutOf(made.record, importers);
  if (!made || !layout) return null;
  const parts = layout.read(made.record);
  // A text under a name that otherwise holds the answer alone is not taken for the answer.
  const rest = without(value, new Set(parts.held.map((key) => made.names.get(key) ?? key)));
  const rollout = buildRollout(rest, layout.id, { ...parts, held: [] }, place);
  return { rollout, layout: layout.id };
}

/**
 * Reads a record of any known layout.
 * @param importers layouts of other systems, the most telling first
 * @throws RecordError naming the key at fault, or the keys that were expected
 */
export function readRecord(
  value: unknown,
  place: Place,
  importers: readonly Importer[] = IMPORTERS,
): { rollout: ImportedRollout; layout: string } {
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value;
    throw new RecordError(`holds ${found}; expected one object per line`);
  }
  if (isTooDeep(value)) throw new RecordError('is nested too deeply');
  if (isForage(value)) return { rollout: readForage(value), layout: 'forage' };
  const layout = layoutOf(value, importers);
  if (layout?.id === 'r1-searcher' && isQuestion(value)) throw new QuestionError(QUESTION);
  if (!layout) {
    const homeMade = readHomeMade(value, place, importers);
    if (homeMade) return homeMade;
    const question = isQuestion(value);
    const missing = missingPart(value, question);
    if (missing !== null) throw new PartError(missing);
    if (question) throw new QuestionError(QUESTION);
    const keys = Object.keys(value).slice(0, 8).join(', ');
    throw new RecordError(
      `no rollout layout is known with the keys ${keys || '(none)'}; expected ${expected(importers)} or format: forage.rollout/1`,
    );
  }
  return { rollout: buildRollout(value, layout.id, layout.read(value), place), layout: layout.id };
}
