import { allows, pathName, PATHS } from './compositions.ts';
import type { Fact } from '../facts/facts.ts';
import type { Relation } from '../facts/kinds.ts';
import { draft, lookUp, mention, walk, type Draft, type QuestionScope } from './question-scope.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { lastOf } from '../../base/items.ts';

/** The noun phrase of a path; clauses such as "the city where X was born" only around a name. */
const phrase = (rng: KeyedRandom, path: readonly Relation[], anchor: string): string =>
  path.reduce(
    (x, r, i) => (i === 0 ? rng.pick(r.nouns) : (r.nouns[0] ?? '{x}')).replace('{x}', x),
    anchor,
  );

const drawPath = (rng: KeyedRandom, scope: QuestionScope, hops: number) => {
  const path = rng.pick(PATHS[hops] ?? []);
  const anchor = path[0] && rng.maybe(scope.knowledge.kind(path[0].of));
  if (!anchor || !scope.mayAnchor(anchor)) return undefined;
  const facts = walk(scope.knowledge, path, anchor);
  return facts && { path, anchor, facts };
};

/** One path from one entity. */
export const bridge = (rng: KeyedRandom, scope: QuestionScope, hops: number): Draft | undefined => {
  const drawn = drawPath(rng, scope, hops);
  if (!drawn || !allows(scope.filter, pathName(drawn.path))) return undefined;
  const { path, anchor, facts } = drawn;
  const last = lastOf(path, 'path');
  const subject = phrase(rng, path.slice(0, -1), mention(rng, anchor));
  const text = rng.pick(last.asks).replace('{x}', subject);
  const chain = facts.map((f) => lookUp(scope, f));
  return draft(scope, 'bridge', pathName(path), text, [answerOf(facts)], chain);
};

const answerOf = (facts: readonly Fact[]): string => lastOf(facts, 'chain').object;

const SUMMARIES = [
  'Write a short summary of {x} and name the {l}.',
  'Summarize what is known about {x} and state the {l}.',
  'Describe {x} in a few words and give the {l}.',
];

/** A path that ends in a long answer: a summary of the last subject, and its relation's object. */
export const summary = (
  rng: KeyedRandom,
  scope: QuestionScope,
  hops: number,
): Draft | undefined => {
  const drawn = drawPath(rng, scope, hops);
  if (!drawn || scope.filter === 'held-out') return undefined;
  const { path, anchor, facts } = drawn;
  if (!allows(scope.filter, pathName(path))) return undefined;
  const last = lastOf(path, 'path');
  const text = rng
    .pick(SUMMARIES)
    .replace('{x}', phrase(rng, path.slice(0, -1), mention(rng, anchor)))
    .replace('{l}', last.label);
  const chain = facts.map((f) => lookUp(scope, f));
  return draft(scope, 'summary', `summary(${pathName(path)})`, text, [answerOf(facts)], chain);
};
