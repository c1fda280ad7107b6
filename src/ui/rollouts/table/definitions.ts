import type { Count, NormalisedCounts, Statistics } from '../../../evaluate/rollouts/statistics.ts';
import { DASH, formatCount, formatNumber, formatShare } from '../../kit/words/format.ts';

/** Statistics of a file, their definitions, and filters for their cases. */
export interface Figure {
  id: string;
  name: string;
  value: string;
  /** Beside the value, smaller. */
  more: string;
  note: string;
  filter: string;
}

/** A share of rollouts with their number. */
const counted = (
  id: string,
  name: string,
  { count, share }: Count,
  note: string,
  filter: string,
): Figure => ({ id, name, value: formatShare(share), more: formatCount(count), note, filter });

const SQUAD = 'SQuAD’s normaliser: lower case, punctuation deleted, a, an and the dropped';

/** Answer metrics with SQuAD’s normaliser. Notes state the denominator. */
const scores = ({ em, subEm, coverEm, f1 }: Statistics): Figure[] => [
  counted(
    'em',
    'EM (SQuAD)',
    em,
    `Exact match: answer and a gold answer are equal after normalisation. ${SQUAD}. Of the rollouts with gold answers.`,
    'em = 1',
  ),
  counted(
    'sub-em',
    'sub-EM (SQuAD)',
    subEm,
    'The normalised gold answer is a substring of the normalised answer.',
    'sub-em = 1',
  ),
  counted(
    'cover-em',
    'cover-EM (SQuAD)',
    coverEm,
    `Every token of a gold answer is among the answer’s tokens, in any order. ${SQUAD}.`,
    'cover-em = 1',
  ),
  {
    id: 'f1',
    name: 'F1 (SQuAD)',
    value: formatShare(f1.mean),
    more: '',
    note: `Mean token F1 of the answer, best over the gold answers. ${SQUAD}.`,
    filter: 'f1 > 0',
  },
];

/** The same with R1-Searcher’s normaliser, as in its tables. */
const scoresByR1Searcher = ({ em, coverEm, f1 }: NormalisedCounts): Figure[] => {
  const note =
    'R1-Searcher’s normaliser (metric_calc_rule.py): lower case, punctuation replaced by a space, a, an and the dropped; a bare True or False is yes or no';
  return [
    counted(
      'em-r1-searcher',
      'EM (R1-Searcher)',
      em,
      `Exact match. ${note}.`,
      'em.r1-searcher = 1',
    ),
    counted(
      'cover-em-r1-searcher',
      'cover-EM (R1-Searcher)',
      coverEm,
      `Every token of a gold answer is among the answer’s tokens: R1-Searcher’s ACC_R. ${note}.`,
      'cover-em.r1-searcher = 1',
    ),
    {
      id: 'f1-r1-searcher',
      name: 'F1 (R1-Searcher)',
      value: formatShare(f1.mean),
      more: '',
      note: `Mean token F1 of the answer. ${note}.`,
      filter: 'f1.r1-searcher > 0',
    },
  ];
};

/** The file’s own judge, and its agreement with the metrics. Cohen’s κ corrects for chance. */
const judged = (judge: NonNullable<Statistics['judge']>): Figure[] => {
  const { em, coverEm } = judge.agreement;
  return [
    counted(
      'judge',
      'judge says right',
      judge.right,
      'The verdict stored in the file (R1-Searcher’s ACC_L, by GPT-4o), over the rollouts that have one.',
      'judge = 1',
    ),
    {
      ...counted(
        'judge-em',
        'judge agrees with EM (SQuAD)',
        em,
        `How often judge and EM agree. Right for the judge only: ${em.judgeOnly}; for EM only: ${em.scoreOnly}; Cohen’s κ ${formatNumber(em.kappa)}. Opens the cases where they differ.`,
        '(judge = 1 and em = 0) or (judge = 0 and em = 1)',
      ),
    },
    {
      ...counted(
        'judge-cover',
        'judge agrees with cover-EM (SQuAD)',
        coverEm,
        `Right for the judge only: ${coverEm.judgeOnly}; for cover-EM only: ${coverEm.scoreOnly}; Cohen’s κ ${formatNumber(coverEm.kappa)}. Opens the cases where they differ.`,
        '(judge = 1 and cover-em = 0) or (judge = 0 and cover-em = 1)',
      ),
    },
  ];
};

/** Retrieval and reading separated: whether a gold answer was retrieved, and how it was used. */
const evidence = ({ evidence: found }: Statistics): Figure[] => {
  const { open, closed, retrieved, wrongThoughRetrieved, rightWithoutEvidence } = found;
  const by = ({ coverEm, judge }: typeof wrongThoughRetrieved): string =>
    `${formatCount(coverEm)} by cover-EM${judge === null ? '' : `, ${formatCount(judge)} by the judge`}`;
  return [
    counted(
      'retrieved',
      'answer retrieved',
      retrieved,
      `A retrieved passage contains a gold answer as whole words; of ${formatCount(open)} rollouts. ${formatCount(closed)} are left out: their gold answer is yes or no, or is computed, so passages cannot be checked for it by text.`,
      'retrieved = 1',
    ),
    {
      id: 'wrong-though-retrieved',
      name: 'retrieved but wrong (EM)',
      value: formatCount(wrongThoughRetrieved.em),
      more: by(wrongThoughRetrieved),
      note: 'A gold answer was retrieved, but the answer is wrong: by EM; then by cover-EM and the judge. Reading or reasoning failed. “How they ended” uses the judge if there is one.',
      filter: 'retrieved = 1 and em = 0',
    },
    {
      id: 'right-without',
      name: 'right without retrieval (EM)',
      value: formatCount(rightWithoutEvidence.em),
      more: by(rightWithoutEvidence),
      note: 'Right, but no retrieved passage contains a gold answer, or nothing was retrieved: by EM; then by cover-EM and the judge. Memory, a guess, or other wording in the passages.',
      filter: 'with-evidence = 0 and em = 1',
    },
  ];
};

/** Rollouts without a score; statistics of older files lack the count. */
const notScored = ({ unread = 0, rollouts, errors }: Statistics): Figure[] =>
  unread === 0
    ? []
    : [
        {
          id: 'not-scored',
          name: 'not scored',
          value: formatCount(unread),
          more: `of ${formatCount(rollouts)}`,
          note: 'No answer could be extracted: no known format, box, “####” or sentence marks it, and the file has no “pred”. Counts in no score or mean; a judge’s verdict still counts.',
          filter: errors ? 'outcome = not-scored' : 'answered is missing',
        },
      ];

const failed = ({ errors, rollouts }: Statistics): Figure[] =>
  errors === undefined
    ? []
    : [
        {
          id: 'errors',
          name: 'ended in an error',
          value: formatCount(errors.count),
          more: `of ${formatCount(rollouts)}`,
          note: `Ended by a system error. They count in no score or mean. The first: ${errors.first}`,
          filter: 'outcome = error',
        },
      ];

/** Answer rate and number of searches. */
const searched = ({ searches, rollouts, answered }: Statistics): Figure[] => [
  counted(
    'answered',
    'answered',
    answered,
    'Share that gave an answer, of the rollouts with a known format. Opens those without one.',
    'answered = 0',
  ),
  {
    id: 'searches',
    name: 'searches',
    value: formatNumber(searches.mean),
    more: `most ${searches.max}, none in ${formatCount(searches.none)} of ${formatCount(rollouts)}`,
    note: 'Queries written by the model: mean and maximum per rollout, and rollouts without any. Opens those without any.',
    filter: 'searches = 0',
  },
];

/** Rewards of the file; absent without any. */
const rewarded = ({ reward, zeroVarianceGroups, groups }: Statistics): Figure[] =>
  reward.n === 0
    ? []
    : [
        {
          id: 'reward',
          name: 'mean reward',
          value: formatNumber(reward.mean),
          more: `${formatCount(zeroVarianceGroups)} of ${formatCount(groups)} groups all equal`,
          note: 'Mean of the rewards in the file. A group with equal rewards has zero advantage under a group baseline: no learning signal. Opens the rollouts with a reward.',
          filter: 'reward is present',
        },
      ];

/** Statistics in display order. Missing ones are omitted, not shown as 0. */
export const figuresOf = (statistics: Statistics): Figure[] => [
  ...(statistics.scored > 0 ? scores(statistics) : []),
  ...(statistics.scored > 0 && statistics.byR1Searcher
    ? scoresByR1Searcher(statistics.byR1Searcher)
    : []),
  ...(statistics.judge ? judged(statistics.judge) : []),
  ...(statistics.scored > 0 ? evidence(statistics) : []),
  ...notScored(statistics),
  ...failed(statistics),
  ...searched(statistics),
  ...rewarded(statistics),
];

/** The most telling figures first: by these a file is judged. */
const TELLING = [
  'em',
  'judge',
  'not-scored',
  'errors',
  'retrieved',
  'wrong-though-retrieved',
  'reward',
  'searches',
  'answered',
  'f1',
];
/** Shown before the user asks for all. */
const MOST_FIRST = 5;

/** The five most telling figures of a file, in display order. */
export const firstFigures = (figures: readonly Figure[]): Figure[] => {
  const ids = TELLING.filter((id) => figures.some((one) => one.id === id)).slice(0, MOST_FIRST);
  return figures.filter(({ id }) => ids.includes(id));
};

/** "500 rollouts · 500 questions · 500 groups · 3 steps". */
export const sizeOf = ({ rollouts, questions, groups, steps }: Statistics): string =>
  [
    [rollouts, 'rollout'],
    [questions, 'question'],
    [groups, 'group'],
    ...(steps > 0 ? [[steps, 'step']] : []),
  ]
    .map(([count, name]) => `${formatCount(Number(count))} ${name}${count === 1 ? '' : 's'}`)
    .join(' · ') || DASH;
