import { lastOf } from '../../base/items.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { KINDS } from '../schema/kinds.ts';
import { allows } from './compositions.ts';
import type { Entity } from '../facts/entities.ts';
import type { Fact } from '../facts/facts.ts';
import type { Relation } from '../schema/relation.ts';
import { relation } from '../schema/schema.ts';
import {
  answersFor,
  drawn,
  lookUp,
  mention,
  plainMention,
  type Mention,
  type Sampler,
  type Scope,
} from './scope.ts';
import type { ChainStep } from '../../records/records.ts';

/** Facts that lead on, each from where the one before ended. */
export type Path = readonly Fact[];

export const pathName = (path: Path): string => path.map((f) => f.relation).join('>');

/** No relation twice, and no step that only goes back to where the path was. */
const follows = (path: Path, next: Fact): boolean => {
  const last = path.at(-1)?.relation;
  if (path.some((f) => f.relation === next.relation)) return false;
  if (last === 'country.capital' && next.relation === 'city.country') return false;
  return !(last === 'person.award' && next.relation === 'award.firstWinner');
};

/** A random path of some length from an entity; undefined where it led nowhere. */
const walk = (
  rng: KeyedRandom,
  scope: Scope,
  anchor: Entity,
  length: number,
  mayEnd: (fact: Fact) => boolean = () => true,
): Path | undefined => {
  const path: Fact[] = [];
  const seen = new Set([anchor]);
  let at: Entity | undefined = anchor;
  while (path.length < length) {
    const last = path.length === length - 1;
    const ways: readonly Fact[] = at ? scope.world.knowledge.factsOf(at) : [];
    const fact = rng.maybe(
      ways.filter(
        (f) =>
          scope.mayUse(f) &&
          follows(path, f) &&
          (last ? mayEnd(f) : f.object.target !== undefined) &&
          !(f.object.target && seen.has(f.object.target)),
      ),
    );
    if (!fact) return undefined;
    path.push(fact);
    at = fact.object.target;
    if (at) seen.add(at);
  }
  return path;
};

/** An entity of the split; kinds are drawn first, so that people do not crowd out the rest. */
const anchorOf = (rng: KeyedRandom, scope: Scope): Entity | undefined => {
  const anchor = rng.maybe(scope.world.knowledge.kind(rng.pick(KINDS)));
  return anchor && scope.mayAnchor(anchor) ? anchor : undefined;
};

/** The noun phrase of a path; clauses such as "the city where X was born" only around a name. */
const phrase = (rng: KeyedRandom, relations: readonly Relation[], anchor: string): string =>
  relations.reduce(
    (x, r, i) => (i === 0 ? rng.pick(r.nouns) : (r.nouns[0] ?? '{x}')).replace('{x}', x),
    anchor,
  );

/** Each step knows its subject by what the one before stated. */
const chainOf = (scope: Scope, path: Path, known: string): ChainStep[] =>
  path.map((fact, i) => lookUp(scope, fact, path[i - 1]?.object.text ?? known));

const relationsOn = (path: Path): Relation[] => path.map((f) => relation(f.relation));

/** Whether an answer is in the question already. */
const given = (text: string, answers: readonly string[]): boolean =>
  answers.some((answer) => text.toLowerCase().includes(answer.toLowerCase()));

const asked = (rng: KeyedRandom, path: Path, anchor: string): string => {
  const relations = relationsOn(path);
  const last = lastOf(relations, 'path');
  return rng.pick(last.asks).replace('{x}', phrase(rng, relations.slice(0, -1), anchor));
};

/** One path from one entity. */
export const bridge =
  (hops: number): Sampler =>
  (rng, scope) => {
    const anchor = anchorOf(rng, scope);
    const path = anchor && walk(rng, scope, anchor, hops);
    if (!path || !allows(scope.filter, pathName(path))) return undefined;
    const { text: name, known } = mention(rng, scope, anchor);
    const text = asked(rng, path, name);
    const answers = answersFor(lastOf(path, 'path').object);
    if (given(text, answers)) return undefined;
    const chain = chainOf(scope, path, known);
    return drawn({ type: 'bridge', composition: pathName(path), text, answers, chain }, path);
  };

/** One look-up in the words of the page itself: what the question retrieves is enough. */
export const background: Sampler = (rng, scope) => {
  const anchor = anchorOf(rng, scope);
  const path = anchor && walk(rng, scope, anchor, 1);
  const [fact] = path ?? [];
  if (scope.filter === 'held-out' || !path || !fact) return undefined;
  if (scope.world.homeOf(fact).sort === 'brief') return undefined;
  const { text: name, known } = plainMention(rng, scope.world, anchor);
  const text = `What is the ${relation(fact.relation).label} of ${name}?`;
  return drawn(
    {
      type: 'bridge',
      composition: pathName(path),
      text,
      answers: answersFor(fact.object),
      chain: chainOf(scope, path, known),
      needs: 'background',
    },
    path,
  );
};

const LETTERS = ['A', 'B', 'C', 'D'];

/** Options after a question, with their letters. */
export const withOptions = (text: string, options: readonly string[]): string =>
  `${text} ${options.map((option, i) => `${LETTERS[i]}) ${option}`).join(' ')}`;

/** Multiple choice over a path of one or two steps; wrong values that passages state are among the options. */
export const choice: Sampler = (rng, scope) => {
  const anchor = anchorOf(rng, scope);
  const path = anchor && walk(rng, scope, anchor, rng.between(1, 2));
  if (scope.filter === 'held-out' || !path || !mayWrap(path, 'choice')) return undefined;
  const last = lastOf(path, 'path');
  const { text: name, known } = mention(rng, scope, anchor);
  const stem = asked(rng, path, name);
  const chain = chainOf(scope, path, known);
  const right = last.object.text;
  const all = answersFor(last.object);
  const tempting = (lastOf(chain, 'chain').rivals ?? []).map((rival) => rival.object);
  const others = rng
    .sample(scope.world.knowledge.of(last.relation), 12)
    .map((fact) => fact.object.text);
  const wrong = [...new Set([...tempting, ...others])].filter((text) => !all.includes(text));
  const options = rng.shuffle([right, ...wrong.slice(0, 3)]);
  if (options.length < 4 || given(stem, all)) return undefined;
  return drawn(
    {
      type: 'choice',
      composition: `choice(${pathName(path)})`,
      text: withOptions(stem, options),
      answers: all,
      options,
      chain,
    },
    path,
  );
};

/** Whether a form around a path asks nothing that is held out. */
const mayWrap = (path: Path, form: string): boolean =>
  allows('seen', pathName(path)) && allows('seen', `${form}(${pathName(path)})`);

/** What a question that cannot be answered is answered with. */
const NO_ANSWER = ['cannot be answered', 'not known', 'unknown', 'no answer'];

/** A path whose last fact no passage states. */
export const unanswerable: Sampler = (rng, scope) => {
  const missing = rng.maybe(scope.world.unstated);
  if (scope.filter === 'held-out' || !missing || !scope.mayUse(missing)) return undefined;
  const ways = scope.world.knowledge
    .leadingTo(missing.subject)
    .filter(
      (f) => scope.mayUse(f) && scope.mayAnchor(f.subject) && f.relation !== missing.relation,
    );
  const before = rng.chance(0.7) ? rng.maybe(ways) : undefined;
  const path = before ? [before, missing] : [missing];
  const anchor = before?.subject ?? missing.subject;
  if (!scope.mayAnchor(anchor) || !mayWrap(path, 'none')) return undefined;
  const { text: name, known } = mention(rng, scope, anchor);
  const chain = before ? chainOf(scope, [before], known) : [];
  const { label } = relation(missing.relation);
  return drawn(
    {
      type: 'unanswerable',
      composition: `none(${pathName(path)})`,
      text: asked(rng, path, name),
      answers: NO_ANSWER,
      chain,
      hops: path.length,
      needs: 'refusal',
      missing: {
        subject: missing.subject.name,
        relation: missing.relation,
        query: `${label} of ${before?.object.text ?? known}`,
      },
    },
    path,
  );
};

/** A name that two bear, where they differ in what is asked. */
export const underspecified: Sampler = (rng, scope) => {
  const anchor = rng.maybe(scope.world.knowledge.withNamesakes);
  if (scope.filter === 'held-out' || !anchor || !scope.mayAnchor(anchor)) return undefined;
  const path = walk(rng, scope, anchor, rng.between(1, 2));
  const [first] = path ?? [];
  if (!path || !first || !mayWrap(path, 'ask')) return undefined;
  const other = scope.world.knowledge
    .namesakes(anchor)
    .map((namesake) => scope.world.knowledge.fact(namesake, first.relation));
  const tells = anchor.qualifier ?? '';
  // Both could be meant only where both have such a value, and the qualifier is not what is asked.
  const differs = other.every((f) => f && f.object.text !== first.object.text);
  if (!differs || tells.includes(lastOf(path, 'path').object.text)) return undefined;
  const name = anchor.kind === 'person' ? anchor.name : `the ${anchor.kind} ${anchor.name}`;
  const chain = chainOf(scope, path, `${anchor.name} ${tells}`);
  return drawn(
    {
      type: 'underspecified',
      composition: `ask(${pathName(path)})`,
      text: asked(rng, path, name),
      answers: answersFor(lastOf(path, 'path').object),
      chain,
      needs: 'clarification',
      clarification: { ask: `which ${anchor.name}`, reply: `${anchor.name} ${tells}` },
    },
    path,
  );
};

const SUMMARIES = [
  'Write a short summary of {x} and name the {l}.',
  'Summarize what is known about {x} and state the {l}.',
  'Describe {x} in a few sentences and give the {l}.',
];
const [FEWEST, MOST] = [3, 6];

/** A long answer: what is stated of an entity, reached directly or by one step. */
export const summary: Sampler = (rng, scope) => {
  const anchor = anchorOf(rng, scope);
  const way = anchor && (rng.chance(0.4) ? walk(rng, scope, anchor, 1) : []);
  const about = way && (way.length === 0 ? anchor : way[0]?.object.target);
  if (scope.filter === 'held-out' || !way || !anchor || !about) return undefined;
  const facts = scope.world.knowledge.factsOf(about);
  if (facts.length < FEWEST || facts.length > MOST || !facts.every(scope.mayUse)) return undefined;
  const wanted = rng.pick(facts);
  const path = [...way, wanted];
  if (!mayWrap(path, 'summary') || way.some((f) => f.relation === wanted.relation))
    return undefined;
  const { text: name, known }: Mention = mention(rng, scope, anchor);
  const next = way[0]?.object.text ?? known;
  const chain = [...chainOf(scope, way, known), ...facts.map((f) => lookUp(scope, f, next))];
  const text = rng
    .pick(SUMMARIES)
    .replace('{x}', phrase(rng, relationsOn(way), name))
    .replace('{l}', relation(wanted.relation).label);
  if (given(text, answersFor(wanted.object))) return undefined;
  return drawn(
    {
      type: 'summary',
      composition: `summary(${pathName(path)})`,
      text,
      answers: answersFor(wanted.object),
      chain,
      summary: facts.map((f) => statement(f)),
    },
    [...way, ...facts],
  );
};

/** A fact as one plain sentence. */
const statement = (fact: Fact): string => {
  const { kind } = fact.subject;
  const article = kind === 'river' || kind === 'award' ? 'The ' : '';
  const name = `${fact.subject.name}${fact.subject.qualifier ? ` ${fact.subject.qualifier}` : ''}`;
  const words = relation(fact.relation).predicates[0] ?? '{o}';
  return `${article}${name} ${words.replace('{o}', fact.object.text)}.`;
};
