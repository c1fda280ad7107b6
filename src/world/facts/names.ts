import * as inventory from './inventory.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { KINDS, type Kind } from '../schema/kinds.ts';

/** Entities of a world, by kind. */
export type WorldSize = Readonly<Record<Kind, number>>;

/** Sizes of single kinds are set on top of it. */
const EMPTY_SIZE = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<Kind, number>;

/** Names one letter or one word away from another are this share of all. */
const NEAR_DUPLICATES = 0.15;
/** Word lists of one world: a small world draws from few, so that names there share their parts. */
export interface Pools {
  first: readonly string[];
  heads: readonly string[];
  titleFirst: readonly string[];
  titleSecond: readonly string[];
}

export const drawPools = (rng: KeyedRandom, size: WorldSize): Pools => {
  const total = Object.values(size).reduce((a, b) => a + b, 0);
  const share = Math.min(1, Math.max(0.3, total / 1000));
  const part = (items: readonly string[]) => rng.sample(items, Math.ceil(items.length * share));
  return {
    first: part(inventory.FIRST_NAMES),
    heads: total < 1000 ? part(inventory.HEADS) : inventory.HEADS,
    titleFirst: part(inventory.TITLE_FIRST),
    titleSecond: part(inventory.TITLE_SECOND),
  };
};

/** Different names of one kind, from the word lists of a small world of its own. */
export const drawNames = (rng: KeyedRandom, kind: Kind, count: number): string[] => {
  const pools = drawPools(rng, { ...EMPTY_SIZE, [kind]: count });
  const names = new Set<string>();
  while (names.size < count) {
    const near = names.size > 0 && rng.chance(NEAR_DUPLICATES) ? rng.pick([...names]) : undefined;
    names.add(near ? nearDuplicate(rng, pools, kind, near) : NAMERS[kind](rng, pools));
  }
  return [...names];
};

/** Only persons have another than `It`. */
export type Pronoun = 'He' | 'She' | 'It';

const women = new Set(inventory.WOMEN);

export const pronounOf = (kind: Kind, name: string): Pronoun => {
  if (kind !== 'person') return 'It';
  return women.has(name.split(' ')[0] ?? '') ? 'She' : 'He';
};

type Namer = (rng: KeyedRandom, pools: Pools) => string;
const invented =
  (tails: readonly string[]): Namer =>
  (rng, pools) =>
    rng.pick(pools.heads) + rng.pick(tails);
const spaced =
  (first: Namer, second: readonly string[]): Namer =>
  (rng, pools) =>
    `${first(rng, pools)} ${rng.pick(second)}`;
const title: Namer = (rng, pools) => `${rng.pick(pools.titleFirst)} ${rng.pick(pools.titleSecond)}`;
const surname = invented(inventory.SURNAME_TAILS);
const thing = invented(inventory.THING_TAILS);

export const NAMERS: Readonly<Record<Kind, Namer>> = {
  person: (rng, pools) => `${rng.pick(pools.first)} ${surname(rng, pools)}`,
  film: title,
  book: title,
  city: invented(inventory.CITY_TAILS),
  country: invented(inventory.COUNTRY_TAILS),
  river: spaced(invented(inventory.RIVER_TAILS), ['River']),
  university: spaced(thing, ['University']),
  award: spaced(thing, inventory.AWARD_WORDS),
  band: spaced(thing, inventory.BAND_WORDS),
  company: spaced(thing, inventory.COMPANY_WORDS),
};

/** A name that differs from `name` in one word, or in the end of its one invented word. */
export const nearDuplicate = (rng: KeyedRandom, pools: Pools, kind: Kind, name: string): string => {
  const fresh = NAMERS[kind](rng, pools).split(' ');
  const old = name.split(' ');
  if (old.length === 1 || fresh.length === 1) {
    const head = pools.heads.find((h) => name.startsWith(h)) ?? '';
    const other = pools.heads.find((h) => fresh[0]?.startsWith(h)) ?? '';
    return head + (fresh[0] ?? '').slice(other.length);
  }
  return rng.chance(0.5) ? `${old[0]} ${fresh[1]}` : `${fresh[0]} ${old[1]}`;
};
