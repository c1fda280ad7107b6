import type { Kind, Relation as Wording } from './kinds.ts';

/** A relation with its wordings. */
export interface Relation extends Omit<Wording, 'to'> {
  /** Kind of the object; `count` is a number of people. */
  to: Wording['to'] | 'count';
  /** Whether its object changes: its pages carry a date, and an older page states an older object. */
  changes: boolean;
}

/** Title of the second page about a name, by kind. */
export const SECOND_TITLES: Readonly<Record<Kind, string>> = {
  person: 'Career of {x}',
  film: 'Production of {x}',
  book: 'Publication of {x}',
  city: 'Council of {x}',
  country: 'State of {x}',
  company: 'Business of {x}',
  river: 'Course of {x}',
  award: 'History of {x}',
  university: 'Office of {x}',
  band: 'Tours of {x}',
};

export const PLURALS: Readonly<Record<Kind, string>> = {
  person: 'People',
  film: 'Films',
  book: 'Books',
  city: 'Cities',
  country: 'Countries',
  company: 'Companies',
  river: 'Rivers',
  award: 'Awards',
  university: 'Universities',
  band: 'Bands',
};
