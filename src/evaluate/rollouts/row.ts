import { outsideOf } from '../../records/outside-answer.ts';
import { roundsOf } from '../../formats/rollouts/rounds.ts';
import { unscoredReason, type ImportedRollout } from '../../formats/rollouts/shape/imported.ts';
import { readFactsOf, type RolloutFacts } from './lint/facts.ts';
import { lintRollout } from './lint/index.ts';
import type { Finding, LintCode } from './lint/finding.ts';
import { hopMap, type HopState } from './hops.ts';
import { endOfOutcome, whyOf, type End } from './why.ts';
import { numbersOf, type RowNumbers } from './row-numbers.ts';
import { outcomeOf, type Outcome } from './taxonomy.ts';

/** A rollout as one line of a table: small, and without its text. */
export interface RolloutRow {
  id: string;
  run: string;
  group: string;
  questionId: string;
  question: string;
  answer: string | null;
  /** What it wrote outside its tags in place of an answer; absent where it has one, or wrote nothing there. */
  outside?: string;
  /** Why the answer cannot be read; absent where it can. */
  notScored?: string;
  /** The error that ended it; absent without one. */
  error?: string;
  recipe: string | null;
  policy: string | null;
  /** Id of the layout of its file. */
  layout: string;
  protocol: string | null;
  outcome: Outcome | null;
  /** Gold answers, the first ones; absent, with the four below, in rows that an earlier version stored. */
  gold?: string | null;
  /** Stage at which it was lost, or `right`; null where there is nothing to be right by. */
  ended?: End | null;
  /** Why it is wrong, in one sentence; null where it is not. */
  why?: string | null;
  /** States of the hops of its gold chain, or of its supporting titles; null where the file has neither. */
  hops?: HopState[] | null;
  /** Each code once. */
  lint: LintCode[];
  /** Given by the reader, not by the file. */
  tags: string[];
  /** Null where the record cannot say. */
  numbers: RowNumbers;
  /** Clauses of the reward: value · weight, summed under one name. */
  clauses: Record<string, number>;
}

function clausesOf({ rewards }: ImportedRollout): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { clause, value, weight } of rewards)
    sums.set(clause, (sums.get(clause) ?? 0) + value * weight);
  return Object.fromEntries(sums);
}

/** Gold answers of a row: they tell what was asked for, and may be thousands in a hostile file. */
const MOST_GOLD = 8;
const LONGEST_GOLD = 400;

const goldOf = ({ question: { answers } }: ImportedRollout): string | null =>
  answers.length === 0 ? null : answers.slice(0, MOST_GOLD).join(' / ').slice(0, LONGEST_GOLD);

/**
 * Where a row was lost; of rows that an earlier version stored, as far as the outcome tells it. Such a version let
 * every right one pass all stages.
 */
export const endOfRow = ({ ended, outcome }: Pick<RolloutRow, 'ended' | 'outcome'>): End | null =>
  ended === undefined || ended === 'right' ? endOfOutcome(outcome) : ended;

/**
 * The row of a rollout.
 * @param findings of `lintRollout`, where they were already made
 * @param facts of `readFactsOf`, likewise
 */
export function rowOf(
  rollout: ImportedRollout,
  findings: readonly Finding[] = lintRollout(rollout),
  facts: RolloutFacts = readFactsOf(rollout),
): RolloutRow {
  const map = hopMap(rollout);
  const why = whyOf(rollout, facts, map);
  const titles = roundsOf(rollout).flatMap(({ passages }) => passages.map(({ title }) => title));
  return {
    id: rollout.id,
    run: rollout.runId,
    group: rollout.groupId,
    questionId: rollout.question.id,
    question: rollout.question.text,
    answer: rollout.answer === null ? null : rollout.answer.trim(),
    ...outsideOf(rollout),
    notScored: unscoredReason(rollout),
    error: facts.error,
    recipe: rollout.recipe?.id ?? null,
    policy: rollout.policy?.id ?? null,
    layout: rollout.origin?.layout ?? 'forage',
    protocol: rollout.origin ? rollout.origin.protocol : 'forage',
    outcome: outcomeOf(facts),
    gold: goldOf(rollout),
    ended: why?.end ?? null,
    why: why?.sentence ?? null,
    hops: map.kind === 'none' ? null : map.hops.map(({ state }) => state),
    lint: [...new Set(findings.map(({ code }) => code))],
    tags: [],
    numbers: numbersOf({ rollout, facts, titles }),
    clauses: clausesOf(rollout),
  };
}

function scoresOf(numbers: RowNumbers, normaliser: '' | '.r1-searcher'): RolloutFacts['scores'] {
  const em = numbers[`em${normaliser}`] ?? null;
  const f1 = numbers[`f1${normaliser}`] ?? null;
  const coverEm = numbers[`cover-em${normaliser}`] ?? null;
  const subEm = numbers[`sub-em${normaliser}`] ?? null;
  const known = em !== null && f1 !== null && coverEm !== null && subEm !== null;
  return known ? { em, f1, coverEm, subEm } : null;
}

/** What the statistics count, read back from a row: for a selection no text has to be read again. */
export function factsOfRow({
  id,
  questionId,
  group,
  outcome,
  outside,
  error,
  numbers,
}: RolloutRow): RolloutFacts {
  const { judge, answered, retrieved, step, searches, reward, advantage } = numbers;
  const scores = scoresOf(numbers, '');
  // What has gold answers has an outcome, and nothing else has one.
  const golds = outcome !== null;
  return {
    id,
    questionId,
    groupId: group,
    step,
    golds,
    scores,
    byR1Searcher: scoresOf(numbers, '.r1-searcher'),
    answered: answered === 1,
    ...(outside !== undefined && { outside: true }),
    ...(answered === null && { unread: true }),
    ...(error !== undefined && { error }),
    judge: judge === null ? null : judge === 1,
    closed: golds && retrieved === null,
    retrieved: retrieved === 1,
    searches: searches ?? 0,
    // All that it decides was decided when the row was made.
    shown: outcome !== 'no-search',
    evidence: (numbers['with-evidence'] ?? retrieved ?? 1) === 1,
    reward,
    advantage,
  };
}
