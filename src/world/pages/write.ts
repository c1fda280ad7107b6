import type { KeyedRandom } from '../../base/random.ts';
import { PAIRS } from '../schema/joint-relations.ts';
import { fullName, type Entity } from '../facts/entities.ts';
import type { Fact, Stated } from '../facts/facts.ts';
import { relation } from '../schema/schema.ts';
import { subjectOf, type Page } from './pages.ts';

/** Which state of a page is written: the current one, or the older one that it had before. */
export type State = 'current' | 'older';

/** What a fact says in a state of its page. */
const statedIn = (fact: Fact, state: State): Stated =>
  state === 'older' && fact.former ? fact.former : fact.object;

/** The items that a list page has in a state: the older one lacks the last. */
export const itemsIn = (page: Page, state: State): readonly Fact[] =>
  state === 'older' ? page.facts.slice(0, -1) : page.facts;

/** Writes a page in one of its many wordings, as sentences. */
export const writePage = (rng: KeyedRandom, page: Page, state: State): string[] => {
  switch (page.sort) {
    case 'alias':
      return [aliasSentence(rng, page)];
    case 'list':
      return [writeList(rng, page, state)];
    case 'brief':
      return page.facts.map((f) =>
        sentence(`${named(f.subject, fullName(f.subject))} ${predicate(rng, f, 'current')}.`),
      );
    default:
      return writeFacts(rng, page, state);
  }
};

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Rivers and awards take an article. */
export const named = (about: Entity, name: string): string =>
  about.kind === 'river' || about.kind === 'award' ? `the ${name}` : name;

const predicate = (rng: KeyedRandom, fact: Fact, state: State): string =>
  rng.pick(relation(fact.relation).predicates).replace('{o}', statedIn(fact, state).text);

/** "A", "A and B", "A, B and C". */
const enumerate = (names: readonly string[]): string =>
  names.length < 2
    ? names.join('')
    : `${names.slice(0, -1).join(', ')} and ${names[names.length - 1]}`;

const asOf = (page: Page, state: State): string =>
  page.dates ? `As of ${page.dates[state]}, ` : '';

const writeList = (rng: KeyedRandom, page: Page, state: State): string => {
  const names = rng.shuffle(itemsIn(page, state).map((f) => fullName(f.subject)));
  const forms = page.list?.sentences ?? [];
  const form = rng.pick(names.length > 1 ? forms : forms.slice(0, 1));
  const text = form.replaceAll('{x}', subjectOf(page)).replace('{list}', enumerate(names));
  const date = asOf(page, state);
  const begins = date === '' || text.startsWith(subjectOf(page)) || text.startsWith(names[0] ?? '');
  return sentence(date + (begins ? text : text.charAt(0).toLowerCase() + text.slice(1)));
};

/** Sentences that tell another name {a} of {x}. */
export const ALIAS_SENTENCES = [
  '{a} is another name of {x}.',
  'The name {a} stands for {x}.',
  '{a} and {x} are one and the same.',
];
const aliasSentence = (rng: KeyedRandom, page: Page): string =>
  rng
    .pick(ALIAS_SENTENCES)
    .replace('{a}', page.about?.alias ?? '')
    .replace('{x}', subjectOf(page));

/** First what lasts, then what holds at the page's date, then where else to look. */
const writeFacts = (rng: KeyedRandom, page: Page, state: State): string[] => {
  const { about, see } = page;
  if (!about) return [];
  const sentences: string[] = [];
  const subject = (): string =>
    sentences.length === 0 || rng.chance(0.25) ? named(about, fullName(about)) : about.pronoun;
  const lasting = page.facts.filter((f) => !relation(f.relation).changes);
  for (const text of joined(rng, statements(rng, lasting)))
    sentences.push(sentence(`${subject()} ${text}.`));
  const changing = page.facts.filter((f) => relation(f.relation).changes);
  const predicates = changing.map((f) => predicate(rng, f, state));
  for (const [i, text] of joined(rng, rng.shuffle(predicates)).entries()) {
    const who = sentences.length === 0 ? subject() : lower(subject());
    // One date for all that changes, in front of the first of it.
    sentences.push(sentence(i === 0 ? `${asOf(page, state)}${who} ${text}.` : `${who} ${text}.`));
  }
  if (page.tellsAlias && about.alias !== undefined) {
    const who = sentences.length === 0 ? named(about, fullName(about)) : about.pronoun;
    sentences.push(sentence(`${who} is also known as ${about.alias}.`));
  }
  const [more] = see;
  if (more !== undefined)
    sentences.push(
      sentences.length === 0
        ? sentence(`${named(about, fullName(about))} is treated in ${more}.`)
        : `See also ${enumerate(see)}.`,
    );
  return sentences;
};

const lower = (text: string): string =>
  text === 'It' || text === 'He' || text === 'She' ? text.toLowerCase() : text;

/** Joins some neighbours by "and", never two that begin with the same word. */
const joined = (rng: KeyedRandom, predicates: readonly string[]): string[] => {
  const out: string[] = [];
  for (let i = 0; i < predicates.length;) {
    const [next = '', after] = predicates.slice(i, i + 2);
    const alike = next.split(' ')[0] === after?.split(' ')[0];
    const both = after !== undefined && !alike && rng.chance(0.6);
    out.push(both ? `${next} and ${after}` : next);
    i += both ? 2 : 1;
  }
  return out;
};

/** One predicate for each fact or pair of facts, in random order. */
const statements = (rng: KeyedRandom, facts: readonly Fact[]): string[] => {
  const left = new Map(facts.map((f) => [f.relation, f]));
  const out: string[] = [];
  for (const pair of PAIRS) {
    const [a, b] = [left.get(pair.of[0]), left.get(pair.of[1])];
    if (!a || !b || !rng.chance(0.5)) continue;
    const text = rng.pick(pair.predicates);
    out.push(text.replace('{0}', a.object.text).replace('{1}', b.object.text));
    for (const id of pair.of) left.delete(id);
  }
  for (const fact of left.values()) out.push(predicate(rng, fact, 'current'));
  return rng.shuffle(out);
};
