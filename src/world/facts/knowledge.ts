import type { Entity, Fact } from './facts.ts';
import type { Kind, ListRelation } from './kinds.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { groupBy } from '../../base/items.ts';

/** The facts of a world, indexed for asking. */
export class Knowledge {
  private readonly bySubject = new Map<Entity, Map<string, Fact>>();
  private readonly byRelation: Map<string, Fact[]>;
  private readonly byObject: Map<string, Fact[]>;
  private readonly byKind: Map<Kind, Entity[]>;

  constructor(
    readonly entities: readonly Entity[],
    readonly facts: readonly Fact[],
  ) {
    for (const f of facts) {
      let own = this.bySubject.get(f.subject);
      if (!own) this.bySubject.set(f.subject, (own = new Map()));
      own.set(f.relation, f);
    }
    this.byRelation = groupBy(facts, (f) => f.relation);
    this.byObject = groupBy(facts, (f) => `${f.relation} ${f.object}`);
    this.byKind = groupBy(entities, (e) => e.kind);
  }

  fact(subject: Entity, relation: string): Fact | undefined {
    return this.bySubject.get(subject)?.get(relation);
  }
  /** All facts of one relation. */
  of(relation: string): readonly Fact[] {
    return this.byRelation.get(relation) ?? [];
  }
  /** All facts of one relation with one object. */
  sharing(relation: string, object: string): readonly Fact[] {
    return this.byObject.get(`${relation} ${object}`) ?? [];
  }
  kind(kind: Kind): readonly Entity[] {
    return this.byKind.get(kind) ?? [];
  }
  /** Items of a list page. */
  items(list: ListRelation, of: Entity): Entity[] {
    return this.sharing(list.inverts, of.name).map((f) => f.subject);
  }
  /** A value of the relation that is not `object`. */
  wrongObject(rng: KeyedRandom, relation: string, object: string): string | undefined {
    for (let tries = 0; tries < 8; tries++) {
      const other = rng.maybe(this.of(relation))?.object;
      if (other !== undefined && other !== object) return other;
    }
    return undefined;
  }
}
