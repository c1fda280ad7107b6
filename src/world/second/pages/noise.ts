import type { Passage } from '../../../records/records.ts';
import type { KeyedRandom } from '../../../base/random.ts';
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
const DISTRACTORS = [
  '{a} is often confused with {b}.',
  'A visitor once wrote a short letter about {a} and {b}.',
  'The same magazine has printed pictures of {a} and {b}.',
  'An old map names both {a} and {b}.',
];
const TITLES = ['Notes on {x}', 'Letters about {x}', '{x} in the papers'];
/** Share of doubtful claims that stand under the title of the right page. */
const UNDER_ITS_NAME = 0.5;

/** Passages of noise about random facts. @param count how many */
export const makeNoise = (
  rng: KeyedRandom,
  knowledge: Knowledge,
  facts: readonly Fact[],
  count: number,
): Noise[] => {
  const out: Noise[] = [];
  for (let tries = 0; out.length < count && tries < count * 4; tries++) {
    const fact = rng.maybe(facts);
    const one = fact && (rng.chance(0.7) ? doubt(rng, knowledge, fact) : distract(rng, knowledge, fact));
    if (one) out.push(one);
  }
  return out;
};

const doubt = (rng: KeyedRandom, knowledge: Knowledge, fact: Fact): Noise | undefined => {
  const { subject, relation: id } = fact;
  const other = rng.maybe(knowledge.of(id))?.object;
  const same = other?.target ? other.target === fact.object.target : other?.text === fact.object.text;
  if (!other || same || other.text === fact.former?.text) return undefined;
  const title = rng.chance(UNDER_ITS_NAME)
    ? (relation(id).page === 'main' ? '{x}' : SECOND_TITLES[subject.kind])
    : rng.pick(TITLES);
  const claim = `${named(subject, fullName(subject))} ${rng.pick(relation(id).predicates).replace('{o}', other.text)}`;
  const text = rng.pick(DOUBTS).replace('{s}', claim);
  return {
    passage: { title: title.replace('{x}', subject.name), text, sentences: [text], noise: 'contradicting' },
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
