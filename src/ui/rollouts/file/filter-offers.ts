import {
  completionsAt,
  type Completion,
  type Completions,
  type KnownValues,
} from '../../../evaluate/rollouts/filter/complete.ts';
import { pastFilters } from './filter-history.ts';

/** Most completions: all fields and clauses fit; long value lists are cut. */
const MOST_ITEMS = 120;
/** Earlier filters offered in an empty field. */
const MOST_PAST = 5;

/** Completions at the cursor; an empty field offers earlier filters first. */
export const offersAt = (text: string, at: number, known: KnownValues): Completions => {
  const offers = completionsAt(text, at, known);
  const past = text === '' ? pastFilters().slice(0, MOST_PAST) : [];
  const items = [
    ...past.map((one): Completion => ({ text: one, kind: 'value', note: 'asked before' })),
    ...offers.items,
  ];
  return { ...offers, items: items.slice(0, MOST_ITEMS) };
};
