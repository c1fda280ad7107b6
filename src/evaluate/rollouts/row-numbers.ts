import { outsideScores } from '../../agent/answers/outside.ts';
import { supportingRecall } from '../../agent/answers/scores.ts';
import type { ImportedRollout, ImportedSegment } from '../../formats/rollouts/shape/imported.ts';
import type { RolloutFacts } from './lint/facts.ts';

/** What the numbers of a row are read from. */
export interface RowSources {
  rollout: ImportedRollout;
  facts: RolloutFacts;
  /** Titles of the passages of all rounds, in order. */
  titles: readonly string[];
}

interface RowNumberDefinition {
  /** What it is, for the head of its column and for the filter. */
  note: string;
  /** Why the value is missing. */
  unknown: string;
  /** It is 0 or 1. */
  bit?: true;
  /** Rows that an earlier version stored lack it. */
  later?: true;
  /** Null where the record cannot say. */
  of: (sources: RowSources) => number | null;
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

const policyWords = ({ segments }: ImportedRollout): number =>
  segments.reduce(
    (sum, { source, text }) => sum + (source === 'policy' ? (text.match(/\S+/g)?.length ?? 0) : 0),
    0,
  );

/** An older record of ours states 0 where the question names no supporting titles: nobody can know it there. */
function recallOf({ rollout, titles }: RowSources): number | null {
  const { supporting } = rollout.question;
  if (supporting.length === 0) return null;
  return rollout.metrics?.recall ?? supportingRecall(titles, supporting);
}

const bit = (value: boolean | null | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

export const NO_GOLD_ANSWERS = 'the record has no gold answers to score against';
const NO_GOLD = `${NO_GOLD_ANSWERS}, or its answer cannot be read`;

/** Numbers of a rollout by the name under which the table shows them and the filter asks for them. */
const ROW_NUMBERS = {
  em: {
    note: 'exact match, SQuAD’s normaliser, 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    of: ({ facts }) => facts.scores?.em ?? null,
  },
  f1: {
    note: 'token F1 of the answer, SQuAD’s normaliser, 0 to 1',
    unknown: NO_GOLD,
    of: ({ facts }) => facts.scores?.f1 ?? null,
  },
  'cover-em': {
    note: 'every token of a gold answer given, SQuAD’s normaliser, 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    of: ({ facts }) => facts.scores?.coverEm ?? null,
  },
  'sub-em': {
    note: 'gold answer inside the answer, SQuAD’s normaliser, 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    of: ({ facts }) => facts.scores?.subEm ?? null,
  },
  'em.r1-searcher': {
    note: 'exact match, R1-Searcher’s normaliser, 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    later: true,
    of: ({ facts }) => facts.byR1Searcher?.em ?? null,
  },
  'f1.r1-searcher': {
    note: 'token F1 of the answer, R1-Searcher’s normaliser, 0 to 1',
    unknown: NO_GOLD,
    later: true,
    of: ({ facts }) => facts.byR1Searcher?.f1 ?? null,
  },
  'cover-em.r1-searcher': {
    note: 'every token of a gold answer given, R1-Searcher’s normaliser (its ACC_R), 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    later: true,
    of: ({ facts }) => facts.byR1Searcher?.coverEm ?? null,
  },
  'sub-em.r1-searcher': {
    note: 'gold answer inside the answer, R1-Searcher’s normaliser, 0 or 1',
    unknown: NO_GOLD,
    bit: true,
    later: true,
    of: ({ facts }) => facts.byR1Searcher?.subEm ?? null,
  },
  'em.outside': {
    note: 'exact match of the text outside the tags, where no answer is within them, 0 or 1; never rewarded',
    unknown: 'the rollout has an answer, or wrote nothing outside its tags',
    bit: true,
    later: true,
    of: ({ rollout }) => outsideScores(rollout)?.em ?? null,
  },
  'f1.outside': {
    note: 'token F1 of the text outside the tags, where no answer is within them, 0 to 1; never rewarded',
    unknown: 'the rollout has an answer, or wrote nothing outside its tags',
    later: true,
    of: ({ rollout }) => outsideScores(rollout)?.f1 ?? null,
  },
  judge: {
    note: 'verdict of the file’s judge, 0 or 1',
    unknown: 'the record has no verdict of a judge',
    bit: true,
    of: ({ facts }) => bit(facts.judge),
  },
  answered: {
    note: 'an answer was given, 0 or 1; missing where it cannot be read',
    unknown: 'the answer cannot be read',
    bit: true,
    of: ({ facts }) => (facts.unread ? null : bit(facts.answered)),
  },
  retrieved: {
    note: 'a gold answer is in the results, 0 or 1',
    unknown:
      'the gold answers are missing, are yes or no, which occur in passages anyway, or are computed, such as a count',
    bit: true,
    of: ({ facts }) => (facts.golds && !facts.closed ? Number(facts.retrieved) : null),
  },
  'with-evidence': {
    note: 'a result may have the answer, 0 or 1; also 1 where the text cannot show it',
    unknown: 'the record has no gold answers',
    bit: true,
    later: true,
    of: ({ facts }) => (facts.golds ? Number(facts.evidence) : null),
  },
  recall: {
    note: 'share of the supporting titles that were read, 0 to 1',
    unknown: 'the record does not name the supporting titles of its question',
    of: recallOf,
  },
  reward: {
    note: 'total reward',
    unknown: 'the record states no total reward',
    of: ({ rollout }) => rollout.reward,
  },
  baseline: {
    note: 'baseline of the reward',
    unknown: 'the record states no baseline',
    of: ({ rollout }) => rollout.baseline,
  },
  advantage: {
    note: 'advantage',
    unknown: 'the record states no advantage',
    of: ({ rollout }) => rollout.advantage,
  },
  step: {
    note: 'training step',
    unknown: 'the record counts no training steps',
    of: ({ rollout }) => rollout.step,
  },
  searches: {
    note: 'searches made; queries written where the record has no events',
    unknown: 'the record has no queries',
    of: ({ facts }) => facts.searches,
  },
  passages: {
    note: 'passages read',
    unknown: 'the record has no results',
    of: ({ titles }) => titles.length,
  },
  tokens: {
    note: 'tokens that the model wrote',
    unknown: 'the record has no tokens to count',
    of: ({ rollout }) => rollout.metrics?.tokens ?? policyTokens(rollout),
  },
  words: {
    note: 'words that the model wrote',
    unknown: 'the record has no text to count',
    of: ({ rollout }) => policyWords(rollout),
  },
  seconds: {
    note: 'duration',
    unknown: 'the record states no duration',
    of: ({ rollout }) => rollout.metrics?.seconds ?? null,
  },
} as const satisfies Record<string, RowNumberDefinition>;

export type RowNumber = keyof typeof ROW_NUMBERS;

type LaterNumber = {
  [Name in RowNumber]: (typeof ROW_NUMBERS)[Name] extends { later: true } ? Name : never;
}[RowNumber];

export type RowNumbers = Record<Exclude<RowNumber, LaterNumber>, number | null> &
  Partial<Record<LaterNumber, number | null>>;

export const isRowNumber = (name: string): name is RowNumber => Object.hasOwn(ROW_NUMBERS, name);

export const ROW_NUMBER_NAMES: readonly RowNumber[] = Object.keys(ROW_NUMBERS).filter(isRowNumber);

const DEFINITIONS: Record<RowNumber, RowNumberDefinition> = ROW_NUMBERS;

export const rowNumber = (name: RowNumber): RowNumberDefinition => DEFINITIONS[name];

export const numbersOf = (sources: RowSources): RowNumbers =>
  Object.fromEntries(ROW_NUMBER_NAMES.map((name) => [name, rowNumber(name).of(sources)])) as Record<
    RowNumber,
    number | null
  >;
