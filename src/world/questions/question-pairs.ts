import type { ChainStep } from '../../records/records.ts';
import { allows, pathName } from './compositions.ts';
import type { Entity } from '../facts/facts.ts';
import type { ListRelation, Relation } from '../facts/kinds.ts';
import { listTitle } from '../facts/passages.ts';
import {
  draft,
  lookUp,
  mention,
  walk,
  type Draft,
  type Hops,
  type QuestionScope,
} from './question-scope.ts';
import { listRelation, relation, relationsOf } from '../facts/schema.ts';
import type { KeyedRandom } from '../../base/random.ts';

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

/** Which of two has the lower or higher value. */
export const comparison = (rng: KeyedRandom, scope: QuestionScope): Draft | undefined => {
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
export const deepComparison = (rng: KeyedRandom, scope: QuestionScope): Draft | undefined => {
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

/** Whether two share an object. */
export const yesNo = (rng: KeyedRandom, scope: QuestionScope): Draft | undefined => {
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

/** The one item on two lists; with three hops, a property of that item. */
export const intersection = (
  rng: KeyedRandom,
  scope: QuestionScope,
  hops: Hops,
): Draft | undefined => {
  const { knowledge: k } = scope;
  const form = rng.pick(INTERSECTIONS);
  const [first, second] = form.lists.map(listRelation);
  const item = first && rng.maybe(k.of(first.inverts))?.subject;
  const a = item && k.fact(item, first.inverts)?.target;
  const b = item && second && k.fact(item, second.inverts)?.target;
  if (
    !first ||
    !second ||
    !item ||
    !a ||
    !b ||
    a === b ||
    !scope.mayAnchor(a) ||
    !scope.mayAnchor(b)
  )
    return undefined;
  const [listA, listB] = [k.items(first, a), k.items(second, b)];
  if (listA.filter((e) => listB.includes(e)).length !== 1) return undefined;
  const chain = [listStep(scope, first, a, listA), listStep(scope, second, b, listB)];
  const common = `common(${first.id},${second.id})`;
  const name = (text: string) => text.replace('{a}', a.name).replace('{b}', b.name);
  if (hops < 3) {
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
