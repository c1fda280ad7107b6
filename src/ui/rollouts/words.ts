import {
  SHORT_BASIS_NAMES,
  OUTCOME_NAMES,
  type Outcome,
  type OutcomeBasis,
} from '../../evaluate/rollouts/taxonomy.ts';
import { withBasis } from '../../evaluate/rollouts/basis.ts';
import type { FileRecord } from '../../lab/contract/records/rollout-files.ts';

/** Names and colours of outcomes. */
const OUTCOMES: Record<Outcome, { note: string; colour: number }> = {
  'right-with-evidence': {
    note: 'Right, and a retrieved passage contains a gold answer.',
    colour: 2,
  },
  'right-without-evidence': {
    note: 'Right, though no retrieved passage contains a gold answer, or nothing was retrieved: memory, a guess, or other wording.',
    colour: 7,
  },
  'right-closed': {
    note: 'Right, but no passage can state such an answer (yes or no, a count, a sum, or that there is none), so its evidence cannot be checked by text.',
    colour: 0,
  },
  'wrong-closed': {
    note: 'Wrong. No passage can state such an answer: yes or no, a count, a sum, or that there is none.',
    colour: 3,
  },
  'not-scored': {
    note: 'No answer could be read: the format is unknown and no judge rated it. It counts in no mean.',
    colour: 4,
  },
  error: {
    note: 'Ended by a system error, such as a rate limit. It says nothing about the model and counts in no mean.',
    colour: 4,
  },
  'outside-tags': {
    note: 'The model answered in prose outside the tags. That is not scored: see EM outside the tags.',
    colour: 3,
  },
  'no-answer': { note: 'No answer was given.', colour: 4 },
  'no-search': { note: 'Wrong, and nothing was searched.', colour: 5 },
  'not-retrieved': {
    note: 'Wrong, and no result contained a gold answer: queries or retriever failed.',
    colour: 1,
  },
  'retrieved-not-used': {
    note: 'Wrong, though a result contained a gold answer: reading or reasoning failed.',
    colour: 6,
  },
};

/** "retrieved but wrong (judge)"; @param basis left out where the heading says it, null where there is none */
export const outcomeName = (outcome: Outcome | null, basis?: OutcomeBasis | null): string => {
  if (outcome === null) return '–';
  return basis ? `${OUTCOME_NAMES[outcome]} (${SHORT_BASIS_NAMES[basis]})` : OUTCOME_NAMES[outcome];
};

/** Outcomes as bars, without empty ones. */
export interface OutcomeBars {
  bars: { key: Outcome; name: string; count: number; note: string; colour: number }[];
  /** Denominator: rollouts with an outcome. */
  total: number;
}

/** Fixed order, so that files can be compared by their bars. */
export function outcomeBars(counts: Partial<Record<Outcome, number>>): OutcomeBars {
  const bars = (Object.keys(OUTCOMES) as Outcome[]).flatMap((key) => {
    const count = counts[key] ?? 0;
    return count === 0 ? [] : [{ key, count, name: OUTCOME_NAMES[key], ...OUTCOMES[key] }];
  });
  return { bars, total: bars.reduce((sum, { count }) => sum + count, 0) };
}

/**
 * The outcome of rollouts that share it.
 * @param basis what outcomes of the selection are judged by
 */
export const groupedOutcomeName = (outcome: Outcome, basis: string | null): string =>
  withBasis(OUTCOME_NAMES[outcome], outcome === 'not-scored' || outcome === 'error' ? null : basis);

/** Suffix of a count for a partly read file. */
export const PARTIAL: Record<FileRecord['status'], string> = {
  ready: '',
  importing: ' so far',
  interrupted: ', not all',
};

/** The same as a sentence for statistics. */
export const PARTIAL_NOTE: Record<FileRecord['status'], string | null> = {
  ready: null,
  importing: 'Counted over the rows read so far; the file is still being read.',
  interrupted: 'Counted over the rows that were read; the file was only read in part.',
};
