import type { ChainStep, Question, QuestionType } from '../../records/records.ts';
import type { CompositionFilter } from './compositions.ts';
import type { Entity, Fact } from '../facts/facts.ts';
import type { Relation } from '../facts/kinds.ts';
import type { Knowledge } from '../facts/knowledge.ts';
import { titleFor } from '../facts/passages.ts';
import { relation } from '../facts/schema.ts';
import type { KeyedRandom } from '../../base/random.ts';

/** What a sampler may ask about, and where the answers stand. */
export interface QuestionScope {
  knowledge: Knowledge;
  /** Whether questions may start from this entity. */
  mayAnchor: (entity: Entity) => boolean;
  filter: CompositionFilter;
  /** Id of the clean passage with this title, and whether the local corpus holds it. */
  locate: (title: string) => { id: string; local: boolean };
}

export type Draft = Omit<Question, 'id'>;
/** Look-ups that a question takes. */
export type Hops = 1 | 2 | 3 | 4;

/** The step of a gold chain that reads a fact. */
export const lookUp = (scope: QuestionScope, fact: Fact): ChainStep => {
  const title = titleFor(fact.subject, fact.relation);
  return {
    subject: fact.subject.name,
    relation: fact.relation,
    object: fact.object,
    title,
    passageId: scope.locate(title).id,
    query: `${relation(fact.relation).label} of ${fact.subject.name}`,
  };
};

/** A question from its gold chain; hops, supporting titles and corpora follow from it. */
export const draft = (
  scope: QuestionScope,
  type: QuestionType,
  composition: string,
  text: string,
  answers: string[],
  chain: ChainStep[],
): Draft => {
  const supporting = [...new Set(chain.map((s) => s.title))];
  return {
    text: text.charAt(0).toUpperCase() + text.slice(1),
    answers,
    type,
    hops: chain.length,
    supporting,
    chain,
    composition,
    localSuffices: supporting.every((t) => scope.locate(t).local),
  };
};

/** How a question names an entity: rivers and awards take an article, titles may take their kind. */
export const mention = (rng: KeyedRandom, e: Entity): string => {
  if (e.kind === 'river' || e.kind === 'award') return `the ${e.name}`;
  return (e.kind === 'film' || e.kind === 'book') && rng.chance(0.3)
    ? `the ${e.kind} ${e.name}`
    : e.name;
};

/** Follows a path of relations from an entity; undefined where a fact is missing or repeats. */
export const walk = (
  k: Knowledge,
  path: readonly Relation[],
  anchor: Entity,
): Fact[] | undefined => {
  const facts: Fact[] = [];
  const seen = new Set([anchor]);
  let at: Entity | undefined = anchor;
  for (const r of path) {
    const fact: Fact | undefined = at && k.fact(at, r.id);
    if (!fact || (fact.target && seen.has(fact.target))) return undefined;
    facts.push(fact);
    at = fact.target;
    if (at) seen.add(at);
  }
  return facts;
};
