import { missingPart, renamed } from './custom-layout.ts';
import { IMPORTERS } from './importers/list.ts';
import { readForage } from './own/forage.ts';
import { buildRollout, RecordError, type Importer, type Place } from './parts/build.ts';
import type { ImportedRollout } from './shape/imported.ts';
import { isTooDeep, without, type JsonObject } from './shape/json.ts';
import { isObject } from '../../base/objects.ts';

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
