import { avalanche, fnv1a } from '../../base/hash.ts';
import { isKind, relationsOf } from '../facts/schema.ts';
import { KINDS, type Relation } from '../facts/kinds.ts';

/**
 * Whether training must never see a composition of relations. Only compositions of two or more
 * relations along a path (`>`) can be held out; the rule depends on nothing but the text.
 */
export const isHeldOut = (composition: string): boolean =>
  composition.includes('>') &&
  !composition.startsWith('summary') &&
  (avalanche(fnv1a(composition)) >>> 0) % 4 === 0;

/** Which compositions a set of questions may use. */
export type CompositionFilter = 'seen' | 'held-out' | 'any';

export const allows = (filter: CompositionFilter, composition: string): boolean =>
  filter === 'any' || isHeldOut(composition) === (filter === 'held-out');

/** No relation twice, and no step that only goes back to where the path was. */
const follows = (path: readonly Relation[], next: Relation): boolean => {
  const last = path[path.length - 1]?.id;
  if (path.some((r) => r.id === next.id)) return false;
  if (last === 'country.capital' && next.id === 'city.country') return false;
  return !(last === 'person.award' && next.id === 'award.firstWinner');
};

/** Paths of relations that make sense as a question, by number of hops (1 to 4). */
export const PATHS: readonly (readonly (readonly Relation[])[])[] = (() => {
  const byHops: Relation[][][] = [[], [], [], [], []];
  const extend = (path: Relation[]): void => {
    byHops[path.length]?.push(path);
    const last = path[path.length - 1];
    if (!last || path.length === 4 || !isKind(last.to)) return;
    for (const next of relationsOf(last.to)) if (follows(path, next)) extend([...path, next]);
  };
  for (const kind of KINDS) for (const first of relationsOf(kind)) extend([first]);
  return byHops;
})();

export const pathName = (path: readonly Relation[]): string => path.map((r) => r.id).join('>');
