import * as inventory from './inventory.ts';
import { KINDS, type Kind } from '../schema/kinds.ts';
import { groupBy } from '../../base/items.ts';
import type { KeyedRandom } from '../../base/random.ts';
import type { Relation } from '../schema/relation.ts';
import { relationsOf } from '../schema/schema.ts';
import { fullName, type Entity } from './entities.ts';

/** What a relation leads to, as passages write it, and the entity after it. */
export interface Stated {
  text: string;
  target?: Entity;
}

/** `subject` —relation→ `object`. At most one fact for each subject and relation. */
export interface Fact {
  subject: Entity;
  relation: string;
  object: Stated;
  /** What held before; only of relations that change. */
  former?: Stated;
}

/** Objects that take at most MAX_LIST subjects, because their list is one passage. */
const CAPPED = new Set([
  'film.director',
  'film.star',
  'book.author',
  'person.award',
  'person.university',
]);
const MAX_LIST = 4;
/** How many of a kind have a relation that not all have. */
const SHARES: Readonly<Record<string, number>> = {
  'person.spouse': 0.6,
  'person.employer': 0.75,
  'person.university': 0.6,
  'person.award': 0.5,
  'film.studio': 0.8,
  'book.publisher': 0.8,
};
const MAKERS = new Set(['film.director', 'book.author', 'company.founder', 'band.leader']);
const [FIRST_YEAR, LAST_YEAR] = [1900, 2009];
const LAST_BIRTH = 1979;
const isKind = (name: string): name is Kind => KINDS.some((kind) => kind === name);

/** Draws one object for every relation of every entity; some lack some relations. */
export const makeFacts = (rng: KeyedRandom, entities: readonly Entity[]): Fact[] => {
  const draw = new FactDrawer(
    rng,
    groupBy(entities, (e) => e.kind),
  );
  const facts = entities.flatMap((e) => draw.factsOf(e));
  qualify(entities, facts);
  // Names get their qualifiers from facts, so that objects are written only now.
  for (const fact of facts) {
    fact.object = draw.stated(fact.object);
    if (fact.former) fact.former = draw.stated(fact.former);
  }
  return facts;
};

/** The relation whose value tells namesakes apart, and how the qualifier is written. */
const QUALIFIERS: Readonly<Partial<Record<Kind, readonly [relation: string, text: string]>>> = {
  person: ['person.birthYear', '(born {o})'],
  film: ['film.releaseYear', '({o})'],
  book: ['book.year', '({o})'],
};

const qualify = (entities: readonly Entity[], facts: readonly Fact[]): void => {
  const values = new Map(facts.map((f) => [`${f.relation} ${f.subject.id}`, f]));
  for (const group of groupBy(entities, (e) => `${e.kind} ${e.name}`).values()) {
    if (group.length < 2) continue;
    const taken = new Set<string>();
    for (const entity of group) {
      const [relation = '', text = ''] = QUALIFIERS[entity.kind] ?? [];
      const fact = values.get(`${relation} ${entity.id}`);
      if (!fact) continue;
      // Two of one name and one year would be distinguished by nothing.
      while (taken.has(fact.object.text)) fact.object.text = String(Number(fact.object.text) + 1);
      taken.add(fact.object.text);
      entity.qualifier = text.replace('{o}', fact.object.text);
    }
  }
};

/** How often a passage knows an entity by its other name. */
const BY_ALIAS = 0.33;

class FactDrawer {
  private readonly used = new Map<string, number>();
  private readonly spouse = new Map<string, Entity>();
  private readonly winner = new Map<string, Entity>();
  private readonly born = new Map<Entity, number>();
  /** Who directed, wrote, founded or leads something. */
  private readonly makers = new Map<Entity, Entity>();
  private readonly cities = new Map<Entity, Entity[]>();
  private readonly pools = new Map<string, readonly Entity[]>();
  constructor(
    private readonly rng: KeyedRandom,
    private readonly kinds: ReadonlyMap<Kind, Entity[]>,
  ) {
    const people = rng.shuffle(kinds.get('person') ?? []);
    const couples = Math.floor((people.length * (SHARES['person.spouse'] ?? 0)) / 2);
    for (let i = 0; i < couples; i++) {
      const [a, b] = [people[2 * i], people[2 * i + 1]];
      if (!a || !b) return;
      this.spouse.set(a.id, b);
      this.spouse.set(b.id, a);
    }
  }

  /** Facts in the order of the schema. People come first, so awards know their winners; cities before countries. */
  factsOf(subject: Entity): Fact[] {
    return relationsOf(subject.kind).flatMap((r) => {
      const object = this.draw(subject, r);
      if (!object) return [];
      const former = r.changes ? this.former(subject, r, object) : undefined;
      return [{ subject, relation: r.id, object, former }];
    });
  }

  stated({ text, target }: Stated): Stated {
    if (!target) return { text };
    const alias = target.alias !== undefined && this.rng.chance(BY_ALIAS) ? target.alias : null;
    return { text: alias ?? fullName(target), target };
  }

  private draw(subject: Entity, r: Relation): Stated | undefined {
    const { rng } = this;
    const words: Readonly<Record<string, readonly string[]>> = {
      currency: inventory.CURRENCIES,
      language: inventory.LANGUAGES,
      field: inventory.FIELDS,
      genre: inventory.GENRES,
    };
    const list = words[r.to];
    if (list) return { text: rng.pick(list) };
    if (r.to === 'year') return { text: String(this.year(subject, r.id)) };
    if (r.to === 'length') return { text: String(rng.between(1000, 4999)) };
    if (r.to === 'count') return { text: String(rng.between(1, 9) * 1000 + rng.below(10) * 100) };
    const target = isKind(r.to) ? this.target(subject, r.id, r.to) : undefined;
    if (target && r.id === 'city.country')
      this.cities.set(target, [...(this.cities.get(target) ?? []), subject]);
    if (target && MAKERS.has(r.id)) this.makers.set(subject, target);
    return target && { text: target.name, target };
  }

  private former(subject: Entity, r: Relation, now: Stated): Stated | undefined {
    for (let tries = 0; tries < 10; tries++) {
      const one = this.draw(subject, r);
      if (one && one.text !== now.text && (!one.target || one.target !== now.target)) return one;
    }
    return undefined;
  }

  /** People are born before they make, found or lead things. */
  private year(subject: Entity, relation: string): number {
    const { rng } = this;
    if (relation === 'person.birthYear') {
      const born = rng.between(FIRST_YEAR, LAST_BIRTH);
      this.born.set(subject, born);
      return born;
    }
    const maker = this.makers.get(subject);
    const born = maker && this.born.get(maker);
    if (born === undefined) return rng.between(FIRST_YEAR, LAST_YEAR);
    return rng.between(born + 18, Math.min(born + 75, LAST_YEAR));
  }

  private target(subject: Entity, relation: string, kind: Kind): Entity | undefined {
    const { rng } = this;
    if (relation === 'person.spouse') return this.spouse.get(subject.id);
    if (relation === 'award.firstWinner' && this.winner.has(subject.id))
      return this.winner.get(subject.id);
    if (relation === 'country.capital') {
      const inside = this.cities.get(subject);
      if (inside) return rng.pick(inside);
    }
    if (!rng.chance(SHARES[relation] ?? 1)) return undefined;
    for (let tries = 0; tries < 20; tries++) {
      const target = rng.maybe(this.pool(relation, kind));
      if (!target || target === subject) return undefined;
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
  private pool(relation: string, kind: Kind): readonly Entity[] {
    const all = this.kinds.get(kind) ?? [];
    if (kind !== 'person' || !CAPPED.has(relation)) return all;
    const subjects = this.kinds.get(relation.startsWith('film') ? 'film' : 'book')?.length ?? 0;
    let pool = this.pools.get(relation);
    if (!pool) {
      pool = this.rng.sample(all, Math.ceil(subjects / 2.5));
      this.pools.set(relation, pool);
    }
    return pool;
  }
}
