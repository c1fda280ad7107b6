import { questionScores as scoresOfAnswer } from '../../../agent/answers/checked.ts';
import { goldsToScore, type ImportedRollout } from '../../../formats/rollouts/shape/imported.ts';
import type { Finding } from './finding.ts';
import { mean } from '../../../base/statistics.ts';
import { groupBy, itemAt } from '../../../base/items.ts';

/** Checks that need several rollouts of a run at once, from a summary of each. */

export interface LintSummary {
  id: string;
  questionId: string;
  groupId: string;
  step: number | null;
  reward: number | null;
  advantage: number | null;
  /** Null without gold answers. */
  em: number | null;
  f1: number | null;
  /** Difficulty as the file labels the question; null without one. */
  difficulty: string | null;
  /** Whether the file says that a filter kept the question. */
  kept: boolean | null;
}

const LABELS = ['difficulty', 'level', 'bucket'];

function keptFlag(fields: Record<string, unknown>): boolean | null {
  if (typeof fields['kept'] === 'boolean') return fields['kept'];
  const out = fields['dropped'] ?? fields['filtered'];
  return typeof out === 'boolean' ? !out : null;
}

export function summaryOf(rollout: ImportedRollout): LintSummary {
  const scored = goldsToScore(rollout).length > 0;
  const scores = scored ? scoresOfAnswer(rollout.answer, rollout.question) : null;
  const fields = rollout.origin?.fields ?? {};
  const label = LABELS.map((key) => fields[key]).find((value) => typeof value === 'string');
  return {
    id: rollout.id,
    questionId: rollout.question.id,
    groupId: rollout.groupId,
    step: rollout.step,
    reward: rollout.reward,
    advantage: rollout.advantage,
    em: scores?.em ?? null,
    f1: scores?.f1 ?? null,
    difficulty: (rollout.question.difficulty ?? label)?.toLowerCase() ?? null,
    kept: keptFlag(fields),
  };
}

const misplaced = (rollout: string, message: string): Finding => ({
  code: 'reward-misplaced',
  rollout,
  message,
  where: [],
});

const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-4;

/**
 * Rewards of a step that are exactly the step's scores in another order: the same numbers, each as often,
 * but not each with its own answer.
 */
function permuted(step: readonly LintSummary[], score: 'em' | 'f1'): Finding[] {
  const rows = step.flatMap(({ id, reward, [score]: own }) =>
    reward === null || own === null ? [] : [{ id, reward, own }],
  );
  if (rows.length < step.length) return [];
  const sorted = (name: 'reward' | 'own'): number[] =>
    rows.map((row) => row[name]).sort((a, b) => a - b);
  const [rewards, own] = [sorted('reward'), sorted('own')];
  if (!rewards.every((value, i) => near(value, itemAt(own, i, 'scores')))) return [];
  return rows
    .filter((row) => !near(row.reward, row.own))
    .map((row) =>
      misplaced(
        row.id,
        `Its answer scores ${score} ${row.own.toFixed(3)}, its reward is ${row.reward.toFixed(3)}; over the step both lists hold the same numbers.`,
      ),
    );
}

/** In a group, more reward can never mean less advantage. */
function outOfOrder(group: readonly LintSummary[]): Finding[] {
  const rows = group.flatMap(({ id, reward, advantage }) =>
    reward === null || advantage === null ? [] : [{ id, reward, advantage }],
  );
  const byReward = [...rows].sort((a, b) => a.reward - b.reward || a.advantage - b.advantage);
  let best: (typeof rows)[number] | null = null;
  const findings: Finding[] = [];
  for (const row of byReward) {
    if (best && row.reward > best.reward && row.advantage < best.advantage - 1e-6)
      findings.push(
        misplaced(
          row.id,
          `Reward ${row.reward} with advantage ${row.advantage.toFixed(4)}, while ${best.id} has reward ${best.reward} and advantage ${best.advantage.toFixed(4)}.`,
        ),
      );
    if (!best || row.advantage > best.advantage) best = row;
  }
  return findings;
}

/** Fewest questions on each side from which an inversion is called one. */
const FEWEST = 3;

interface QuestionScore {
  id: string;
  score: number;
  difficulty: string | null;
  kept: boolean | null;
}

function questionScores(rows: readonly LintSummary[]): QuestionScore[] {
  return [...groupBy(rows, ({ questionId }) => questionId).values()].flatMap((list) => {
    const scores = list.flatMap(({ em, reward }) => em ?? reward ?? []);
    const [first] = list;
    if (!first || scores.length === 0) return [];
    return [{ ...first, score: mean(scores) }];
  });
}

/**
 * Difficulty upside down: questions labelled hard that the policy answers more often than those labelled
 * easy, or questions that a filter dropped which it answers more often than those that were kept.
 */
function difficultyInverted(rows: readonly LintSummary[]): Finding[] {
  const questions = questionScores(rows);
  const compare = (
    low: QuestionScore[],
    high: QuestionScore[],
    names: readonly [string, string],
  ): Finding[] => {
    if (low.length < FEWEST || high.length < FEWEST) return [];
    const scoreOf = (list: QuestionScore[]): number => mean(list.map(({ score }) => score));
    const [a, b] = [scoreOf(low), scoreOf(high)];
    if (a <= b) return [];
    const message = `${names[0]} questions score ${a.toFixed(3)} on average, ${names[1]} ones ${b.toFixed(3)}.`;
    return low.map(({ id }) => ({ code: 'difficulty-inverted', rollout: id, message, where: [] }));
  };
  const labelled = (name: string): QuestionScore[] =>
    questions.filter(({ difficulty }) => difficulty === name);
  return [
    ...compare(labelled('hard'), labelled('easy'), ['Hard', 'easy']),
    ...compare(
      questions.filter(({ kept }) => kept === false),
      questions.filter(({ kept }) => kept === true),
      ['Dropped', 'kept'],
    ),
  ];
}

/** Findings over a whole run. Steps are distinguished where the file counts them. */
export function lintRun(rows: readonly LintSummary[]): Finding[] {
  const steps = [...groupBy(rows, ({ step }) => String(step)).values()];
  const groups = [...groupBy(rows, ({ groupId, step }) => `${step}/${groupId}`).values()];
  return [
    ...steps.flatMap((step) => {
      const byEm = permuted(step, 'em');
      return byEm.length > 0 ? byEm : permuted(step, 'f1');
    }),
    ...groups.flatMap(outOfOrder),
    ...difficultyInverted(rows),
  ];
}
