import { avalanche, fnv1a } from '../../base/hash.ts';

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
