import type { AnswerScores } from '../../agent/answers/scores.ts';
import type { RolloutFacts } from './lint/facts.ts';
import { basisOf, outcomeOf, type OutcomeBasis } from './taxonomy.ts';
import { sum } from '../../base/statistics.ts';

/**
 * What the inspector states of a file of rollouts.
 *
 * - **EM, F1**: SQuAD normalisation, maximum over the gold answers (docs/methods.md, section 5).
 * - **cover-EM**: every token of a gold answer is among the prediction's tokens, in any order.
 * - **sub-EM**: the normalised gold answer is a substring of the normalised prediction.
 * - **by R1-Searcher's normaliser**: the same four of `metric_calc_rule.py`, which puts a space in the place of
 *   punctuation and reads a bare "True" or "False" as yes or no. Its first cover-EM is the paper's ACC_R.
 * - **judge**: the verdict that the file itself carries (R1-Searcher's ACC_L, by GPT-4o). It counts wherever there
 *   is one, also where nothing else could be scored; agreement is over the rollouts that have both.
 * - **retrieved**: a gold answer is as whole normalised words in text that the environment showed.
 *   Questions whose gold answers are yes or no, or are worked out (a count, a sum), are left out of everything
 *   that rests on it: those words are in passages for other reasons, or in none. They are counted as `closed`.
 */

export interface Count {
  count: number;
  /** Of the rollouts that could be counted; null where there were none. */
  share: number | null;
}

/** How often the judge and a score say the same. */
interface Agreement extends Count {
  /** Judge right, score 0. */
  judgeOnly: number;
  /** Score 1, judge wrong. */
  scoreOnly: number;
  /** Cohen's kappa; null where chance alone explains everything. */
  kappa: number | null;
}

/**
 * The same count under each notion of "right": EM and cover-EM over the scored rollouts, the judge over all that
 * have a verdict and gold answers; null where the file has no verdicts.
 */
interface ByCriterion {
  em: number;
  coverEm: number;
  judge: number | null;
}

/** The scores of a file's answers under one normaliser. */
export interface NormalisedCounts {
  em: Count;
  subEm: Count;
  coverEm: Count;
  f1: { mean: number | null };
}

export interface Statistics {
  rollouts: number;
  questions: number;
  groups: number;
  steps: number;
  /** Rollouts with gold answers whose own answer can be read; the scores are over these. */
  scored: number;
  /** Rollouts whose answer cannot be read: in no score. Absent in statistics of an earlier version. */
  unread?: number;
  /** Rollouts that an error ended, and the first one's: in no score, no mean of rewards. Absent without any. */
  errors?: { count: number; first: string };
  /** Of the rollouts whose answer can be read. */
  answered: Count;
  /** By SQuAD's normaliser. */
  em: Count;
  subEm: Count;
  coverEm: Count;
  f1: { mean: number | null };
  /** Absent in statistics that were stored before they were counted, and where a row lacks them. */
  byR1Searcher?: NormalisedCounts;
  /** Null without any verdict. */
  judge: {
    /** Rollouts that have one, scored or not. */
    verdicts: number;
    right: Count;
    /** Over the scored rollouts that have a verdict. */
    agreement: { em: Agreement; subEm: Agreement; coverEm: Agreement };
  } | null;
  /**
   * Rollouts whose outcome says right or wrong, by what it rests on. Absent in statistics of an earlier version.
   */
  outcomesBy?: Record<OutcomeBasis, number>;
  evidence: {
    /** Scored rollouts whose gold answer would be in a passage, and the others: yes or no, or worked out. */
    open: number;
    closed: number;
    retrieved: Count;
    wrongThoughRetrieved: ByCriterion;
    /** Right, and nothing that was read may hold the answer, as in the outcome `right-without-evidence`. */
    rightWithoutEvidence: ByCriterion;
  };
  searches: { mean: number | null; max: number; none: number };
  reward: { n: number; mean: number | null };
  /** Groups of two and more whose rewards are all equal. */
  zeroVarianceGroups: number;
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const counted = (count: number, of: number): Count => ({ count, share: ratio(count, of) });

type ScoreName = 'em' | 'subEm' | 'coverEm';

type Scored = RolloutFacts & { scores: NonNullable<RolloutFacts['scores']> };

function agreement(facts: readonly Scored[], score: ScoreName): Agreement {
  const table = { both: 0, neither: 0, judgeOnly: 0, scoreOnly: 0 };
  for (const { judge, scores } of facts) {
    const right = scores[score] === 1;
    if (judge) table[right ? 'both' : 'judgeOnly'] += 1;
    else table[right ? 'scoreOnly' : 'neither'] += 1;
  }
  const n = facts.length;
  const agreed = table.both + table.neither;
  const judged = (table.both + table.judgeOnly) / n;
  const scored = (table.both + table.scoreOnly) / n;
  const chance = judged * scored + (1 - judged) * (1 - scored);
  const { judgeOnly, scoreOnly } = table;
  const kappa = n === 0 || chance >= 1 ? null : (agreed / n - chance) / (1 - chance);
  return { ...counted(agreed, n), judgeOnly, scoreOnly, kappa };
}

const tally = <T>(list: readonly T[], test: (item: T) => boolean): number =>
  list.reduce((count, item) => count + Number(test(item)), 0);

const isScored = (facts: RolloutFacts): facts is Scored => facts.scores !== null;

/** @param open with gold answers that would be in a passage */
function byCriterion(
  open: readonly RolloutFacts[],
  wanted: (facts: RolloutFacts, right: boolean) => boolean,
  hasJudge: boolean,
): ByCriterion {
  const scored = open.filter(isScored);
  return {
    em: tally(scored, (f) => wanted(f, f.scores.em === 1)),
    coverEm: tally(scored, (f) => wanted(f, f.scores.coverEm === 1)),
    judge: hasJudge ? tally(open, (f) => f.judge !== null && wanted(f, f.judge)) : null,
  };
}

function judgeOf(facts: readonly RolloutFacts[]): Statistics['judge'] {
  const judged = facts.filter(({ judge }) => judge !== null);
  if (judged.length === 0) return null;
  const scored = judged.filter(isScored);
  return {
    verdicts: judged.length,
    right: counted(
      tally(judged, ({ judge }) => judge === true),
      judged.length,
    ),
    agreement: {
      em: agreement(scored, 'em'),
      subEm: agreement(scored, 'subEm'),
      coverEm: agreement(scored, 'coverEm'),
    },
  };
}

function zeroVariance(facts: readonly RolloutFacts[]): { groups: number; flat: number } {
  const groups = new Map<string, (number | null)[]>();
  for (const { groupId, reward, error } of facts) {
    const rewards = groups.get(groupId) ?? [];
    if (error === undefined) rewards.push(reward);
    groups.set(groupId, rewards);
  }
  const flat = tally(
    [...groups.values()],
    (rewards) =>
      rewards.length > 1 && rewards[0] !== null && rewards.every((value) => value === rewards[0]),
  );
  return { groups: groups.size, flat };
}

function outcomesBy(facts: readonly RolloutFacts[]): Record<OutcomeBasis, number> {
  const bases = facts.map((f) => basisOf(outcomeOf(f), f));
  return {
    judge: tally(bases, (basis) => basis === 'judge'),
    em: tally(bases, (basis) => basis === 'em'),
  };
}

function evidenceOf(facts: readonly RolloutFacts[], hasJudge: boolean): Statistics['evidence'] {
  const scored = facts.filter(isScored);
  const open = scored.filter(({ closed }) => !closed);
  const known = facts.filter(({ golds, closed }) => golds && !closed);
  return {
    open: open.length,
    closed: scored.length - open.length,
    retrieved: counted(
      tally(open, ({ retrieved }) => retrieved),
      open.length,
    ),
    wrongThoughRetrieved: byCriterion(known, (f, right) => f.retrieved && !right, hasJudge),
    rightWithoutEvidence: byCriterion(
      facts.filter(({ golds }) => golds),
      (f, right) => !f.evidence && right,
      hasJudge,
    ),
  };
}

function normalisedCounts(scores: readonly AnswerScores[]): NormalisedCounts {
  const count = (name: ScoreName): Count =>
    counted(
      tally(scores, (one) => one[name] === 1),
      scores.length,
    );
  return {
    em: count('em'),
    subEm: count('subEm'),
    coverEm: count('coverEm'),
    f1: { mean: ratio(sum(scores.map(({ f1 }) => f1)), scores.length) },
  };
}

/** Counts over the rollouts of a file; every definition is at the top of this file. */
export function statisticsOf(facts: readonly RolloutFacts[]): Statistics {
  const scored = facts.filter(isScored);
  const theirs = scored.flatMap(({ byR1Searcher }) => byR1Searcher ?? []);
  const judge = judgeOf(facts);
  const rewards = facts.flatMap(({ reward, error }) =>
    reward === null || error !== undefined ? [] : [reward],
  );
  const errors = facts.flatMap(({ error }) => error ?? []);
  const [firstError] = errors;
  const readable = facts.filter(({ unread }) => !unread);
  const searches = facts.map((f) => f.searches);
  const { groups, flat } = zeroVariance(facts);
  return {
    rollouts: facts.length,
    questions: new Set(facts.map(({ questionId }) => questionId)).size,
    groups,
    steps: new Set(facts.flatMap(({ step }) => (step === null ? [] : [step]))).size,
    scored: scored.length,
    unread: facts.length - readable.length - errors.length,
    ...(firstError !== undefined && { errors: { count: errors.length, first: firstError } }),
    answered: counted(
      tally(readable, ({ answered }) => answered),
      readable.length,
    ),
    ...normalisedCounts(scored.map(({ scores }) => scores)),
    ...(theirs.length === scored.length && { byR1Searcher: normalisedCounts(theirs) }),
    judge,
    outcomesBy: outcomesBy(facts),
    evidence: evidenceOf(facts, judge !== null),
    searches: {
      mean: ratio(sum(searches), facts.length),
      max: searches.reduce((most, n) => Math.max(most, n), 0),
      none: tally(searches, (n) => n === 0),
    },
    reward: { n: rewards.length, mean: ratio(sum(rewards), rewards.length) },
    zeroVarianceGroups: flat,
  };
}
