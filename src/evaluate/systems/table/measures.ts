import type { EvaluatedRollout } from '../result.ts';

/** What the table says of a system, one column each. */

export interface Measure {
  id: MeasureId;
  title: string;
  /** `share`: between 0 and 1, shown in percent. */
  unit: 'share' | 'count' | 'seconds';
  /** Whether each rollout has 0 or 1. */
  binary: boolean;
  /** Which way is better. */
  better: 'more' | 'less';
  /** Whether the same rollouts made again give the same number; measured times do not. */
  repeats: boolean;
  /** What it means, where its title does not tell. */
  note?: string;
  /** Why no question has the number, and why the others do not where some have it; absent of what all have. */
  absent?: { all: string; some: string };
}

export const MEASURE_IDS = [
  'em',
  'f1',
  'coverEm',
  'judge',
  'recall',
  'searches',
  'webCalls',
  'tokens',
  'seconds',
  'format',
] as const;
export type MeasureId = (typeof MEASURE_IDS)[number];

const share = (id: MeasureId, title: string, binary = false): Measure => ({
  id,
  title,
  unit: 'share',
  binary,
  better: 'more',
  repeats: true,
});

const cost = (id: MeasureId, title: string): Measure => ({
  id,
  title,
  unit: 'count',
  binary: false,
  better: 'less',
  repeats: true,
});

/** Many rollouts wait for each other, so that the time of one says little of what it costs. */
export const SECONDS_NOTE =
  'Device time per question: the time of a rollout divided by the number that ran in parallel. A single question takes longer.';

export const MEASURES: readonly Measure[] = [
  share('em', 'EM', true),
  share('f1', 'F1'),
  share('coverEm', 'cover-EM', true),
  {
    ...share('judge', 'judge', true),
    absent: { all: 'no judge was used', some: 'the others are not judged' },
  },
  {
    ...share('recall', 'recall'),
    absent: {
      all: 'the questions have no known evidence',
      some: 'the others have no known evidence',
    },
  },
  cost('searches', 'searches'),
  cost('webCalls', 'web calls'),
  cost('tokens', 'tokens'),
  {
    id: 'seconds',
    title: 'device seconds',
    unit: 'seconds',
    binary: false,
    better: 'less',
    repeats: false,
    note: SECONDS_NOTE,
  },
  share('format', 'format', true),
];

/** What a rollout counts for; null where it has no such number. */
export function valueOf(rollout: EvaluatedRollout, measure: MeasureId): number | null {
  return measure === 'format' ? Number(rollout.formatValid) : rollout[measure];
}
