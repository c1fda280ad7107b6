/** The kinds of entity and the shape of the relations between them. */

export const KINDS = [
  'person',
  'film',
  'book',
  'city',
  'country',
  'company',
  'river',
  'award',
  'university',
  'band',
] as const;
export type Kind = (typeof KINDS)[number];
type ValueKind = 'year' | 'length' | 'currency' | 'language' | 'field' | 'genre';

/** A relation with one object for each subject. */
export interface Relation {
  id: string;
  of: Kind;
  /** Kind of the object. */
  to: Kind | ValueKind;
  /** Canonical noun phrase, used in plans and queries: "director of Silent Harbor". */
  label: string;
  /** Passage of the subject that states it. */
  page: 'main' | 'second';
  /** Noun phrases around a subject `{x}`. */
  nouns: readonly string[];
  /** Questions about a subject `{x}`. */
  asks: readonly string[];
  /** Predicates of a subject, with the object `{o}`; any two can be joined by "and". */
  predicates: readonly string[];
}

/** A relation read backwards: a list of subjects that share an object, on a page of its own. */
export interface ListRelation {
  id: string;
  /** Kind of the entity whose list it is. */
  of: Kind;
  /** The relation that it inverts; its subjects are the items. */
  inverts: string;
  label: string;
  /** Title of the page with `{x}`. */
  title: string;
  query: string;
  /** The first also reads well with one item. */
  sentences: readonly string[];
}
