import type { Passage } from '../../records/records.ts';
import { HEADS } from '../facts/inventory.ts';
import type { KeyedRandom } from '../../base/random.ts';
import type { MiniSearch } from './mini-search.ts';
import type { Kind } from '../schema/kinds.ts';

/** Longest first, so that a head is not cut short by another one that opens it. */
const BY_LENGTH = [...HEADS].sort((a, b) => b.length - a.length);
const headOf = (word: string): string => BY_LENGTH.find((head) => word.startsWith(head)) ?? '';

/** `word` with its first or its last part taken from `other`; all of `other` where one is no invented word. */
function blendWords(rng: KeyedRandom, word: string, other: string): string {
  const [head, otherHead] = [headOf(word), headOf(other)];
  if (head === '' || otherHead === '') return other;
  return rng.chance(0.5)
    ? head + other.slice(otherHead.length)
    : otherHead + word.slice(head.length);
}

/** `name` with a word, or a part of its one invented word, taken from `other` of the same kind. */
function blendNames(rng: KeyedRandom, name: string, other: string): string {
  const [first = '', ...rest] = name.split(' ');
  const [otherFirst = '', ...otherRest] = other.split(' ');
  const [tail, otherTail] = [rest.join(' '), otherRest.join(' ')];
  if (tail === otherTail) return [blendWords(rng, first, otherFirst), tail].join(' ').trim();
  if (tail !== '' && rng.chance(0.3)) return `${first} ${blendWords(rng, tail, otherTail)}`;
  return rng.chance(0.5) ? `${first} ${otherTail}`.trim() : `${otherFirst} ${tail}`.trim();
}

/** What is needed of a world, of either form. */
interface Peopled {
  readonly entities: readonly { readonly name: string; readonly kind: Kind }[];
  readonly knowledge: { kind(kind: Kind): readonly { readonly name: string }[] };
}

/**
 * A full world holds many pages of the same sort whose names share a part with the right one, and
 * retrieval finds just those. A mini world has few, so some are made: another entity's page under a
 * name blended from the two.
 */
export class Lookalikes {
  readonly #world: Peopled;
  readonly #index: MiniSearch;
  readonly #names: ReadonlySet<string>;

  constructor(world: Peopled, index: MiniSearch) {
    this.#world = world;
    this.#index = index;
    this.#names = new Set(world.entities.map((entity) => entity.name));
  }

  /** A page like the one titled `title` about `subject`; undefined where the world has no model for it. */
  passage(rng: KeyedRandom, title: string, subject: string): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity || !title.includes(subject)) return undefined;
    const other = rng.pick(this.#world.knowledge.kind(entity.kind)).name;
    const name = blendNames(rng, subject, other);
    const model = rng.maybe(this.#index.clean(title.replace(subject, other)));
    if (!model || this.#names.has(name)) return undefined;
    const rename = (text: string): string => text.replaceAll(other, name);
    return {
      id: `${model.id}~`,
      title: rename(model.title),
      text: rename(model.text),
      sentences: model.sentences.map(rename),
      noise: 'distractor',
    };
  }

  /** The page of someone else that states the same; undefined where the world has none. */
  another(rng: KeyedRandom, title: string, subject: string): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity || !title.includes(subject)) return undefined;
    const other = rng.pick(this.#world.knowledge.kind(entity.kind)).name;
    if (other === subject) return undefined;
    return rng.maybe(this.#index.clean(title.replace(subject, other)));
  }

  /** A page of another entity's other name, which is like the subject's; undefined where the world has none. */
  alias(rng: KeyedRandom, subject: string, sentences: readonly string[]): Passage | undefined {
    const entity = this.#world.entities.find((e) => e.name === subject);
    if (!entity) return undefined;
    const [other, meant] = rng.sample(this.#world.knowledge.kind(entity.kind), 2);
    if (!other || !meant || meant.name === subject) return undefined;
    const name = blendNames(rng, subject, other.name);
    // A page of that title would tell of someone who is there, under this or another name.
    if (this.#names.has(name) || this.#index.clean(name).length > 0) return undefined;
    const text = rng.pick(sentences).replace('{a}', name).replace('{x}', meant.name);
    return { id: `alias~${name}`, title: name, text, sentences: [text], noise: 'distractor' };
  }
}
