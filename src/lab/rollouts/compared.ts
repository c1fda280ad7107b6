import { compareRuns, type Criterion } from '../../evaluate/rollouts/compare-runs.ts';
import { factsOfRow } from '../../evaluate/rollouts/row.ts';
import type { ComparedRuns } from '../contract/rollouts.ts';
import type { StoredRow } from '../contract/records/rollout-files.ts';
import { noScoreOf } from './no-score.ts';

/** Two files on the questions that both have, with what a list of them shows. */

/** Letters of an answer that the list shows. */
const SHOWN = 80;

const answersOf = (rows: readonly StoredRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ row }) => [row.id, (row.answer ?? '').slice(0, SHOWN)]));

export function comparedRuns(
  a: readonly StoredRow[],
  b: readonly StoredRow[],
  criterion: Criterion,
): ComparedRuns {
  const facts = (rows: readonly StoredRow[]) => rows.map(({ row }) => factsOfRow(row));
  const noScore = (rows: readonly StoredRow[]) =>
    noScoreOf(
      rows.map(({ row }) => row),
      criterion,
    );
  const both = [...b, ...a];
  return {
    ...compareRuns(facts(a), facts(b), criterion),
    texts: Object.fromEntries(both.map(({ row }) => [row.questionId, row.question])),
    golds: Object.fromEntries(both.map(({ row }) => [row.questionId, row.gold ?? ''])),
    answers: { a: answersOf(a), b: answersOf(b) },
    noScore: { a: noScore(a), b: noScore(b) },
  };
}
