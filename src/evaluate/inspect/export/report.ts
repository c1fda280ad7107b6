import { fullText, type ImportedRollout } from '../../../data/rollouts/index.ts';
import { readFactsOf, type RolloutFacts } from '../facts.ts';
import { LINTS, lintRollout, type Finding } from '../lint/index.ts';
import { readRounds, type RoundReading } from '../reading/index.ts';
import { rescore, type Rescored } from '../rescore/index.ts';

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

/** Why nothing was scored; null where something was. */
export const whyNotScored = ({
  rollout,
  scores,
}: Pick<Report, 'rollout' | 'scores'>): string | null =>
  scores.length > 0
    ? null
    : rollout.notScored === undefined
      ? 'The record has no gold answers; nothing was scored.'
      : `Not scored: ${rollout.notScored}.`;

const digits = (value: number): string => String(Number(value.toPrecision(4)));

export const numberText = (value: number | null | undefined): string =>
  value === null || value === undefined || !Number.isFinite(value) ? '–' : digits(value);

/** The line of figures under the question: name and value. */
export function figuresOf({ rollout, facts }: Report): [string, string][] {
  const { scores, judge, searches } = facts;
  return [
    ['EM', numberText(scores?.em)],
    ['F1', numberText(scores?.f1)],
    ['cover-EM', numberText(scores?.coverEm)],
    ['judge', judge === null ? 'none in the file' : judge ? 'right' : 'wrong'],
    ['reward', numberText(rollout.reward)],
    ['advantage', numberText(rollout.advantage)],
    ['searches', String(searches)],
    ['characters', String(fullText(rollout).length)],
  ];
}

export const findingText = ({ code, message }: Finding): string =>
  `${LINTS[code].title}: ${message} ${LINTS[code].why}`;
