import { BASIS_NAMES, type OutcomeBasis } from './taxonomy.ts';

/** Right by what: a count of right answers says it wherever it stands. */

/** "outcome, by EM": what is named, and by what it says right or wrong; null where nothing says either. */
export const withBasis = (name: string, basis: string | null): string =>
  basis === null ? name : `${name}, ${basis}`;

/** "right by EM", "wrong by the judge". */
export const rightBy = (right: boolean, basis: OutcomeBasis): string =>
  `${right ? 'right' : 'wrong'} ${BASIS_NAMES[basis]}`;

/** The same with its sign, for places where a colour says it too. */
export const signedBy = (right: boolean, basis: OutcomeBasis): string =>
  `${right ? '✓' : '✗'} ${rightBy(right, basis)}`;
