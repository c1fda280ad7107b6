import { RecordError, type Place } from './importers/build.ts';
import { isFlashRag, readFlashRag } from './importers/flashrag.ts';
import { readForage } from './importers/forage.ts';
import type { ImportedRollout, RolloutLayout } from './shape/imported.ts';
import { isInspectSample, readInspectSample } from './importers/inspect-ai.ts';
import { isObject, isTooDeep, type JsonObject } from './shape/json.ts';
import { readLoggingBoard } from './importers/logging-board.ts';
import { readMessages } from './importers/openai-messages.ts';
import { readOpenRlhf, readSkyRl } from './importers/prompt-output.ts';
import { readR1Searcher } from './importers/r1-searcher.ts';
import { readTrl } from './importers/trl.ts';
import { isVerifiers, readVerifiers } from './importers/verifiers.ts';
import { readVerl } from './importers/verl.ts';

/** Reads one record. @throws RecordError */
type Importer = (record: JsonObject, place: Place) => ImportedRollout;

interface Layout {
  id: RolloutLayout;
  /** Keys that tell the layout from the others. */
  keys: readonly string[];
  /** Where the keys alone do not. */
  is?: (record: JsonObject) => boolean;
  read: Importer;
}

/** The most telling first. */
const LAYOUT_KEYS: readonly Layout[] = [
  { id: 'r1-searcher', keys: ['gen_text_store'], read: readR1Searcher },
  { id: 'flashrag', keys: ['question', 'output'], is: isFlashRag, read: readFlashRag },
  { id: 'inspect-ai', keys: ['messages', 'target'], is: isInspectSample, read: readInspectSample },
  { id: 'verl', keys: ['input', 'output'], read: readVerl },
  { id: 'rl-logging-board', keys: ['prompt', 'response'], read: readLoggingBoard },
  {
    id: 'verifiers',
    keys: ['prompt', 'completion', 'reward'],
    is: isVerifiers,
    read: readVerifiers,
  },
  { id: 'trl', keys: ['prompt', 'completion'], read: readTrl },
  { id: 'openrlhf', keys: ['prompt', 'output'], read: readOpenRlhf },
  { id: 'skyrl', keys: ['input_prompt', 'output_response'], read: readSkyRl },
  { id: 'messages', keys: ['messages'], read: readMessages },
];

const FORAGE: Layout = { id: 'forage', keys: ['format'], read: readForage };

const isForage = (record: JsonObject): boolean =>
  typeof record['format'] === 'string' && record['format'].startsWith('forage.');

/** The layout of a record by its keys, or null. */
const layoutOf = (record: JsonObject): Layout | null =>
  isForage(record)
    ? FORAGE
    : (LAYOUT_KEYS.find(
        ({ keys, is }) =>
          keys.every((key) => Object.hasOwn(record, key)) && (is === undefined || is(record)),
      ) ?? null);

/** A question with its answer and no text of a rollout. */
export class QuestionError extends RecordError {}

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

const EXPECTED = LAYOUT_KEYS.map(({ id, keys }) => `${keys.join(' and ')} (${id})`).join(', ');

/** Reads a record of any known layout. @throws RecordError */
export function readRecord(
  value: unknown,
  place: Place,
): { rollout: ImportedRollout; layout: RolloutLayout } {
  if (!isObject(value)) {
    const found = Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value;
    throw new RecordError(`holds ${found}; expected one object a line`);
  }
  if (isTooDeep(value)) throw new RecordError('is nested too deeply');
  const layout = layoutOf(value);
  if ((!layout || layout.id === 'r1-searcher') && isQuestion(value))
    throw new QuestionError(QUESTION);
  if (!layout) {
    const keys = Object.keys(value).slice(0, 8).join(', ');
    throw new RecordError(
      `no rollout layout is known with the keys ${keys || '(none)'}; expected ${EXPECTED} or format: forage.rollout/1`,
    );
  }
  return { rollout: layout.read(value, place), layout: layout.id };
}
