import { messageOf } from '../message-of.ts';
import { oneLine } from '../issue.ts';
import { RecordError, type Place } from './build.ts';
import { QuestionError, readRecord } from './detect.ts';
import { isZip, readEvalLog } from './eval-log.ts';
import type { ImportedRollout, RolloutLayout } from './imported.ts';
import { parseJson } from './json.ts';
import { readLines } from './lines.ts';
import { isParquet, readParquet } from './parquet.ts';

/** A file that holds no rollouts at all, or cannot be read; the message is one sentence for the user. */
export class ImportError extends Error {
  constructor(message: string) {
    super(oneLine(message, 600));
  }
}

/** One record of a file, or why it could not be read. `bytes` counts the file up to its end. */
export type ImportItem =
  | {
      kind: 'rollout';
      line: number;
      bytes: number;
      layout: RolloutLayout;
      rollout: ImportedRollout;
    }
  | {
      kind: 'fault';
      line: number;
      bytes: number;
      reason: string;
      /** The record is a question with its answer: the file may be one of questions. */
      question?: true;
    };

/** A file of another kind is given up after so many faults without one rollout. */
const HOPELESS = 1000;
/** A file of questions after fewer: every record says what it is. */
const QUESTIONS = 100;

const reasonOf = (error: unknown): string => {
  if (error instanceof RecordError) return error.message;
  if (error instanceof SyntaxError) return `is not JSON: ${error.message}`;
  // Nesting beyond what the parser's stack holds.
  if (error instanceof RangeError) return 'is nested too deeply';
  throw error;
};

function itemOf(read: () => unknown, place: Place, bytes: number): ImportItem {
  const { line } = place;
  try {
    return { kind: 'rollout', line, bytes, ...readRecord(read(), place) };
  } catch (error) {
    const reason = oneLine(reasonOf(error), 600);
    const question = error instanceof QuestionError;
    return { kind: 'fault', line, bytes, reason, ...(question && { question }) };
  }
}

const withoutMark = (text: string, line: number): string =>
  line === 1 && text.startsWith('\uFEFF') ? text.slice(1) : text;

async function* importLines(
  stream: ReadableStream<Uint8Array>,
  name: string,
): AsyncGenerator<ImportItem> {
  for await (const { number, text, fault, bytes } of readLines(stream)) {
    const place = { name, line: number };
    if (text === null) yield { kind: 'fault', line: number, bytes, reason: fault ?? 'is no text' };
    else if (text.trim() !== '')
      yield itemOf(() => parseJson(withoutMark(text, number)), place, bytes);
  }
}

async function* importParquet(blob: Blob, name: string): AsyncGenerator<ImportItem> {
  try {
    for await (const { row, number, bytes } of readParquet(blob))
      yield itemOf(() => row, { name, line: number }, bytes);
  } catch (error) {
    const why = messageOf(error);
    throw new ImportError(`${name} is a parquet file that cannot be read: ${why}`);
  }
}

async function* importEvalLog(blob: Blob, name: string): AsyncGenerator<ImportItem> {
  try {
    for await (const { number, text, fault, bytes } of readEvalLog(blob)) {
      const place = { name, line: number };
      if (text === null)
        yield { kind: 'fault', line: number, bytes, reason: fault ?? 'is no text' };
      else yield itemOf(() => parseJson(text), place, bytes);
    }
  } catch (error) {
    throw new ImportError(
      `${name} is a zip archive. Unpack it and open the files of rollouts in it; only logs of Inspect AI are read packed, and ${messageOf(error)}.`,
    );
  }
}

const questionFile = (name: string): ImportError =>
  new ImportError(
    `${name} holds questions with their answers and no rollouts. Open it under Corpus, or give it to "lab rollout" or "lab evaluate" as --questions.`,
  );

/**
 * Rollouts of a file of any known layout, in order, one at a time, told by content and not by name. A
 * broken line is an item that says where and why; the rest loads. Breaking off closes the file.
 *
 * @param source a file, or its bytes as a stream (a parquet or zip file is then collected first)
 * @param name of the file: the run's name, and the first half of each rollout's id (`name:line`)
 * @throws ImportError where the file as a whole is no file of rollouts
 */
export async function* importRollouts(
  source: Blob | ReadableStream<Uint8Array>,
  name: string,
): AsyncGenerator<ImportItem> {
  const items = await open(source, name);
  let [rollouts, faults, questions, first] = [0, 0, 0, ''];
  for await (const item of items) {
    if (item.kind === 'rollout') rollouts += 1;
    else {
      faults += 1;
      if (item.question) questions += 1;
      first ||= `line ${item.line} ${item.reason}`;
    }
    yield item;
    if (rollouts === 0 && questions >= QUESTIONS) throw questionFile(name);
    if (rollouts === 0 && faults >= HOPELESS)
      throw new ImportError(`${name} holds no rollouts in its first ${HOPELESS} lines: ${first}`);
  }
  if (rollouts === 0 && questions > 0 && questions === faults) throw questionFile(name);
}

async function open(
  source: Blob | ReadableStream<Uint8Array>,
  name: string,
): Promise<AsyncGenerator<ImportItem>> {
  if (source instanceof Blob) {
    if (await isZip(source)) return importEvalLog(source, name);
    return (await isParquet(source))
      ? importParquet(source, name)
      : importLines(source.stream(), name);
  }
  const [probe, rest] = source.tee();
  const reader = probe.getReader();
  const head = (await reader.read()).value ?? new Uint8Array();
  // The other branch keeps what it reads; cancelling this one alone lets it stream.
  void reader.cancel();
  const start = new Blob([head.slice(0, 4)]);
  if (!(await isZip(start)) && !(await isParquet(start))) return importLines(rest, name);
  return open(await new Response(rest).blob(), name);
}
