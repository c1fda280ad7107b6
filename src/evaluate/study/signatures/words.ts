import { endsText } from '../../paired-difference.ts';
import { WAVE } from '../measures/wave.ts';
import { shown, shownDifference } from '../measures/units.ts';
import type { Outcome, Verdict } from './verdict.ts';

/** A verdict as text, for tables, documents and the page. */

/** Studies store the outcomes by other names. */
export const OUTCOME_WORDS: Record<Outcome, string> = {
  shown: 'supported',
  'not shown': 'inconclusive',
  contradicted: 'not supported here',
  'not measured': 'not measured',
};

const signed = (text: string): string => text.replaceAll('-', '−');

/** `−0.4 [−1.2, 0.5]`, shares of answers in points, `0.00 [no interval]` where there is none; null where it was not measured. */
export function differenceWords({ difference, unit }: Verdict): string | null {
  if (!difference) return null;
  const ends = endsText(difference, (value) => shown(value, unit), 'no interval');
  return signed(`${shownDifference(difference.mean, unit)} ${ends}`);
}

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** `EM −0.4 [−1.2, 0.5], 900 questions, 3 worlds, study NAME`; of a course `…, 10 steps, study NAME` */
export function measurementWords(verdict: Verdict): string {
  const { title, n, worlds, seeds, study, over } = verdict;
  const counted = title === WAVE.title ? 'wave' : 'question';
  const of =
    over === 'steps' ? [many(n, 'step')] : [many(n, counted), many(worlds.length, 'world')];
  const difference = differenceWords(verdict);
  return [
    ...(difference === null ? [] : [`${title} ${difference}`, ...of]),
    ...(seeds.length > 0 ? [`training ${many(seeds.length, 'seed')}`] : []),
    `study ${study}`,
  ].join(', ');
}

/** `inconclusive: EM −0.4 [−1.2, 0.5], 900 questions, 3 worlds, study NAME` */
export const verdictWords = (verdict: Verdict): string =>
  `${OUTCOME_WORDS[verdict.outcome]}: ${measurementWords(verdict)}`;
