import { groupBy } from '../../base/items.ts';
import type { Kind, ListRelation } from '../schema/kinds.ts';
import type { Entity } from './entities.ts';
import type { Fact } from './facts.ts';

/** The facts that some passage states, indexed for asking. */
export class Knowledge {
  readonly #bySubject: Map<Entity, Fact[]>;
  readonly #byRelation: Map<string, Fact[]>;
  readonly #byTarget: Map<string, Fact[]>;
  readonly #byKind: Map<Kind, Entity[]>;
  readonly #byName: Map<string, Entity[]>;
  readonly #byTitle: Map<string, Entity[]>;
  readonly #toEntity: Map<Entity | undefined, Fact[]>;
  /** Entities that another of their kind shares its name with. */
  readonly withNamesakes: readonly Entity[];

  constructor(
    readonly entities: readonly Entity[],
    readonly facts: readonly Fact[],
  ) {
    this.#bySubject = groupBy(facts, (f) => f.subject);
    this.#byRelation = groupBy(facts, (f) => f.relation);
    this.#byTarget = groupBy(facts, (f) => sharedKey(f));
    this.#byKind = groupBy(entities, (e) => e.kind);
    this.#byName = groupBy(entities, (e) => `${e.kind} ${e.name}`);
    this.#toEntity = groupBy(facts, (f) => f.object.target);
    this.withNamesakes = entities.filter((e) => e.qualifier !== undefined);
    this.#byTitle = groupBy(entities, (e) => e.name);
  }

  factsOf(subject: Entity): readonly Fact[] {
    return this.#bySubject.get(subject) ?? [];
  }
  fact(subject: Entity, relation: string): Fact | undefined {
    return this.factsOf(subject).find((f) => f.relation === relation);
  }
  /** All facts of one relation. */
  of(relation: string): readonly Fact[] {
    return this.#byRelation.get(relation) ?? [];
  }
  /** All facts of the relation and object of this one. */
  sharing(fact: Fact): readonly Fact[] {
    return this.#byTarget.get(sharedKey(fact)) ?? [];
  }
  kind(kind: Kind): readonly Entity[] {
    return this.#byKind.get(kind) ?? [];
  }
  /** The facts after a list page: one for each item. */
  items(list: ListRelation, of: Entity): readonly Fact[] {
    return this.#byTarget.get(`${list.inverts} ${of.id}`) ?? [];
  }
  /** Others of the same kind and name. */
  namesakes(entity: Entity): Entity[] {
    return (this.#byName.get(`${entity.kind} ${entity.name}`) ?? []).filter((e) => e !== entity);
  }
  /** Facts whose object is this entity. */
  leadingTo(entity: Entity): readonly Fact[] {
    return this.#toEntity.get(entity) ?? [];
  }
  /** Whether another entity, of any kind, bears the same name. */
  sharesTitle({ name }: Entity): boolean {
    return (this.#byTitle.get(name) ?? []).length > 1;
  }
}

/** The same for two facts that have one object, whatever passages call it. */
const sharedKey = ({ relation, object }: Fact): string =>
  `${relation} ${object.target?.id ?? object.text}`;
