import type { RewardClause } from '../rollout.ts';
import type { ImportedRollout, ImportedSegment, RolloutOrigin } from './imported.ts';
import { asText, hashText, without, type JsonObject } from './json.ts';
import { readAnswer, whyUnread } from './protocols/answer.ts';
import { protocolById } from './protocols/catalogue.ts';
import type { Protocol } from './protocols/protocol.ts';
import { recogniseProtocol } from './protocols/recognise.ts';
import { splitText } from './protocols/split.ts';
import { questionId } from './question.ts';
import { readColumns, tokenSegments, type ReadColumns } from './tokens.ts';

/** Why one record cannot be read, in words that name the key at fault. */
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
  layout: RolloutOrigin['layout'];
  record: JsonObject;
  prompt: ImportedSegment[];
  response: string;
  /** Cut already where the file says who wrote what, as chat messages do. */
  responseSegments?: ImportedSegment[];
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

export const promptSegment = (text: string): ImportedSegment[] =>
  text === '' ? [] : [{ source: 'prompt', role: 'instruction', text }];

function responseSegments(
  text: string,
  protocol: Protocol | null,
  columns: ReadColumns,
): ImportedSegment[] {
  const whole: ImportedSegment = { source: 'policy', role: protocol?.prose ?? 'other', text };
  if (!protocol) {
    if (columns.count > 0) return [{ ...whole, ...columns.columns }];
    return text === '' ? [] : [whole];
  }
  const pieces = splitText(text, protocol).map((piece) =>
    // Nothing in a response is the prompt's, whatever tag it carries.
    piece.source === 'prompt' ? { ...piece, source: 'policy' as const } : piece,
  );
  if (columns.count === 0)
    return pieces.map(({ source, role, text: own }) => ({ source, role, text: own }));
  return tokenSegments(text, pieces, columns) ?? [{ ...whole, role: 'other', ...columns.columns }];
}

function protocolOfText(text: string, system: string | undefined): Protocol | null {
  const recognised = recogniseProtocol(text);
  const bare = recognised === null || recognised.id === 'think-answer';
  return bare ? (protocolById(system) ?? recognised) : recognised;
}

const GROUP_KEYS = ['group_id', 'uid', 'prompt_id', 'group'];

function groupOf(record: JsonObject, question: string, step: number | null): string {
  const key = GROUP_KEYS.find((name) => ['string', 'number'].includes(typeof record[name]));
  const group = key === undefined ? hashText(question) : String(record[key]);
  return step === null ? group : `${step}/${group}`;
}

/** Extra keys under which reward functions leave the prediction that they scored; null where they found none. */
const PREDICTIONS = ['pred', 'prediction', 'extracted_answer'];

/** The answer as the file gives it; undefined where it gives none. */
function statedAnswer({ answer, record }: RecordParts): string | null | undefined {
  if (answer !== undefined) return answer;
  const given = PREDICTIONS.map((key) => record[key]).filter((value) => value !== undefined);
  const texts = given.flatMap((value) => asText(value) ?? []);
  return texts[0] ?? (given.includes(null) ? null : undefined);
}

/** The record of the inspector; everything of the original is in its segments or in `origin.fields`. */
export function buildRollout(parts: RecordParts, place: Place): ImportedRollout {
  const { record, prompt, response, layout } = parts;
  const protocol = protocolOfText(response, parts.system);
  const read = readColumns(record);
  const segments = parts.responseSegments ?? responseSegments(response, protocol, read);
  const inSegments = parts.responseSegments === undefined;
  const held = new Set([...parts.held, ...(inSegments ? Object.values(read.keys) : [])]);
  const step = parts.step ?? null;
  const promptText = prompt.map(({ text }) => text).join('');
  const stated = statedAnswer(parts);
  const answer = stated === undefined ? readAnswer(segments, protocol, promptText) : stated;
  const unread =
    stated === undefined && answer === null ? whyUnread(segments, protocol, promptText) : null;
  return {
    format: 'forage.rollout/1',
    id: `${place.name}:${place.line}`,
    runId: place.name,
    step,
    groupId: groupOf(record, promptText === '' ? parts.question : promptText, step),
    question: {
      id: asText(record['question_id']) ?? questionId(parts.question),
      text: parts.question,
      answers: parts.answers,
      supporting: [],
    },
    segments: [...prompt, ...segments],
    rewards: parts.rewards ?? [],
    reward: parts.reward ?? null,
    baseline: null,
    advantage: parts.advantage ?? null,
    metrics: null,
    answer,
    ...(unread !== null && { notScored: unread }),
    ...(parts.judge && { judge: parts.judge }),
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
