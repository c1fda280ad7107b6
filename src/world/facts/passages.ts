import type { Passage } from '../../records/records.ts';
import type { Entity, Fact } from './facts.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { relation, relationsOf } from './schema.ts';
import { groupBy } from '../../base/items.ts';
import { LIST_RELATIONS, PAIRS } from './joint-relations.ts';
import type { ListRelation } from './kinds.ts';

/** A page before it becomes a passage of a corpus: who it is about and what it states. */
export interface Page {
  title: string;
  about: Entity;
  /** Facts in the order of the schema. For a list page, one for each item. */
  facts: Fact[];
  list?: ListRelation;
}

const secondTitle = (name: string): string => `Career of ${name}`;
export const listTitle = (list: ListRelation, name: string): string =>
  list.title.replace('{x}', name);

/** Title of the page that states a relation of an entity. */
export const titleFor = (subject: Entity, relationId: string): string =>
  relation(relationId).page === 'main' ? subject.name : secondTitle(subject.name);

/** All pages of a world: one or two for each entity, and one for each list with an item. */
export const makePages = (entities: readonly Entity[], facts: readonly Fact[]): Page[] => {
  const bySubject = groupBy(facts, (f) => f.subject);
  const byObject = groupBy(facts, (f) => `${f.relation} ${f.target?.id}`);
  return entities.flatMap((about) => {
    const own = bySubject.get(about) ?? [];
    const pages: Page[] = [];
    const main = own.filter((f) => relation(f.relation).page === 'main');
    const second = own.filter((f) => relation(f.relation).page === 'second');
    if (main.length > 0) pages.push({ title: about.name, about, facts: main });
    if (second.length > 0) pages.push({ title: secondTitle(about.name), about, facts: second });
    for (const list of LIST_RELATIONS) {
      const items =
        list.of === about.kind ? byObject.get(`${list.inverts} ${about.id}`) : undefined;
      if (items) pages.push({ title: listTitle(list, about.name), about, facts: items, list });
    }
    return pages;
  });
};

/** Writes a page in one of its many wordings. */
export const writePage = (rng: KeyedRandom, page: Page): string[] =>
  page.list ? [writeList(rng, page.list, page)] : writeFacts(rng, page);

const writeList = (rng: KeyedRandom, list: ListRelation, page: Page): string => {
  const names = rng.shuffle(page.facts.map((f) => f.subject.name));
  const forms = names.length > 1 ? list.sentences : list.sentences.slice(0, 1);
  return sentence(
    rng.pick(forms).replaceAll('{x}', page.about.name).replace('{list}', enumerate(names)),
  );
};

/** "A", "A and B", "A, B and C". */
const enumerate = (names: readonly string[]): string =>
  names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const writeFacts = (rng: KeyedRandom, page: Page): string[] => {
  const predicates = statements(rng, page.facts);
  const sentences: string[] = [];
  for (let i = 0; i < predicates.length;) {
    const subject = i === 0 || rng.chance(0.25) ? page.about.name : page.about.pronoun;
    const [next, after] = predicates.slice(i, i + 2);
    const alike = next?.split(' ')[0] === after?.split(' ')[0];
    const joined = predicates.slice(i, i + (!alike && rng.chance(0.6) ? 2 : 1));
    i += joined.length;
    sentences.push(`${withArticle(page.about, subject)} ${joined.join(' and ')}.`);
  }
  return sentences;
};

/** Rivers and awards take an article. */
const withArticle = (about: Entity, subject: string): string =>
  (about.kind === 'river' || about.kind === 'award') && subject === about.name
    ? `The ${subject}`
    : subject;

/** One predicate for each fact or pair of facts, in random order. */
const statements = (rng: KeyedRandom, facts: readonly Fact[]): string[] => {
  const left = new Map(facts.map((f) => [f.relation, f.object]));
  const out: string[] = [];
  for (const pair of PAIRS) {
    const [a, b] = [left.get(pair.of[0]), left.get(pair.of[1])];
    if (a === undefined || b === undefined || !rng.chance(0.6)) continue;
    out.push(rng.pick(pair.predicates).replace('{0}', a).replace('{1}', b));
    for (const id of pair.of) left.delete(id);
  }
  for (const [id, object] of left)
    out.push(rng.pick(relation(id).predicates).replace('{o}', object));
  return rng.shuffle(out);
};

const STALE = [
  'According to an outdated directory, {s}.',
  'An old register, since corrected, says that {s}.',
  'A page that is no longer kept up states that {s}.',
];
const CONTRADICTING = [
  'An unverified note claims that {s}.',
  'A rumor without a source says that {s}.',
  'A disputed blog insists that {s}.',
];
const DISTRACTORS = [
  '{a} is often confused with {b}.',
  'A visitor once wrote a short letter about {a} and {b}.',
  'The same magazine has printed pictures of {a} and {b}.',
  'An old map names both {a} and {b}.',
];
const NOISE_TITLES = {
  stale: ['Old directory on {x}', '{x} in old records'],
  contradicting: ['Notes on {x}', 'Rumors about {x}'],
  distractor: ['Letters about {x}', '{x} in the papers'],
} as const;

/** A page of noise about a fact: a wrong value with a cue, or words that say nothing. */
export const writeNoise = (
  rng: KeyedRandom,
  fact: Fact,
  wrong: string,
  other: Entity,
): Omit<Passage, 'id'> & { noise: NonNullable<Passage['noise']> } => {
  const noise = rng.weighted({ stale: 0.4, contradicting: 0.35, distractor: 0.25 });
  const title = rng.pick(NOISE_TITLES[noise]).replace('{x}', fact.subject.name);
  const claim = `${withArticle(fact.subject, fact.subject.name).replace(/^The/, 'the')} ${rng
    .pick(relation(fact.relation).predicates)
    .replace('{o}', wrong)}`;
  const text =
    noise === 'distractor'
      ? rng.pick(DISTRACTORS).replace('{a}', fact.subject.name).replace('{b}', other.name)
      : rng.pick(noise === 'stale' ? STALE : CONTRADICTING).replace('{s}', claim);
  return { title, text, sentences: [text], noise };
};

/** Relations of an entity that a noise page can get wrong. */
export const noisyRelations = (entity: Entity): string[] =>
  relationsOf(entity.kind).map((r) => r.id);
