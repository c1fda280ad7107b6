import {
  drawPools,
  NAMERS,
  nearDuplicate,
  pronounOf,
  type Pools,
  type Pronoun,
  type WorldSize,
} from './names.ts';
import { KINDS, type Kind } from '../schema/kinds.ts';
import type { KeyedRandom } from '../../base/random.ts';

export interface Entity {
  id: string;
  kind: Kind;
  /** The title of its pages. Others may bear it too. */
  name: string;
  /** Another name, by which passages and questions may know it. Nobody else bears it. */
  alias?: string;
  /** What tells it from others of its kind and name: "(1954)". Passages and queries add it to the name. */
  qualifier?: string;
  pronoun: Pronoun;
}

/** The name that means this entity and no other of its kind. */
export const fullName = ({ name, qualifier }: Entity): string =>
  qualifier === undefined ? name : `${name} ${qualifier}`;

/** Names one letter or one word away from another are this share of all. */
const NEAR_DUPLICATES = 0.25;
/** Share of entities that are known by another name too. */
const ALIASES: Readonly<Record<Kind, number>> = {
  person: 0.36,
  film: 0.36,
  book: 0.36,
  city: 0.36,
  country: 0.1,
  company: 0.36,
  river: 0,
  award: 0.1,
  university: 0.36,
  band: 0.36,
};
/** Share of films, books and people that bear the name of another of their kind. */
const NAMESAKES: Readonly<Partial<Record<Kind, number>>> = { person: 0.05, film: 0.08, book: 0.06 };
/** Share of books that bear the title of a film. */
const ADAPTED = 0.15;

/** Makes the entities of a world. Namesakes get their qualifier later, from their facts. */
export const makeEntities = (rng: KeyedRandom, size: WorldSize): Entity[] => {
  const pools = drawPools(rng, size);
  const taken = new Set<string>();
  const entities: Entity[] = [];
  const films: string[] = [];
  for (const kind of KINDS) {
    const names = drawNames(rng, pools, kind, size[kind], taken, films);
    if (kind === 'film') films.push(...new Set(names));
    for (const name of names) {
      const alias = rng.chance(ALIASES[kind]) ? freshName(rng, pools, kind, taken) : undefined;
      entities.push({
        id: `${kind}-${entities.length}`,
        kind,
        name,
        alias,
        pronoun: pronounOf(kind, name),
      });
    }
  }
  return entities;
};

const freshName = (rng: KeyedRandom, pools: Pools, kind: Kind, taken: Set<string>): string => {
  for (;;) {
    const name = NAMERS[kind](rng, pools);
    if (taken.has(name)) continue;
    taken.add(name);
    return name;
  }
};

const drawNames = (
  rng: KeyedRandom,
  pools: Pools,
  kind: Kind,
  count: number,
  taken: Set<string>,
  films: readonly string[],
): string[] => {
  const names: string[] = [];
  const borne = new Set<string>();
  const namesakes = NAMESAKES[kind] ?? 0;
  while (names.length < count) {
    if (names.length > 0 && rng.chance(namesakes)) {
      // Two share a name, never three: one question is enough to tell them apart.
      const name = rng.pick(names);
      if (names.filter((other) => other === name).length === 1) names.push(name);
      continue;
    }
    const adapted = kind === 'book' && rng.chance(ADAPTED) ? rng.maybe(films) : undefined;
    if (adapted !== undefined) {
      if (!borne.has(adapted)) names.push(adapted);
      borne.add(adapted);
      continue;
    }
    const near = names.length > 0 && rng.chance(NEAR_DUPLICATES) ? rng.pick(names) : undefined;
    const name =
      near === undefined ? NAMERS[kind](rng, pools) : nearDuplicate(rng, pools, kind, near);
    if (taken.has(name)) continue;
    taken.add(name);
    names.push(name);
  }
  return names;
};
