import type { Passage } from '../../records/records.ts';
import type { KeyedRandom } from '../../base/random.ts';
import { fullName } from '../facts/entities.ts';
import type { Fact } from '../facts/facts.ts';
import type { Knowledge } from '../facts/knowledge.ts';
import { SECOND_TITLES } from '../schema/relation.ts';
import { relation } from '../schema/schema.ts';
import { named } from './write.ts';

/** A passage that is wrong about a fact, or says nothing of it. */
export interface Noise {
  passage: Omit<Passage, 'id'> & { noise: NonNullable<Passage['noise']> };
  fact: Fact;
  /** The wrong object that it states; absent for one that states none. */
  claims?: string;
}

/** The words by which a reader knows that a claim is not to be trusted. */
export const DOUBTS = [
  'Some say that {s}.',
  'It is rumored that {s}.',
  'A letter to the editor claims that {s}.',
  'In one telling, {s}.',
];
/** The same for a relation with a label l: subject x, object o. */
const DISPUTES = [
  'Some say that the {l} of {x} is {o}.',
  'The {l} of {x} is {o}, it is rumored.',
  'A letter to the editor claims that the {l} of {x} is {o}.',
];
const DISTRACTORS = [
  '{a} is often confused with {b}.',
  'A visitor once wrote a short letter about {a} and {b}.',
  'The same magazine has printed pictures of {a} and {b}.',
  'An old map names both {a} and {b}.',
];
const TITLES = ['Notes on {x}', 'Letters about {x}', '{x} in the papers'];
/** Share of doubtful claims that are under the title of the right page. */
const UNDER_ITS_NAME = 0.5;

/** How many doubtful claims are made about a disputed fact, in each corpus. */
const CLAIMS = [3, 6] as const;

/**
 * Passages of noise about random facts.
 * @param count how many
 * @param disputed facts about which there are several
 */
export const makeNoise = (
  rng: KeyedRandom,
  knowledge: Knowledge,
  facts: readonly Fact[],
  count: number,
  disputed: readonly Fact[],
): Noise[] => {
  const out: Noise[] = disputed.flatMap((fact) =>
    Array.from({ length: rng.between(...CLAIMS) }).flatMap(
      () => doubt(rng, knowledge, fact, 1) ?? [],
    ),
  );
  const most = out.length + count;
  for (let tries = 0; out.length < most && tries < count * 4; tries++) {
    const fact = rng.maybe(facts);
    const one =
      fact &&
      (rng.chance(0.85) ? doubt(rng, knowledge, fact, 0.8) : distract(rng, knowledge, fact));
    if (one) out.push(one);
  }
  return out;
};

/** @param plain how often it is put in the words of a query, under a title of its own */
const doubt = (
  rng: KeyedRandom,
  knowledge: Knowledge,
  fact: Fact,
  plain: number,
): Noise | undefined => {
  const { subject, relation: id } = fact;
  const other = rng.maybe(knowledge.of(id))?.object;
  const same = other?.target
    ? other.target === fact.object.target
    : other?.text === fact.object.text;
  if (!other || same || other.text === fact.former?.text) return undefined;
  const { label, page, predicates } = relation(id);
  const own = page === 'main' ? '{x}' : SECOND_TITLES[subject.kind];
  const disputes = rng.chance(plain);
  const title = !disputes && rng.chance(UNDER_ITS_NAME) ? own : rng.pick(TITLES);
  const name = named(subject, fullName(subject));
  const text = disputes
    ? rng.pick(DISPUTES).replace('{l}', label).replace('{x}', name).replace('{o}', other.text)
    : rng.pick(DOUBTS).replace('{s}', `${name} ${rng.pick(predicates).replace('{o}', other.text)}`);
  return {
    passage: {
      title: title.replace('{x}', subject.name),
      text,
      sentences: [text],
      noise: 'contradicting',
    },
    fact,
    claims: other.text,
  };
};

const distract = (rng: KeyedRandom, knowledge: Knowledge, fact: Fact): Noise | undefined => {
  const other = rng.maybe(knowledge.kind(fact.subject.kind));
  if (!other || other.name === fact.subject.name) return undefined;
  const text = rng.pick(DISTRACTORS).replace('{a}', fact.subject.name).replace('{b}', other.name);
  const title = rng.pick(TITLES).replace('{x}', fact.subject.name);
  return { passage: { title, text, sentences: [text], noise: 'distractor' }, fact };
};
