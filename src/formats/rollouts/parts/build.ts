import type { RewardClause } from '../../../records/rollout.ts';
import type { ImportedRollout, ImportedSegment } from '../shape/imported.ts';
import { asText, hashText, without, type JsonObject } from '../shape/json.ts';
import { readAnswer, whyUnread } from '../protocols/answer.ts';
import { protocolById } from '../protocols/catalogue.ts';
import type { Piece, Protocol } from '../protocols/protocol.ts';
import { recogniseProtocol } from '../protocols/recognise.ts';
import { splitText } from '../protocols/split.ts';
import { PREDICTION_KEYS } from './keys.ts';
import { responseStart } from './chat-text.ts';
import { questionId, questionIn } from './question.ts';
import { COLUMNS, NO_COLUMNS, readColumns, tokenSegments, type ReadColumns } from './tokens.ts';
import { itemAt } from '../../../base/items.ts';
import { isObject } from '../../../base/objects.ts';

/** Why one record cannot be read, as text that name the key at fault. */
export class RecordError extends Error {}

/** Where a record stands. */
export interface Place {
  /** Name of the file. */
  name: string;
  /** Line, or row, from 1. */
  line: number;
}

/** What an importer found in one record of another system. */
export interface RecordParts {
  prompt: ImportedSegment[];
  response: string;
  /** Cut already where the file says who wrote what, as chat messages do. */
  responseSegments?: ImportedSegment[];
  /** Those of them in which an answer is read: all but thoughts that the file keeps apart. */
  spoken?: ImportedSegment[];
  /** Keys whose values the segments hold whole. */
  held: readonly string[];
  question: string;
  answers: string[];
  /** What the file itself gives as the answer; undefined where the protocol's own rule is to find it. */
  answer?: string | null;
  step?: number | null;
  rewards?: RewardClause[];
  reward?: number | null;
  advantage?: number | null;
  judge?: NonNullable<ImportedRollout['judge']>;
  /** The system's own protocol, where the text alone shows no more than a thought and an answer. */
  system?: string;
}

/** A layout of rollout records, as `importers/list.ts` holds it. */
export interface Importer {
  /** As filters, stored rows and messages name it. */
  id: string;
  /** Whose files they are, as the page lists them. */
  name: string;
  /** Keys that a record of this layout has. */
  keys: readonly string[];
  /** Where the keys alone do not tell it from the layouts below it in the list. */
  is?: (record: JsonObject) => boolean;
  /** @throws RecordError naming the key at fault */
  read: (record: JsonObject) => RecordParts;
}

export const promptSegment = (text: string): ImportedSegment[] =>
  text === '' ? [] : [{ source: 'prompt', role: 'instruction', text }];

interface ResponseText {
  text: string;
  /** Where the prompt ends that the text repeats; 0 where it repeats none. */
  start: number;
  protocol: Protocol | null;
  /** The prompt ends in `<think>`. */
  opened: boolean;
}

function piecesOf({ text, start, protocol, opened }: ResponseText): Piece[] {
  const response = text.slice(start);
  const pieces: Piece[] = protocol
    ? splitText(response, protocol, { opened })
    : [{ source: 'policy', role: 'other', text: response, start: 0 }];
  const moved = pieces.map((piece) => ({ ...piece, start: piece.start + start }));
  const prompt: Piece = {
    source: 'prompt',
    role: 'instruction',
    text: text.slice(0, start),
    start: 0,
  };
  return start === 0 ? moved : [prompt, ...moved];
}

/** Pieces cut where stretches begin and end, so that none is in and out of one. */
function cutAt(pieces: readonly Piece[], stretches: readonly Stretch[]): Piece[] {
  const borders = stretches.flatMap(({ start, end }) => [start, end]);
  let next = 0;
  return pieces.flatMap((piece) => {
    const end = piece.start + piece.text.length;
    const cuts: number[] = [piece.start];
    for (; (borders[next] ?? Infinity) < end; next++) {
      const border = itemAt(borders, next, 'borders');
      if (border > itemAt(cuts, cuts.length - 1, 'cuts')) cuts.push(border);
    }
    return cuts.map((from, i) => ({
      ...piece,
      start: from,
      text: piece.text.slice(from - piece.start, (cuts[i + 1] ?? end) - piece.start),
    }));
  });
}

function responseSegments(
  response: ResponseText,
  columns: ReadColumns,
  record: JsonObject,
): ImportedSegment[] {
  const { text, start, protocol } = response;
  if (text === '' && columns.count === 0) return [];
  if (!protocol && start === 0)
    return [{ source: 'policy', role: 'other', text, ...columns.columns }];
  const given = stretchesAt(record, GIVEN, text.length);
  let next = 0;
  let stretch = given[next];
  const heard = given.filter(({ role }) => HEARD.some((one) => one === role));
  const pieces = cutAt(piecesOf(response), heard).map((piece): Piece => {
    if (piece.start < start) return piece;
    const end = piece.start + piece.text.length;
    // Both are in order and apart: only the first stretch that ends no earlier can hold the piece.
    while (stretch && stretch.end < end) {
      next += 1;
      stretch = given[next];
    }
    if (stretch && stretch.start <= piece.start) {
      const role = HEARD.find((one) => one === stretch?.role) ?? piece.role;
      return { ...piece, source: 'environment', role };
    }
    // Nothing in a response is the prompt's, whatever tag it carries.
    return piece.source === 'prompt' ? { ...piece, source: 'policy' } : piece;
  });
  const bare = pieces.map(({ source, role, text: own }) => ({ source, role, text: own }));
  if (columns.count === 0) return bare;
  // Where tokens do not spell the text, nobody knows which block each is of; who wrote what comes first.
  return tokenSegments(text, pieces, columns) ?? bare;
}

/** Where our writers leave the stretches of a prompt that the environment wrote, and their role. */
export const PROMPT_READ = 'prompt_read';
/** And those of a response that its tags do not tell, such as an answer that the environment put in its place. */
export const GIVEN = 'environment_wrote';

/** Roles of what the environment wrote that a stretch states. */
const HEARD = ['result', 'other'] as const;

interface Stretch {
  start: number;
  end: number;
  role?: unknown;
}

const isStretch = (value: unknown): value is Stretch =>
  isObject(value) &&
  Number.isInteger(value['start']) &&
  Number.isInteger(value['end']) &&
  (value['start'] as number) >= 0 &&
  (value['start'] as number) < (value['end'] as number);

/** Stretches of a text of this many characters, in order and disjoint; others are dropped. */
function stretchesAt(record: JsonObject, key: string, length: number): Stretch[] {
  const value = record[key];
  let at = 0;
  return (Array.isArray(value) ? value.filter(isStretch) : []).filter(({ start, end }) => {
    if (start < at || end > length) return false;
    at = end;
    return true;
  });
}

/** A prompt cut where passages are in it that were retrieved before the policy wrote anything. */
function promptSegments(prompt: ImportedSegment[], record: JsonObject): ImportedSegment[] {
  const [only] = prompt;
  const read = only ? stretchesAt(record, PROMPT_READ, only.text.length) : [];
  if (prompt.length !== 1 || !only || read.length === 0) return prompt;
  const segments: ImportedSegment[] = [];
  let at = 0;
  for (const { start, end, role } of read) {
    if (start > at) segments.push({ ...only, text: only.text.slice(at, start) });
    segments.push({
      source: 'environment',
      role: role === 'background' ? 'background' : 'result',
      text: only.text.slice(start, end),
    });
    at = end;
  }
  if (at < only.text.length) segments.push({ ...only, text: only.text.slice(at) });
  return segments;
}

function protocolOfText(
  text: string,
  system: string | undefined,
  opened: boolean,
): Protocol | null {
  const recognised = recogniseProtocol(text) ?? (opened ? protocolById('think') : null);
  const bare = recognised === null || recognised.id === 'think-answer';
  return bare ? (protocolById(system) ?? recognised) : recognised;
}

const GROUP_KEYS = ['group_id', 'uid', 'prompt_id', 'group'];

function groupOf(record: JsonObject, question: string, step: number | null): string {
  const key = GROUP_KEYS.find((name) => ['string', 'number'].includes(typeof record[name]));
  const group = key === undefined ? hashText(question) : String(record[key]);
  return step === null || group.startsWith(`${step}/`) ? group : `${step}/${group}`;
}

/** What Tongyi DeepResearch writes in place of a prediction where there is none. */
const NO_PREDICTION = /^(?:no answer found\.?|\[failed\])$/i;

/** The answer as the file gives it; undefined where it gives none. */
function statedAnswer({ answer }: RecordParts, record: JsonObject): string | null | undefined {
  if (answer !== undefined) return answer;
  const given = PREDICTION_KEYS.map((key) => record[key]).filter((value) => value !== undefined);
  const texts = given.flatMap((value) => asText(value) ?? []);
  if (texts[0] !== undefined && NO_PREDICTION.test(texts[0].trim())) return null;
  return texts[0] ?? (given.includes(null) ? null : undefined);
}

/** A list of texts under a key; empty for anything else. */
export function textsAt(record: JsonObject, key: string): string[] {
  const value = record[key];
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : [];
}

/** A verdict that the layout gives, or that our writers left beside the texts. */
function judgeOf({ judge }: RecordParts, record: JsonObject): Pick<ImportedRollout, 'judge'> {
  if (judge) return { judge };
  const left = record['judge'];
  const verdict = isObject(left) ? left['verdict'] : undefined;
  const by = isObject(left) ? asText(left['by']) : null;
  const known = typeof verdict === 'boolean' || verdict === null;
  return known && by !== null ? { judge: { verdict, by } } : {};
}

/** Rollouts that ended in an error of the system: a rate limit, a crash, an environment that was lost. */

/** Keys under which frameworks leave the error: Inspect AI's and verifiers' is `error`. */
const ERROR_KEYS = ['error', 'errors', 'exception', 'error_message'];
/** Keys that say how a rollout ended. */
const END_KEYS = [
  'termination',
  'stop_condition',
  'stop_reason',
  'finish_reason',
  'termination_reason',
  'status',
];
const FAILED = /^(?:has_|with_)?(?:error|errored|exception|failed|failure|crashed|infra_error)$/i;
const NONE = /^(?:|none|null|false|nan|no error)$/i;

/** Texts of an error: of its message, or of the first text in it. */
function messageIn(value: unknown): string | null {
  const text = asText(value)?.trim();
  if (text !== undefined) return NONE.test(text) ? null : text;
  if (value === true) return 'error';
  if (Array.isArray(value)) return value.length === 0 ? null : (messageIn(value[0]) ?? 'error');
  if (!isObject(value)) return null;
  const keys = ['message', 'error', 'error_message', 'type', ...Object.keys(value)];
  const found = keys.map((key) => asText(value[key])?.trim()).find((one) => one);
  return found ?? (Object.keys(value).length > 0 ? 'error' : null);
}

/** Why a rollout ended in an error; null where the record says of none. */
function failureOf(record: JsonObject): string | null {
  for (const key of ERROR_KEYS) {
    const message = messageIn(record[key]);
    if (message !== null) return message.replaceAll(/\s+/g, ' ').slice(0, 200);
  }
  const key = END_KEYS.find((name) => FAILED.test(asText(record[name])?.trim() ?? ''));
  return key === undefined ? null : `${key} is “${asText(record[key])?.trim()}”`;
}

/** The record of the inspector; everything of the original is in its segments or in `origin.fields`. */
export function buildRollout(
  record: JsonObject,
  layout: string,
  parts: RecordParts,
  place: Place,
): ImportedRollout {
  const prompt = promptSegments(parts.prompt, record);
  const ownPrompt = prompt.map(({ text }) => text).join('');
  const start = parts.responseSegments ? 0 : responseStart(parts.response, ownPrompt);
  const repeated = parts.response.slice(0, start);
  const promptText = ownPrompt + repeated;
  const opened = /<think>\s*$/.test(promptText);
  const protocol = protocolOfText(parts.response.slice(start), parts.system, opened);
  // Messages carry their own tokens; columns of the whole record belong to a response that is one text.
  const read = parts.responseSegments ? NO_COLUMNS : readColumns(record);
  const segments =
    parts.responseSegments ??
    responseSegments({ text: parts.response, start, protocol, opened }, read, record);
  const inSegments = segments.some((segment) => COLUMNS.some((column) => segment[column]));
  const held = new Set([...parts.held, ...(inSegments ? Object.values(read.keys) : [])]);
  const step = parts.step ?? null;
  const question = parts.question === '' ? questionIn(repeated) : parts.question;
  const failure = failureOf(record);
  const stated = statedAnswer(parts, record);
  const spoken = parts.spoken ?? segments;
  const answer = stated === undefined ? readAnswer(spoken, protocol, promptText) : stated;
  const unread =
    stated === undefined && answer === null ? whyUnread(spoken, protocol, promptText) : null;
  const notScored = failure === null ? unread : `it ended in an error: ${failure}`;
  return {
    format: 'forage.rollout/1',
    id: `${place.name}:${place.line}`,
    runId: place.name,
    step,
    groupId: groupOf(record, promptText === '' ? question : promptText, step),
    question: {
      id: asText(record['question_id']) ?? questionId(question),
      text: question,
      answers: parts.answers,
      supporting: textsAt(record, 'supporting'),
    },
    segments: [...prompt, ...segments],
    rewards: parts.rewards ?? [],
    reward: parts.reward ?? null,
    baseline: null,
    advantage: parts.advantage ?? null,
    metrics: null,
    answer,
    ...(notScored !== null && { notScored }),
    ...(failure !== null && { error: failure }),
    ...judgeOf(parts, record),
    origin: {
      layout,
      protocol: protocol?.id ?? null,
      responseAt: prompt.length,
      fields: without(record, held),
      columns: inSegments ? read.keys : {},
    },
  };
}

/** Text under a key. @throws RecordError where it is missing or no text */
export function textAt(record: JsonObject, key: string): string {
  const value = record[key];
  if (typeof value === 'string') return value;
  const found = value === undefined ? 'is missing' : `is ${value === null ? 'null' : typeof value}`;
  throw new RecordError(`"${key}" ${found}; expected text`);
}
