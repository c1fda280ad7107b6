import {
  fullText,
  unscoredReason,
  type ImportedRollout,
} from '../../../formats/rollouts/shape/imported.ts';
import { answerText } from '../../../records/outside-answer.ts';
import { readFactsOf, type RolloutFacts } from '../lint/facts.ts';
import { LINTS, type Finding } from '../lint/finding.ts';
import { lintRollout } from '../lint/index.ts';
import { readRounds, type RoundReading } from '../reading/rounds.ts';
import { basisOf, OUTCOME_NAMES, outcomeOf, SHORT_BASIS_NAMES } from '../taxonomy.ts';
import { rescore, type Rescored } from '../rescore/rescore.ts';

/** What every written form of one rollout says. */
export interface Report {
  rollout: ImportedRollout;
  facts: RolloutFacts;
  rounds: RoundReading[];
  scores: Rescored[];
  findings: Finding[];
}

export const reportOf = (rollout: ImportedRollout): Report => ({
  rollout,
  facts: readFactsOf(rollout),
  rounds: readRounds(rollout),
  scores: rescore(rollout),
  findings: lintRollout(rollout),
});

/** What a written rollout begins with, before it is made safe for the form that it is written in. */
export interface ReportHead {
  report: Report;
  question: string;
  gold: string;
  answer: string;
  figures: [name: string, value: string][];
  /** Findings about the rollout as a whole. */
  notes: string[];
}

export function headOf(rollout: ImportedRollout): ReportHead {
  const report = reportOf(rollout);
  const { text, answers } = rollout.question;
  return {
    report,
    question: text,
    gold: answers.join(' or ') || 'none in the file',
    answer: answerText(rollout),
    figures: figuresOf(report),
    notes: report.findings.filter(({ where }) => where.length === 0).map(findingText),
  };
}

/** Why nothing was scored; null where something was. */
export const whyNotScored = ({
  rollout,
  scores,
}: Pick<Report, 'rollout' | 'scores'>): string | null =>
  scores.length > 0
    ? null
    : unscoredReason(rollout) === undefined
      ? 'The record has no gold answers; nothing was scored.'
      : `Not scored: ${unscoredReason(rollout)}.`;

/** With the minus sign of typography, as the page writes numbers. */
const digits = (value: number): string => String(Number(value.toPrecision(4))).replaceAll('-', '−');

export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : digits(value);

/** The line of figures under the question: name and value. */
export function figuresOf({ rollout, facts }: Report): [string, string][] {
  const { scores, byR1Searcher, judge, searches } = facts;
  const outcome = outcomeOf(facts);
  const basis = basisOf(outcome, facts);
  return [
    ['EM (SQuAD)', numberText(scores?.em)],
    ['F1 (SQuAD)', numberText(scores?.f1)],
    ['cover-EM (SQuAD)', numberText(scores?.coverEm)],
    ['EM (R1-Searcher)', numberText(byR1Searcher?.em)],
    ['cover-EM (R1-Searcher)', numberText(byR1Searcher?.coverEm)],
    [
      'outcome',
      outcome === null
        ? '–'
        : `${OUTCOME_NAMES[outcome]}${basis ? ` (${SHORT_BASIS_NAMES[basis]})` : ''}`,
    ],
    ['judge', judge === null ? 'none in the file' : judge ? 'right' : 'wrong'],
    ['reward', numberText(rollout.reward)],
    ['advantage', numberText(rollout.advantage)],
    ['searches', String(searches)],
    ['characters', String(fullText(rollout).length)],
  ];
}

export const findingText = ({ code, message }: Finding): string =>
  `${LINTS[code].title}: ${message} ${LINTS[code].why}`;
