import { Random } from '../../../src/base/random.ts';
import { cpuMs, leastCpuMs } from './cost.ts';

/** One parser under broken inputs: what it is given, how it is run, and what it may do. */
export interface Subject<Input = unknown> {
  readonly name: string;
  /** Cases in the unit tests; `scripts/fuzz.ts` runs 10,000. */
  readonly unit: number;
  /** A whole input, damaged. */
  make(random: Random): Input;
  /**
   * Reads it, and uses what was read as far as a user can.
   * @returns reasons of what was refused without an error; none where all was read
   */
  read(input: Input, random: Random): Promise<readonly string[] | void> | readonly string[] | void;
  /** Whether this is the error that the parser promises. */
  refuses(error: unknown): boolean;
}

export interface Tally {
  name: string;
  cases: number;
  /** Read as if nothing were wrong; the others were refused, whole or in part. */
  accepted: number;
  rejected: number;
  /** Processor time of the slowest case. */
  slowestMs: number;
  /** Most that heap and buffers grew by in one case, what was garbage by its end included. */
  mostBytes: number;
}

const LIMIT_MS = 1000;
/** Beyond the input's own size. */
const LIMIT_BYTES = 64 * 2 ** 20;
const LONGEST_MESSAGE = 2000;

/** What the platform says to programmers, and values that were put into a text unseen. */
const LEAKS =
  /\bundefined\b|\[object |Cannot (?:read|set|convert|destructure|access '|mix)|(?<!something that |object )is not (?:a function|iterable|defined|a constructor)|Maximum call stack|Invalid (?:array|string|typed array) length|Reduce of empty|out of bounds/;

/** @returns what is wrong with a message to a user, null where nothing is */
export function faultOfMessage(message: string): string | null {
  if (message.trim() === '') return 'it is empty';
  if (message.length > LONGEST_MESSAGE) return `it has ${message.length} characters`;
  if (/[\p{Cc}\p{Cs}]/u.test(message.replaceAll('\n', ''))) return 'it holds control characters';
  return LEAKS.exec(message)?.[0] ?? null;
}

const memory = (): number => {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
};

const sizeOf = (input: unknown): number => {
  if (typeof input === 'string') return input.length;
  if (input instanceof Uint8Array) return input.length;
  return 0;
};

/** A fault of the parser; names the case, so that it can be run again. */
export class FuzzFault extends Error {
  constructor(name: string, seed: number, at: number, what: string, options?: ErrorOptions) {
    super(`${name}, case ${at} of seed ${seed}: ${what}`, options);
  }
}

type Outcome = readonly string[];

async function outcomeOf<Input>(
  subject: Subject<Input>,
  input: Input,
  random: Random,
): Promise<Outcome> {
  try {
    return (await subject.read(input, random)) ?? [];
  } catch (error) {
    if (!subject.refuses(error)) throw error;
    return [(error as Error).message];
  }
}

/** The generator of one case: cases do not depend on those before. */
const randomOf = (seed: number, at: number): Random => new Random(seed * 1_000_003 + at);

/**
 * Runs cases of a subject.
 * @param collect called now and then to free what is not used any more; memory is not looked at without
 * @throws FuzzFault for an error of another class, a message that is none for people, a case of over
 *   a second, or one that takes more memory than its input and 64 MB
 */
export async function fuzz<Input>(
  subject: Subject<Input>,
  cases: number,
  {
    seed = 1,
    from = 0,
    collect,
    onCase,
    onFault,
  }: {
    seed?: number;
    from?: number;
    collect?: () => void;
    /** Told the number of each case before it runs. */
    onCase?: (at: number) => void;
    /** Told of faults in place of the first one being thrown. */
    onFault?: (fault: FuzzFault) => void;
  } = {},
): Promise<Tally> {
  const tally = { name: subject.name, cases, accepted: 0, rejected: 0, slowestMs: 0, mostBytes: 0 };
  const check = async (at: number): Promise<void> => {
    const fault = (what: string, cause?: unknown): FuzzFault =>
      new FuzzFault(subject.name, seed, at, what, { cause });
    const random = randomOf(seed, at);
    const input = subject.make(random);
    onCase?.(at);
    if (collect && (at - from) % 100 === 0) collect();
    const before = memory();
    const start = cpuMs();
    const reasons = await outcomeOf(subject, input, random).catch((error: unknown) => {
      throw fault(
        error instanceof Error ? `${error.name}: ${error.message}` : String(error),
        error,
      );
    });
    const first = cpuMs() - start;
    const grown = memory() - before;
    const again = (): unknown => {
      const same = randomOf(seed, at);
      return outcomeOf(subject, subject.make(same), same);
    };
    const took = first <= LIMIT_MS ? first : await leastCpuMs(again, LIMIT_MS);
    tally[reasons.length === 0 ? 'accepted' : 'rejected']++;
    tally.slowestMs = Math.max(tally.slowestMs, took);
    if (collect) tally.mostBytes = Math.max(tally.mostBytes, grown);
    for (const reason of reasons) {
      const wrong = faultOfMessage(reason);
      if (wrong !== null) throw fault(`a message with ${wrong}: ${reason.slice(0, 500)}`);
    }
    if (took > LIMIT_MS) throw fault(`it took ${Math.round(took)} ms`);
    if (collect && grown > LIMIT_BYTES + sizeOf(input))
      throw fault(`it took ${Math.round(grown / 2 ** 20)} MB`);
  };
  for (let at = from; at < from + cases; at++) {
    try {
      await check(at);
    } catch (error) {
      if (!onFault || !(error instanceof FuzzFault)) throw error;
      onFault(error);
    }
  }
  return tally;
}

/** For what must hold of everything that is read. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it gave ${what}`);
}

/** Erases the type of the input, for lists of subjects. */
export const subject = <Input>(of: Subject<Input>): Subject => ({
  ...of,
  read: (input, random) => of.read(input as Input, random),
});
