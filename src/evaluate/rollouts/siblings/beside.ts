import { normalizeAnswer } from '../../../agent/answers/normalisers.ts';
import type { Rollout } from '../../../records/rollout.ts';
import { outsideOf } from '../../../records/outside-answer.ts';
import { besideRounds, type BesideRound } from './rounds.ts';

/** Two rollouts of one question, round beside round, and where they part first. */

export interface BesideEnd {
  answer: string | null;
  /** Prose outside the tags in place of an answer. */
  outside?: string;
  /** Null where nobody can say. */
  right: boolean | null;
  em: number | null;
  f1: number | null;
  reward: number | null;
  /** The answer's event, else the last one. */
  event: number;
  /** Whether it has ended. */
  ended: boolean;
}

/** What of a round differs, in the order in which it is decided; `missing`: one side has no such round. */
type Difference = 'missing' | 'refused' | 'query' | 'source' | 'passages';

export interface BesideRow {
  a: BesideRound | null;
  b: BesideRound | null;
  /** Null where the two are the same. */
  differs: Difference | null;
}

export interface Beside {
  rows: BesideRow[];
  ends: readonly [BesideEnd, BesideEnd];
  /** Row of the first difference; `rows.length`: the answers alone. Null: none, or one of them still runs. */
  first: number | null;
}

function endOf(rollout: Rollout): BesideEnd {
  const { events, answer, metrics, reward, question } = rollout;
  const written = events.findLastIndex(({ kind }) => kind === 'answer');
  const em = question.answers.length === 0 ? null : (metrics?.em ?? null);
  const ended = events.at(-1)?.kind === 'stop';
  return {
    answer,
    // Until it ends, prose may be a thought.
    ...(ended && outsideOf(rollout)),
    em,
    f1: question.answers.length === 0 ? null : (metrics?.f1 ?? null),
    right: em === null ? null : em === 1,
    reward,
    event: written < 0 ? Math.max(0, events.length - 1) : written,
    ended,
  };
}

/** As answers are compared; null is the same as null alone. */
const sameText = (a: string | null, b: string | null): boolean =>
  a === null || b === null ? a === b : normalizeAnswer(a) === normalizeAnswer(b);

/** Whether two gave the same answer, or the same prose in place of one. */
export const sameEnd = (a: BesideEnd, b: BesideEnd): boolean =>
  sameText(a.answer, b.answer) && sameText(a.outside ?? null, b.outside ?? null);

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((text, i) => sameText(text, b[i] ?? null));

export const refusedQueries = ({ refused }: BesideRound): string[] =>
  refused.filter(({ what }) => what === 'query').map(({ text }) => text);

function differenceOf(a: BesideRound | null, b: BesideRound | null): BesideRow['differs'] {
  if (!a || !b) return 'missing';
  if (!sameList(refusedQueries(a), refusedQueries(b))) return 'refused';
  if (!sameText(a.query, b.query)) return 'query';
  if (a.source !== b.source) return 'source';
  if (
    !sameList(
      a.passages.map(({ title }) => title),
      b.passages.map(({ title }) => title),
    )
  )
    return 'passages';
  return null;
}

/** Round n beside round n; a background is beside a background alone. */
function alignRounds(a: readonly BesideRound[], b: readonly BesideRound[]): BesideRow[] {
  const numbers = [...new Set([...a, ...b].map(({ number }) => number))].toSorted((x, y) => x - y);
  return numbers.map((number) => {
    const find = (rounds: readonly BesideRound[]) =>
      rounds.find((round) => round.number === number) ?? null;
    const [left, right] = [find(a), find(b)];
    return { a: left, b: right, differs: differenceOf(left, right) };
  });
}

/** Aligns two rollouts of one question by the number of the search. */
export function besideOf(a: Rollout, b: Rollout): Beside {
  const rows = alignRounds(besideRounds(a), besideRounds(b));
  const ends = [endOf(a), endOf(b)] as const;
  const parted = rows.findIndex(({ differs }) => differs !== null);
  const last = sameEnd(...ends) ? null : rows.length;
  const whole = ends.every(({ ended }) => ended);
  return { rows, ends, first: whole ? (parted < 0 ? last : parted) : null };
}
