import {
  completionsAt,
  type Completion,
  type Completions,
  type KnownValues,
} from '../../../evaluate/rollouts/filter/complete.ts';
import { pastFilters } from './filter-history.ts';

/** Completions at most. All fields and the clauses of a reward fit; a long list of values is cut. */
const MOST_ITEMS = 120;
/** Filters of earlier that an empty field offers. */
const MOST_PAST = 5;

/** What may be written at the cursor; in an empty field the last filters come first. */
export const offersAt = (text: string, at: number, known: KnownValues): Completions => {
  const offers = completionsAt(text, at, known);
  const past = text === '' ? pastFilters().slice(0, MOST_PAST) : [];
  const items = [
    ...past.map((one): Completion => ({ text: one, kind: 'value', note: 'asked before' })),
    ...offers.items,
  ];
  return { ...offers, items: items.slice(0, MOST_ITEMS) };
};
