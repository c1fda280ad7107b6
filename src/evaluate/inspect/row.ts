import { roundsOf } from '../../formats/rollouts/rounds.ts';
import type { ImportedRollout, ImportedSegment } from '../../formats/rollouts/shape/imported.ts';
import { supportingRecall } from '../../agent/answers/scores.ts';
import { readFactsOf, type RolloutFacts } from './lint/facts.ts';
import { lintRollout } from './lint/index.ts';
import type { Finding, LintCode } from './lint/finding.ts';
import { outcomeOf, type Outcome } from './taxonomy.ts';

/** Numbers of a rollout by the name under which the table shows them and the filter asks for them. */
export const ROW_NUMBERS = {
  em: 'exact match, SQuAD’s normaliser, 0 or 1',
  f1: 'token F1 of the answer, SQuAD’s normaliser, 0 to 1',
  'cover-em': 'every token of a gold answer given, SQuAD’s normaliser, 0 or 1',
  'sub-em': 'gold answer inside the answer, SQuAD’s normaliser, 0 or 1',
  'em.r1-searcher': 'exact match, R1-Searcher’s normaliser, 0 or 1',
  'f1.r1-searcher': 'token F1 of the answer, R1-Searcher’s normaliser, 0 to 1',
  'cover-em.r1-searcher':
    'every token of a gold answer given, R1-Searcher’s normaliser (its ACC_R), 0 or 1',
  'sub-em.r1-searcher': 'gold answer inside the answer, R1-Searcher’s normaliser, 0 or 1',
  judge: 'verdict of the file’s judge, 0 or 1',
  answered: 'an answer was given, 0 or 1; missing where it cannot be read',
  retrieved: 'a gold answer stands in what was read, 0 or 1',
  recall: 'share of the supporting titles that were read, 0 to 1',
  reward: 'total reward',
  baseline: 'baseline of the reward',
  advantage: 'advantage',
  step: 'training step',
  searches: 'queries written',
  rounds: 'rounds of thought, query and result',
  passages: 'passages read',
  tokens: 'tokens that the policy wrote',
  words: 'words that the policy wrote',
  seconds: 'duration',
} as const;

export type RowNumber = keyof typeof ROW_NUMBERS;

/** Numbers that rows stored by an earlier version lack. */
type LaterNumber = Extract<RowNumber, `${string}.r1-searcher`>;

type RowNumbers = Record<Exclude<RowNumber, LaterNumber>, number | null> &
  Partial<Record<LaterNumber, number | null>>;

/** A rollout as one line of a table: small, and without its text. */
export interface RolloutRow {
  id: string;
  run: string;
  group: string;
  questionId: string;
  question: string;
  answer: string | null;
  /** Why the answer cannot be read; absent where it can. */
  notScored?: string;
  recipe: string | null;
  policy: string | null;
  /** Id of the layout of its file. */
  layout: string;
  protocol: string | null;
  outcome: Outcome | null;
  /** Each code once. */
  lint: LintCode[];
  /** Given by the reader, not by the file. */
  tags: string[];
  /** Null where the record cannot say. */
  numbers: RowNumbers;
  /** Clauses of the reward: value · weight, summed under one name. */
  clauses: Record<string, number>;
}

const tokenCount = ({ ids, tokens }: ImportedSegment): number | null =>
  ids?.length ?? tokens?.length ?? null;

/** Tokens that the policy wrote; null where any of its segments has none to count. */
export function policyTokens({ segments }: Pick<ImportedRollout, 'segments'>): number | null {
  let sum = 0;
  for (const segment of segments) {
    if (segment.source !== 'policy') continue;
    const count = tokenCount(segment);
    if (count === null) return null;
    sum += count;
  }
  return sum;
}

const wordCount = (text: string): number => text.match(/\S+/g)?.length ?? 0;

function clausesOf({ rewards }: ImportedRollout): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { clause, value, weight } of rewards)
    sums.set(clause, (sums.get(clause) ?? 0) + value * weight);
  return Object.fromEntries(sums);
}

const bit = (value: boolean | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

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
  const rounds = roundsOf(rollout);
  const { supporting } = rollout.question;
  const titles = rounds.flatMap(({ passages }) => passages.map(({ title }) => title));
  const read = supporting.length === 0 ? null : supportingRecall(titles, supporting);
  const { scores, byR1Searcher, closed, unread } = facts;
  return {
    id: rollout.id,
    run: rollout.runId,
    group: rollout.groupId,
    questionId: rollout.question.id,
    question: rollout.question.text,
    answer: rollout.answer === null ? null : rollout.answer.trim(),
    ...(rollout.notScored !== undefined && { notScored: rollout.notScored }),
    recipe: rollout.recipe?.id ?? null,
    policy: rollout.policy?.id ?? null,
    layout: rollout.origin?.layout ?? 'forage',
    protocol: rollout.origin ? rollout.origin.protocol : 'forage',
    outcome: outcomeOf(facts),
    lint: [...new Set(findings.map(({ code }) => code))],
    tags: [],
    numbers: {
      em: scores?.em ?? null,
      f1: scores?.f1 ?? null,
      'cover-em': scores?.coverEm ?? null,
      'sub-em': scores?.subEm ?? null,
      'em.r1-searcher': byR1Searcher?.em ?? null,
      'f1.r1-searcher': byR1Searcher?.f1 ?? null,
      'cover-em.r1-searcher': byR1Searcher?.coverEm ?? null,
      'sub-em.r1-searcher': byR1Searcher?.subEm ?? null,
      judge: bit(facts.judge),
      answered: unread ? null : bit(facts.answered),
      retrieved: facts.golds && !closed ? Number(facts.retrieved) : null,
      // A record of ours states 0 where the question names no supporting titles: nobody can know it there.
      recall: read === null ? null : (rollout.metrics?.recall ?? read),
      reward: rollout.reward,
      baseline: rollout.baseline,
      advantage: rollout.advantage,
      step: rollout.step,
      searches: facts.searches,
      rounds: rounds.length,
      passages: titles.length,
      tokens: rollout.metrics?.tokens ?? policyTokens(rollout),
      words: rollout.segments.reduce(
        (sum, { source, text }) => sum + (source === 'policy' ? wordCount(text) : 0),
        0,
      ),
      seconds: rollout.metrics?.seconds ?? null,
    },
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
export function factsOfRow({ id, questionId, group, outcome, numbers }: RolloutRow): RolloutFacts {
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
    ...(answered === null && { unread: true }),
    judge: judge === null ? null : judge === 1,
    closed: golds && retrieved === null,
    retrieved: retrieved === 1,
    searches: searches ?? 0,
    reward,
    advantage,
  };
}
