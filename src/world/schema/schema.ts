import { LIST_RELATIONS } from './joint-relations.ts';
import { KINDS, type Kind, type ListRelation } from './kinds.ts';
import { RELATIONS as WORDED } from './relations.ts';
import type { Relation } from './relation.ts';

/** Further wordings of the relations in `relations.ts`, and further relations. */
/**
 * Further predicates of known relations. None uses the word that a gold query asks by, so that a
 * passage is found by the name in it.
 */
const MORE_PREDICATES: Readonly<Record<string, readonly string[]>> = {
  'film.director': ['was made by {o}', 'was shot under {o}'],
  'film.star': ['shows {o} in the main part', 'was carried by {o} on the screen'],
  'film.releaseYear': ['first reached the screens in {o}', 'was shown from {o} on'],
  'book.author': ['came from the pen of {o}', 'is a work of {o}'],
  'book.year': ['came out in {o}', 'reached the shops in {o}'],
  'person.birthCity': ['first saw light in {o}', 'hails from {o} by birth'],
  'person.birthYear': ['came into the world in {o}', 'first saw light in {o}'],
  'person.spouse': ['shares a home with {o} by marriage', 'is the partner of {o} by marriage'],
  'person.employer': ['earns a living at {o}', 'is on the staff of {o}'],
  'person.university': ['took a degree at {o}', 'was a student at {o}'],
  'person.award': ['was given the {o}', 'took home the {o}'],
  'city.country': ['is found in {o}', 'stands on the soil of {o}'],
  'city.river': ['sits where the {o} runs', 'grew on the banks of the {o}'],
  'country.capital': ['is ruled from {o}', 'keeps its government at {o}'],
  'country.currency': ['counts its prices in the {o}', 'mints the {o}'],
  'country.language': ['writes its laws in {o}', 'is home to people who talk {o}'],
  'company.founder': ['was set up by {o}', 'goes back to {o}'],
  'company.headquarters': ['is steered from {o}', 'keeps its main office at {o}'],
  'company.foundingYear': ['was set up in {o}', 'goes back to {o}'],
  'river.country': ['waters the fields of {o}', 'rises and ends in {o}'],
  'river.length': ['runs for {o} kilometers', 'covers {o} kilometers from spring to mouth'],
  'award.field': ['is handed out for {o}', 'rewards {o}'],
  'award.firstWinner': ['was handed to {o} at the start', 'opened with {o}'],
  'university.city': ['teaches in {o}', 'has its halls in {o}'],
  'university.foundingYear': ['goes back to {o}', 'took its first students in {o}'],
  'band.leader': ['follows {o} on the stage', 'is headed by {o}'],
  'band.city': ['first played in {o}', 'comes from {o}'],
  'band.genre': ['fills halls with {o}', 'is loved for its {o}'],
};

const rel = (
  id: string,
  to: Relation['to'],
  label: string,
  changes: boolean,
  nouns: string[],
  asks: string[],
  predicates: string[],
): Omit<Relation, 'of'> => ({ id, to, label, page: 'second', changes, nouns, asks, predicates });

const ADDED: readonly Omit<Relation, 'of'>[] = [
  rel(
    'film.studio',
    'company',
    'studio',
    false,
    ['the studio of {x}', 'the company that produced {x}'],
    ['Which company produced {x}?', 'What is the studio of {x}?', 'Which studio made {x}?'],
    ['was produced by {o}', 'was paid for by {o}', 'is a production of {o}'],
  ),
  rel(
    'book.publisher',
    'company',
    'publisher',
    false,
    ['the publisher of {x}', 'the company that published {x}'],
    ['Which company published {x}?', 'Who is the publisher of {x}?', 'Name the publisher of {x}.'],
    ['was brought out by {o}', 'was printed by {o}', 'is sold by {o}'],
  ),
  rel(
    'city.mayor',
    'person',
    'mayor',
    true,
    ['the mayor of {x}', 'the person who runs {x}'],
    ['Who is the mayor of {x}?', 'Who runs {x} as mayor?', 'Name the mayor of {x}.'],
    ['has {o} as its mayor', 'is run by {o}', 'is headed by {o}'],
  ),
  rel(
    'city.population',
    'count',
    'population',
    true,
    ['the population of {x}'],
    ['How many people live in {x}?', 'What is the population of {x}?'],
    ['has {o} people', 'is home to {o} people', 'counts {o} people'],
  ),
  rel(
    'country.president',
    'person',
    'president',
    true,
    ['the president of {x}', 'the person who governs {x}'],
    ['Who is the president of {x}?', 'Who governs {x}?', 'Name the president of {x}.'],
    ['has {o} as its president', 'is governed by {o}', 'is led by {o}'],
  ),
  rel(
    'company.chief',
    'person',
    'chief',
    true,
    ['the chief of {x}', 'the person who heads {x}'],
    ['Who is the chief of {x}?', 'Who heads {x}?', 'Name the chief of {x}.'],
    ['has {o} as its chief', 'is headed by {o}', 'is managed by {o}'],
  ),
  rel(
    'company.staff',
    'count',
    'staff',
    true,
    ['the staff of {x}'],
    ['How many people does {x} employ?', 'How large is the staff of {x}?'],
    ['employs {o} people', 'has a staff of {o} people', 'pays {o} people'],
  ),
  rel(
    'university.rector',
    'person',
    'rector',
    true,
    ['the rector of {x}', 'the person who heads {x}'],
    ['Who is the rector of {x}?', 'Who heads {x}?', 'Name the rector of {x}.'],
    ['has {o} as its rector', 'is headed by {o}', 'is managed by {o}'],
  ),
  rel(
    'university.students',
    'count',
    'students',
    true,
    ['the number of students of {x}'],
    ['How many people study at {x}?', 'How many students does {x} have?'],
    ['teaches {o} people', 'has {o} students', 'counts {o} students'],
  ),
  rel(
    'award.city',
    'city',
    'ceremony',
    false,
    ['the city of the ceremony of {x}', 'the city where {x} is presented'],
    ['In which city is {x} presented?', 'Where does the ceremony of {x} take place?'],
    ['is presented in {o}', 'holds its ceremony in {o}', 'is handed over in {o}'],
  ),
  rel(
    'band.foundingYear',
    'year',
    'founding year',
    false,
    ['the founding year of {x}'],
    ['When was {x} founded?', 'In which year did {x} start?'],
    ['was founded in {o}', 'has toured since {o}', 'gave its first concert in {o}'],
  ),
];

/** All relations, and look-ups over them. */

/** Relations of `relations.ts` that are stated on the second page. */
const MOVED = new Set([
  'film.releaseYear',
  'book.year',
  'country.currency',
  'company.headquarters',
  'river.length',
  'band.city',
]);
/** Known relations whose object changes with the years. */
const CHANGING = new Set([
  'person.employer',
  'country.capital',
  'country.currency',
  'company.headquarters',
  'band.leader',
]);

const kindIn = (id: string): Kind => {
  const kind = KINDS.find((k) => id.startsWith(`${k}.`));
  if (!kind) throw new RangeError(`no kind in ${id}`);
  return kind;
};

export const RELATIONS: readonly Relation[] = [
  ...WORDED.map((r): Relation => ({
    ...r,
    page: MOVED.has(r.id) ? 'second' : r.page,
    predicates: [...r.predicates, ...(MORE_PREDICATES[r.id] ?? [])],
    changes: CHANGING.has(r.id),
  })),
  ...ADDED.map((r): Relation => ({ ...r, of: kindIn(r.id) })),
];

const byId = new Map(RELATIONS.map((r) => [r.id, r]));
const listById = new Map(LIST_RELATIONS.map((r) => [r.id, r]));
const byKind = new Map(KINDS.map((k) => [k, RELATIONS.filter((r) => r.of === k)]));

/** @throws RangeError for an id that is no relation */
export const relation = (id: string): Relation => {
  const found = byId.get(id);
  if (!found) throw new RangeError(`no relation ${id}`);
  return found;
};
export const relationsOf = (kind: Kind): readonly Relation[] => byKind.get(kind) ?? [];
export const listRelation = (id: string): ListRelation | undefined => listById.get(id);
