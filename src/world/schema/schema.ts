import { LIST_RELATIONS } from './joint-relations.ts';
import { KINDS, type Kind, type ListRelation } from './kinds.ts';
import { RELATIONS as WORDED } from './relations.ts';
import { ADDED, MORE_PREDICATES } from './added.ts';
import type { Relation } from './relation.ts';

/** All relations, and look-ups over them. */

/** Relations of `relations.ts` that are stated on the second page. */
const MOVED = new Set([
  'film.releaseYear',
  'book.year',
  'country.currency',
  'company.headquarters',
  'river.length',
  'band.city',
]);
/** Known relations whose object changes with the years. */
const CHANGING = new Set([
  'person.employer',
  'country.capital',
  'country.currency',
  'company.headquarters',
  'band.leader',
]);

const kindIn = (id: string): Kind => {
  const kind = KINDS.find((k) => id.startsWith(`${k}.`));
  if (!kind) throw new RangeError(`no kind in ${id}`);
  return kind;
};

export const RELATIONS: readonly Relation[] = [
  ...WORDED.map((r): Relation => ({
    ...r,
    page: MOVED.has(r.id) ? 'second' : r.page,
    predicates: [...r.predicates, ...(MORE_PREDICATES[r.id] ?? [])],
    changes: CHANGING.has(r.id),
  })),
  ...ADDED.map((r): Relation => ({ ...r, of: kindIn(r.id) })),
];

const byId = new Map(RELATIONS.map((r) => [r.id, r]));
const listById = new Map(LIST_RELATIONS.map((r) => [r.id, r]));
const byKind = new Map(KINDS.map((k) => [k, RELATIONS.filter((r) => r.of === k)]));

/** @throws RangeError for an id that is no relation */
export const relation = (id: string): Relation => {
  const found = byId.get(id);
  if (!found) throw new RangeError(`no relation ${id}`);
  return found;
};
export const relationsOf = (kind: Kind): readonly Relation[] => byKind.get(kind) ?? [];
export const listRelation = (id: string): ListRelation | undefined => listById.get(id);
