import type { z } from 'zod';
import { faultSentence, storageFault } from './storage-faults.ts';

/** Errors as text for people. Names and values of a damaged file may hold anything. */

type Issue = z.core.$ZodIssue;

const LONGEST_PLACE = 200;
const LONGEST_WORDS = 400;

/** One readable line, cut where it is too long. */
export function oneLine(text: string, most = LONGEST_WORDS): string {
  const line = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ');
  return line.length > most ? `${line.slice(0, most)}…` : line;
}

/** The keys that lead to the value at fault, joined by dots; empty for the value as a whole. */
export const placeOf = ({ path }: Pick<Issue, 'path'>): string =>
  oneLine(path.map(String).join('.'), LONGEST_PLACE);

/** What was expected, and what is there instead. */
export const wordsOf = ({ message }: Pick<Issue, 'message'>): string =>
  oneLine(message.replace('received undefined', 'found none'));

/**
 * The first problem that a schema found, with where it is: "counts.local: expected number".
 * @param whole what the value as a whole is called
 */
export function issueOf(error: z.ZodError, whole = ''): string {
  const issue = error.issues[0];
  if (!issue) return 'does not have the expected shape';
  const place = placeOf(issue) || whole;
  return place === '' ? wordsOf(issue) : `${place}: ${wordsOf(issue)}`;
}

/** What was thrown, as text: a fault of storage with what to do, else the message of an error, else the thing itself. */
export function messageOf(thrown: unknown): string {
  const fault = storageFault(thrown);
  if (fault) return faultSentence(fault);
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** With a capital letter and an end. */
export const asSentence = (text: string): string => {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
};

/** What was thrown, as an error. */
export const errorOf = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));

/** Why a signal was aborted, as an error. */
export const reasonOf = (signal: AbortSignal | undefined): Error =>
  signal?.reason instanceof Error ? signal.reason : new Error('aborted');
