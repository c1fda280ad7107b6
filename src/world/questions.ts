import type { ChainStep, Question, QuestionType } from '../data/records.ts';
import { allows, pathName, PATHS, type CompositionFilter } from './compositions.ts';
import type { Entity, Fact } from './facts.ts';
import type { Knowledge } from './knowledge.ts';
import { listTitle, titleFor } from './passages.ts';
import type { Rng } from './random.ts';
import { listRelation, relation, relationsOf, type ListRelation, type Relation } from './schema.ts';

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
export type Form = 'bridge' | 'comparison' | 'deep' | 'intersection' | 'yesno' | 'summary';

/** Shares of the forms among questions of each number of hops. */
export const FORMS: Readonly<Record<1 | 2 | 3 | 4, Partial<Record<Form, number>>>> = {
  1: { bridge: 0.92, summary: 0.08 },
  2: { bridge: 0.48, comparison: 0.2, intersection: 0.13, yesno: 0.13, summary: 0.06 },
  3: { bridge: 0.8, intersection: 0.2 },
  4: { bridge: 0.65, deep: 0.35 },
};

export const drawForm = (rng: Rng, hops: 1 | 2 | 3 | 4): Form =>
  rng.weighted(FORMS[hops] as Record<Form, number>);

/** Draws one question of a form; undefined where the draw led nowhere (try again). */
export const drawQuestion = (
  rng: Rng,
  scope: QuestionScope,
  form: Form,
  hops: 1 | 2 | 3 | 4,
): Draft | undefined => {
  switch (form) {
    case 'bridge':
      return bridge(rng, scope, hops);
    case 'summary':
      return summary(rng, scope, hops);
    case 'comparison':
      return comparison(rng, scope);
    case 'deep':
      return deepComparison(rng, scope);
    case 'yesno':
      return yesNo(rng, scope);
    case 'intersection':
      return intersection(rng, scope, hops === 3);
  }
};

const lookUp = (scope: QuestionScope, fact: Fact): ChainStep => {
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

const draft = (
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
const mention = (rng: Rng, e: Entity): string => {
  if (e.kind === 'river' || e.kind === 'award') return `the ${e.name}`;
  return (e.kind === 'film' || e.kind === 'book') && rng.chance(0.3)
    ? `the ${e.kind} ${e.name}`
    : e.name;
};

/** The noun phrase of a path; clauses such as "the city where X was born" only around a name. */
const phrase = (rng: Rng, path: readonly Relation[], anchor: string): string =>
  path.reduce(
    (x, r, i) => (i === 0 ? rng.pick(r.nouns) : (r.nouns[0] ?? '{x}')).replace('{x}', x),
    anchor,
  );

/** Follows a path of relations from an entity; undefined where a fact is missing or repeats. */
const walk = (k: Knowledge, path: readonly Relation[], anchor: Entity): Fact[] | undefined => {
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

const drawPath = (rng: Rng, scope: QuestionScope, hops: number) => {
  const path = rng.pick(PATHS[hops] ?? []);
  const anchor = path[0] && rng.maybe(scope.knowledge.kind(path[0].of));
  if (!anchor || !scope.mayAnchor(anchor)) return undefined;
  const facts = walk(scope.knowledge, path, anchor);
  return facts && { path, anchor, facts };
};

const bridge = (rng: Rng, scope: QuestionScope, hops: number): Draft | undefined => {
  const drawn = drawPath(rng, scope, hops);
  if (!drawn || !allows(scope.filter, pathName(drawn.path))) return undefined;
  const { path, anchor, facts } = drawn;
  const last = path[path.length - 1] as Relation;
  const subject = phrase(rng, path.slice(0, -1), mention(rng, anchor));
  const text = rng.pick(last.asks).replace('{x}', subject);
  const chain = facts.map((f) => lookUp(scope, f));
  return draft(scope, 'bridge', pathName(path), text, [answerOf(facts)], chain);
};

const answerOf = (facts: readonly Fact[]): string => (facts[facts.length - 1] as Fact).object;

const SUMMARIES = [
  'Write a short summary of {x} and name the {l}.',
  'Summarize what is known about {x} and state the {l}.',
  'Describe {x} in a few words and give the {l}.',
];

const summary = (rng: Rng, scope: QuestionScope, hops: number): Draft | undefined => {
  const drawn = drawPath(rng, scope, hops);
  if (!drawn || scope.filter === 'held-out') return undefined;
  const { path, anchor, facts } = drawn;
  if (!allows(scope.filter, pathName(path))) return undefined;
  const last = path[path.length - 1] as Relation;
  const text = rng
    .pick(SUMMARIES)
    .replace('{x}', phrase(rng, path.slice(0, -1), mention(rng, anchor)))
    .replace('{l}', last.label);
  const chain = facts.map((f) => lookUp(scope, f));
  return draft(scope, 'summary', `summary(${pathName(path)})`, text, [answerOf(facts)], chain);
};

const COMPARED: Readonly<Record<string, readonly string[]>> = {
  'film.releaseYear': [
    'Which film was released {w}, {a} or {b}?',
    'Of the films {a} and {b}, which came out {w}?',
  ],
  'book.year': [
    'Which book was published {w}, {a} or {b}?',
    'Of the books {a} and {b}, which appeared {w}?',
  ],
  'person.birthYear': ['Who was born {w}, {a} or {b}?', 'Of {a} and {b}, who was born {w}?'],
  'company.foundingYear': [
    'Which company was founded {w}, {a} or {b}?',
    'Of the companies {a} and {b}, which was founded {w}?',
  ],
  'university.foundingYear': [
    'Which university was founded {w}, {a} or {b}?',
    'Of {a} and {b}, which was founded {w}?',
  ],
  'river.length': ['Which river is {w}, {a} or {b}?', 'Of {a} and {b}, which is {w}?'],
};
const COMPARED_ANY = ['Which has the {w} {l}, {a} or {b}?'];
/** Values closer than this are not compared. */
const MIN_GAP = 3;

const comparatives = (r: Relation): readonly [string, string] =>
  r.to === 'length' ? ['shorter', 'longer'] : ['earlier', 'later'];

const comparison = (rng: Rng, scope: QuestionScope): Draft | undefined => {
  const r = relation(rng.pick(Object.keys(COMPARED)));
  const [a, b] = [rng.maybe(scope.knowledge.of(r.id)), rng.maybe(scope.knowledge.of(r.id))];
  if (!a || !b || !scope.mayAnchor(a.subject) || !scope.mayAnchor(b.subject)) return undefined;
  const less = Number(a.object) < Number(b.object);
  if (Math.abs(Number(a.object) - Number(b.object)) < MIN_GAP) return undefined;
  const lowest = rng.chance(0.5);
  const word = comparatives(r)[lowest ? 0 : 1];
  const forms = COMPARED[r.id] ?? [];
  const text = rng.pick(r.to === 'year' ? [...forms, ...COMPARED_ANY] : forms);
  const winner = less === lowest ? a : b;
  return draft(
    scope,
    'comparison',
    `compare(${r.id})`,
    fill(text, word, r.label, a.subject.name, b.subject.name),
    [winner.subject.name],
    [lookUp(scope, a), lookUp(scope, b)],
  );
};

const fill = (text: string, word: string, label: string, a: string, b: string): string =>
  text.replace('{w}', word).replace('{l}', label).replace('{a}', a).replace('{b}', b);

const DEEP = ['film.director', 'film.star', 'book.author', 'company.founder', 'band.leader'];
const DEEP_ASKS = [
  'Which {k} has the {l} who was born {w}, {a} or {b}?',
  'Of the {l} of {a} and the {l} of {b}, who was born {w}?',
];

/** Four look-ups: the people behind two things, then their birth years. */
const deepComparison = (rng: Rng, scope: QuestionScope): Draft | undefined => {
  const path = [relation(rng.pick(DEEP)), relation('person.birthYear')] as const;
  const composition = `compare(${pathName(path)})`;
  if (!allows(scope.filter, composition)) return undefined;
  const [a, b] = [0, 1].map(() => rng.maybe(scope.knowledge.kind(path[0].of)));
  if (!a || !b || !scope.mayAnchor(a) || !scope.mayAnchor(b)) return undefined;
  const [first, second] = [walk(scope.knowledge, path, a), walk(scope.knowledge, path, b)];
  if (!first?.[0] || !first[1] || !second?.[0] || !second[1]) return undefined;
  const gap = Number(first[1].object) - Number(second[1].object);
  if (Math.abs(gap) < MIN_GAP || first[0].object === second[0].object) return undefined;
  const lowest = rng.chance(0.5);
  const [text, form] = rng.pick([0, 1].map((i) => [DEEP_ASKS[i] ?? '', i] as const));
  const winner = gap < 0 === lowest ? ([a, first[0]] as const) : ([b, second[0]] as const);
  return draft(
    scope,
    'comparison',
    composition,
    fill(text, lowest ? 'earlier' : 'later', path[0].label, a.name, b.name)
      .replace('{l}', path[0].label)
      .replace('{k}', path[0].of),
    [form === 0 ? winner[0].name : winner[1].object],
    [first[0], second[0], first[1], second[1]].map((f) => lookUp(scope, f)),
  );
};

const SAME = [
  'person.birthCity',
  'person.university',
  'person.employer',
  'person.award',
  'film.director',
  'film.star',
  'book.author',
  'city.country',
  'city.river',
  'river.country',
  'company.headquarters',
  'university.city',
  'country.language',
  'country.currency',
  'band.genre',
  'award.field',
];
const SAME_ASKS = [
  'Do {a} and {b} have the same {l}?',
  'Is the {l} of {a} the same as the {l} of {b}?',
  'Do {a} and {b} share one {l}?',
];

const yesNo = (rng: Rng, scope: QuestionScope): Draft | undefined => {
  const r = relation(rng.pick(SAME));
  const a = rng.maybe(scope.knowledge.of(r.id));
  if (!a || !scope.mayAnchor(a.subject)) return undefined;
  const yes = rng.chance(0.5);
  const pool = yes ? scope.knowledge.sharing(r.id, a.object) : scope.knowledge.of(r.id);
  const b = rng.maybe(pool);
  if (!b || b.subject === a.subject || !scope.mayAnchor(b.subject)) return undefined;
  return draft(
    scope,
    'yesno',
    `same(${r.id})`,
    fill(
      rng.pick(SAME_ASKS),
      '',
      r.label,
      mention(rng, a.subject),
      mention(rng, b.subject),
    ).replace('{l}', r.label),
    [a.object === b.object ? 'yes' : 'no'],
    [lookUp(scope, a), lookUp(scope, b)],
  );
};

const INTERSECTIONS = [
  {
    lists: ['person.filmsDirected', 'person.filmsStarring'],
    asks: [
      'Which film directed by {a} stars {b}?',
      'Which film did {a} direct with {b} as its star?',
      'Name the film by director {a} that features {b}.',
    ],
    noun: 'the film directed by {a} and starring {b}',
  },
  {
    lists: ['award.winners', 'university.alumni'],
    asks: [
      'Who won the {a} and studied at {b}?',
      'Which person attended {b} and received the {a}?',
      'Name the graduate of {b} who won the {a}.',
    ],
    noun: 'the winner of the {a} who studied at {b}',
  },
] as const;

const intersection = (rng: Rng, scope: QuestionScope, more: boolean): Draft | undefined => {
  const { knowledge: k } = scope;
  const form = rng.pick(INTERSECTIONS);
  const [first, second] = form.lists.map((id) => listRelation(id)) as [ListRelation, ListRelation];
  const item = rng.maybe(k.of(first.inverts))?.subject;
  const a = item && k.fact(item, first.inverts)?.target;
  const b = item && k.fact(item, second.inverts)?.target;
  if (!item || !a || !b || a === b || !scope.mayAnchor(a) || !scope.mayAnchor(b)) return undefined;
  const [listA, listB] = [k.items(first, a), k.items(second, b)];
  if (listA.filter((e) => listB.includes(e)).length !== 1) return undefined;
  const chain = [listStep(scope, first, a, listA), listStep(scope, second, b, listB)];
  const common = `common(${first.id},${second.id})`;
  const name = (text: string) => text.replace('{a}', a.name).replace('{b}', b.name);
  if (!more) {
    if (scope.filter === 'held-out') return undefined;
    return draft(scope, 'intersection', common, name(rng.pick(form.asks)), [item.name], chain);
  }
  const next = rng.pick(relationsOf(item.kind));
  const composition = `${common}>${next.id}`;
  const fact = k.fact(item, next.id);
  // Asking for what the question already says would need no look-up.
  const given = next.id === first.inverts || next.id === second.inverts;
  if (!fact || given || !allows(scope.filter, composition)) return undefined;
  const text = rng.pick(next.asks).replace('{x}', name(form.noun));
  return draft(
    scope,
    'intersection',
    composition,
    text,
    [fact.object],
    [...chain, lookUp(scope, fact)],
  );
};

const listStep = (
  scope: QuestionScope,
  list: ListRelation,
  of: Entity,
  items: readonly Entity[],
): ChainStep => {
  const title = listTitle(list, of.name);
  return {
    subject: of.name,
    relation: list.id,
    object: items.map((e) => e.name).join(', '),
    title,
    passageId: scope.locate(title).id,
    query: list.query.replace('{x}', of.name),
  };
};
