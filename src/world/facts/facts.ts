import * as inventory from './inventory.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { isKind, relation, relationsOf } from './schema.ts';
import type { Kind } from './kinds.ts';

export interface Entity {
  id: string;
  kind: Kind;
  /** Unique in its world. */
  name: string;
  /** Whether the local corpus holds its pages. */
  local: boolean;
  /** Only for persons. */
  pronoun: 'He' | 'She' | 'It';
}

/** `subject` —relation→ `object`. At most one fact for each subject and relation. */
export interface Fact {
  subject: Entity;
  relation: string;
  /** What a passage writes: the name of an entity, or a value. */
  object: string;
  /** The entity named by `object`; absent for values. */
  target?: Entity;
}

export type WorldSize = Readonly<Record<Kind, number>>;

/** A world of nobody: sizes of single kinds are set on top of it. */
export const EMPTY_SIZE: WorldSize = {
  person: 0,
  film: 0,
  book: 0,
  city: 0,
  country: 0,
  company: 0,
  river: 0,
  award: 0,
  university: 0,
  band: 0,
};

/** How often an entity sits in the same corpus as the place or person it belongs to. */
const FOLLOWS = 0.8;
const MAX_LIST = 4;

/** Draws one object for every relation of every entity; some people lack some relations. */
export const makeFacts = (rng: KeyedRandom, entities: readonly Entity[]): Fact[] => {
  const kinds = new Map<Kind, Entity[]>();
  for (const e of entities) kinds.set(e.kind, [...(kinds.get(e.kind) ?? []), e]);
  const draw = new FactDrawer(rng, kinds);
  return entities.flatMap((e) => draw.factsOf(e));
};

/** How many people have each relation that not everyone has. */
const SHARES: Readonly<Record<string, number>> = {
  'person.spouse': 0.6,
  'person.employer': 0.7,
  'person.university': 0.6,
  'person.award': 0.5,
};
/** Objects that take at most MAX_LIST subjects, because their list is one passage. */
const CAPPED = new Set([
  'film.director',
  'film.star',
  'book.author',
  'person.award',
  'person.university',
]);

const MAKERS = new Set(['film.director', 'book.author', 'company.founder']);
const FIRST_YEAR = 1900;
const LAST_YEAR = 2019;

class FactDrawer {
  private readonly used = new Map<string, number>();
  private readonly spouse = new Map<string, Entity>();
  private readonly winner = new Map<string, Entity>();
  private readonly born = new Map<Entity, number>();
  /** Who directed, wrote or founded something. */
  private readonly makers = new Map<Entity, Entity>();
  private readonly cities = new Map<Entity, Entity[]>();
  private readonly pools = new Map<string, readonly Entity[]>();
  constructor(
    private readonly rng: KeyedRandom,
    private readonly kinds: ReadonlyMap<Kind, Entity[]>,
  ) {
    this.marry();
  }

  /** Facts in the order of the schema. People come first, so awards know their winners; cities before countries. */
  factsOf(subject: Entity): Fact[] {
    return relationsOf(subject.kind).flatMap((r) => {
      const fact = this.draw(subject, r.id, r.to);
      return fact ? [fact] : [];
    });
  }

  private draw(subject: Entity, relation: string, to: string): Fact | undefined {
    const { rng } = this;
    const value = (object: string): Fact => ({ subject, relation, object });
    switch (to) {
      case 'year':
        return value(String(this.year(subject, relation)));
      case 'length':
        return value(String(rng.between(1000, 4999)));
      case 'currency':
        return value(rng.pick(inventory.CURRENCIES));
      case 'language':
        return value(rng.pick(inventory.LANGUAGES));
      case 'field':
        return value(rng.pick(inventory.FIELDS));
      case 'genre':
        return value(rng.pick(inventory.GENRES));
    }
    const target = isKind(to) ? this.target(subject, relation, to) : undefined;
    if (target && relation === 'city.country')
      this.cities.set(target, [...(this.cities.get(target) ?? []), subject]);
    if (target && MAKERS.has(relation)) this.makers.set(subject, target);
    return target && { subject, relation, object: target.name, target };
  }

  /** People are born before they make or found things. */
  private year(subject: Entity, relation: string): number {
    const { rng } = this;
    if (relation === 'person.birthYear') {
      const born = rng.between(1900, 1989);
      this.born.set(subject, born);
      return born;
    }
    const maker = this.makers.get(subject);
    const born = maker && this.born.get(maker);
    if (born === undefined) return rng.between(FIRST_YEAR, LAST_YEAR);
    return rng.between(born + 18, Math.min(born + 75, LAST_YEAR));
  }

  private target(subject: Entity, relation: string, kind: Kind): Entity | undefined {
    if (relation === 'person.spouse') return this.spouse.get(subject.id);
    if (relation === 'award.firstWinner' && this.winner.has(subject.id))
      return this.winner.get(subject.id);
    if (relation === 'country.capital') {
      const inside = this.cities.get(subject);
      if (inside) return this.rng.pick(inside);
    }
    const share = SHARES[relation];
    if (share !== undefined && !this.rng.chance(share)) return undefined;
    for (let tries = 0; tries < 20; tries++) {
      const target = this.rng.maybe(this.pool(relation, kind));
      if (!target) return undefined;
      if (!CAPPED.has(relation)) return target;
      const key = `${relation} ${target.id}`;
      const used = this.used.get(key) ?? 0;
      if (used >= MAX_LIST) continue;
      this.used.set(key, used + 1);
      if (relation === 'person.award' && !this.winner.has(target.id))
        this.winner.set(target.id, subject);
      return target;
    }
    return undefined;
  }

  /** Directors, stars and authors come from small groups, so that their lists have several items. */
  private pool(relationId: string, kind: Kind): readonly Entity[] {
    const all = this.kinds.get(kind) ?? [];
    const subjects = this.kinds.get(relation(relationId).of)?.length ?? 0;
    if (kind !== 'person' || !CAPPED.has(relationId)) return all;
    let pool = this.pools.get(relationId);
    if (!pool) {
      pool = this.rng.sample(all, Math.ceil(subjects / 2.5));
      this.pools.set(relationId, pool);
    }
    return pool;
  }

  private marry(): void {
    const people = this.rng.shuffle(this.kinds.get('person') ?? []);
    const couples = Math.floor((people.length * (SHARES['person.spouse'] ?? 0)) / 2);
    for (let i = 0; i < couples; i++) {
      const [a, b] = [people[2 * i], people[2 * i + 1]];
      if (!a || !b) return;
      this.spouse.set(a.id, b);
      this.spouse.set(b.id, a);
    }
  }
}

/** The relation along which an entity follows another into the same corpus. */
const HOME: Readonly<Partial<Record<Kind, string>>> = {
  city: 'city.country',
  river: 'river.country',
  person: 'person.birthCity',
  film: 'film.director',
  book: 'book.author',
  company: 'company.headquarters',
  university: 'university.city',
  award: 'award.firstWinner',
  band: 'band.leader',
};
const ORDER: readonly Kind[] = [
  'country',
  'city',
  'river',
  'person',
  'film',
  'book',
  'company',
  'university',
  'award',
  'band',
];

/** Decides which entities the local corpus covers: about half, neighbours mostly together. */
export const placeEntities = (
  rng: KeyedRandom,
  entities: readonly Entity[],
  facts: readonly Fact[],
) => {
  const home = new Map<string, Entity>();
  for (const f of facts)
    if (f.target && HOME[f.subject.kind] === f.relation) home.set(f.subject.id, f.target);
  for (const kind of ORDER) {
    const members = entities.filter((e) => e.kind === kind);
    members.forEach((e, i) => {
      const near = home.get(e.id);
      if (near && rng.chance(FOLLOWS)) e.local = near.local;
      else e.local = kind === 'country' ? i % 2 === 0 : rng.chance(0.5);
    });
  }
};
