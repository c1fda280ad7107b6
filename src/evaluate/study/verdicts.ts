import type { PairedDifference } from '../paired-difference.ts';
import { contrastOf, type ContrastOptions } from './contrast.ts';
import type { Slice, StudySignature } from './file/signatures.ts';
import { signatureNumber } from './file/numbers.ts';
import type { ArmScores } from './scores.ts';
import { shown } from './measures/units.ts';
import type { Outcome, Verdict } from './signatures/verdict.ts';

/** Whether the claims of a study hold, by the intervals of their differences. */

type Expectation = Pick<StudySignature, 'expect' | 'margin'>;

/** Where the difference lies if the claim holds: strictly between the two. */
function expected({ expect, margin }: Expectation): [above: number, below: number] {
  switch (expect) {
    case 'higher':
      return [margin, Infinity];
    case 'lower':
      return [-Infinity, -margin];
    case 'not-lower':
      return [-margin, Infinity];
    case 'not-higher':
      return [-Infinity, margin];
    case 'equal':
      return [-margin, margin];
  }
}

/**
 * Shown where the whole interval lies where it should, contradicted where the whole of it lies elsewhere. A difference without
 * an interval shows nothing of questions that were not asked.
 */
export function outcomeOf(expectation: Expectation, { low, high }: PairedDifference): Outcome {
  if (low === null) return 'not shown';
  const [above, below] = expected(expectation);
  if (low > above && high < below) return 'shown';
  return high < above || low > below ? 'contradicted' : 'not shown';
}

function sliceWords(slice: Slice): string {
  const { hops, types, source, heldOut, worlds, where } = slice;
  const range = [
    ...(where?.from === undefined ? [] : [`at least ${where.from}`]),
    ...(where?.to === undefined ? [] : [`at most ${where.to}`]),
  ];
  return [
    ...(types ? [types.join(' or ')] : []),
    ...(hops ? [`${hops.join(' or ')} ${hops.join() === '1' ? 'hop' : 'hops'}`] : []),
    ...(source ? [source === 'both' ? 'both sources' : `${source} alone`] : []),
    ...(heldOut === undefined ? [] : [heldOut ? 'held-out compositions' : 'seen compositions']),
    ...(worlds ? [worlds.join(', ')] : []),
    ...(where
      ? [`${signatureNumber(where.number).title} of ${where.arm} ${range.join(' and ')}`]
      : []),
  ].join(', ');
}

export const EXPECTED: Record<StudySignature['expect'], string> = {
  higher: 'higher',
  lower: 'lower',
  'not-lower': 'not lower',
  'not-higher': 'not higher',
  equal: 'equal',
};

/** `A less B, on bridge; expected higher by more than 2.0` */
export function comparedWords(
  signature: StudySignature,
  before: ArmScores['before'] = 'step 0',
): string {
  const { arm, against, fromStart, than, beyond, slice, unlike, expect, margin, number } =
    signature;
  const { unit } = signatureNumber(number);
  const began = before === 'step 0' ? 'its step 0' : `the policy ${before}`;
  const side = against ?? (fromStart ? began : than === undefined ? null : shown(than, unit));
  return [
    side === null ? arm : `${arm} less ${side}`,
    ...(beyond ? [`beyond ${beyond.arm} less ${beyond.against}`] : []),
    ...(slice ? [`on ${sliceWords(slice)}`] : []),
    ...(unlike ? [`less the same on ${sliceWords(unlike)}`] : []),
    `expected ${EXPECTED[expect]}${margin > 0 ? ` (margin ${shown(margin, unit)})` : ''}`,
  ].join('; ');
}

const DIGITS = 5;
const short = (value: number): number => Number(value.toFixed(DIGITS));

/** A difference as verdicts keep it. */
export const shortened = ({ mean, low, high }: PairedDifference): PairedDifference =>
  low === null
    ? { mean: short(mean), low, high }
    : { mean: short(mean), low: short(low), high: short(high) };

function verdictOf(
  signature: StudySignature,
  arms: readonly ArmScores[],
  { study, ...options }: ContrastOptions & { study: string },
): Verdict {
  const { recipe, claim, number } = signature;
  const { title, unit } = signatureNumber(number);
  const found = contrastOf(signature, arms, options);
  return {
    recipe,
    claim,
    study,
    outcome: found ? outcomeOf(signature, found.difference) : 'not measured',
    title,
    unit,
    compared: comparedWords(signature, arms.find(({ name }) => name === signature.arm)?.before),
    difference: found && shortened(found.difference),
    level: options.interval.level ?? 0.95,
    n: found?.n ?? 0,
    seeds: found?.seeds ?? [],
    worlds: found?.worlds ?? [],
  };
}

/** A verdict a claim, in the order of the file. @throws Error where the slices of a claim share questions */
export const verdictsOf = (
  signatures: readonly StudySignature[],
  arms: readonly ArmScores[],
  options: ContrastOptions & { study: string },
): Verdict[] => signatures.map((signature) => verdictOf(signature, arms, options));
