import { TIME_NAMES, type RolloutTimes, type TimeSpan } from '../../../evaluate/rollouts/times.ts';
import { formatMs } from '../words/format.ts';

/** "search 2"; time before the first search, after the last one, or after the last event, has none. */
export const searchWords = ({ search, event }: Pick<TimeSpan, 'search' | 'event'>): string => {
  if (event === null) return 'at the end';
  if (search === null) return 'answering';
  return search === 0 ? 'at first' : `search ${search}`;
};

/** A span of time by activity and search. */
export const spanName = (span: TimeSpan): string =>
  `${TIME_NAMES[span.kind]}, ${searchWords(span)}`;

/** A share as text: 0.944 → "94.4 %", 0.00039 → "under 0.1 %". */
const shareWords = (share: number): string =>
  share > 0 && share < 0.001 ? 'under 0.1 %' : `${(100 * share).toFixed(1)} %`;

/** "4.71 s: model writes 94.4 %, local search 5.6 %" */
export function totalWords({ totals, totalMs }: RolloutTimes): string {
  const parts = totals.map(({ kind, ms }) => `${TIME_NAMES[kind]} ${shareWords(ms / totalMs)}`);
  return `${formatMs(totalMs)}: ${parts.join(', ')}`;
}

/** Notes below the drawing. */
export function timeNotes({ clipped }: RolloutTimes, judged: boolean): string[] {
  return [
    'Events are placed at their end time. Model time includes waiting for other rollouts of the batch.',
    ...(clipped === 0
      ? []
      : [
          clipped === 1
            ? 'One call states a duration longer than its place in the record (such as a result reused from an earlier call); it is cut to fit.'
            : `${clipped} calls state durations longer than their places in the record (such as results reused from earlier calls); they are cut to fit.`,
        ]),
    ...(judged ? ['The time of the judge is not in the record.'] : []),
  ];
}
