import { KINDS, type Kind, type ListRelation, type Relation } from './kinds.ts';
import { LIST_RELATIONS } from './joint-relations.ts';
import { RELATIONS } from './relations.ts';

/** Look-ups over the fixed tables of kinds and relations. */

const byId = new Map(RELATIONS.map((r) => [r.id, r]));
const listById = new Map(LIST_RELATIONS.map((r) => [r.id, r]));
const byKind = new Map<string, Relation[]>(
  KINDS.map((k) => [k, RELATIONS.filter((r) => r.of === k)]),
);

/** @throws RangeError for an id that is no relation */
export const relation = (id: string): Relation => {
  const found = byId.get(id);
  if (!found) throw new RangeError(`no relation ${id}`);
  return found;
};
export const listRelation = (id: string): ListRelation | undefined => listById.get(id);
export const relationsOf = (kind: Kind): readonly Relation[] => byKind.get(kind) ?? [];
export const isKind = (name: string): name is Kind => byKind.has(name);
