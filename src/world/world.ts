import type { Question } from '../records/records.ts';
import { KeyedRandom } from '../base/random.ts';
import type { WorldSize } from './facts/names.ts';
import type { Entity } from './facts/entities.ts';
import type { Fact } from './facts/facts.ts';
import type { WebKind } from './pages/corpora.ts';
import { makeEncyclopedia, type Encyclopedia } from './pages/encyclopedia.ts';
import { FORM_NAMES, FORMS, type FormName } from './questions/forms.ts';
import type { Drawn, Scope } from './questions/scope.ts';

type Split = 'train' | 'dev' | 'test';

/** A fictional encyclopedia, its two corpora and its questions: docs/methods.md, section 7. */
export interface GeneratedWorld extends Encyclopedia {
  seed: number;
  webKind: WebKind;
  questions: Readonly<Record<Split, Question[]>>;
}

/** Seed of the world that ships with the page. */
export const SHIPPED_SEED = 20250619;

const FULL_SIZE: WorldSize = {
  person: 1100,
  film: 590,
  book: 440,
  city: 300,
  country: 80,
  company: 300,
  river: 120,
  award: 170,
  university: 170,
  band: 200,
};
const MINI_SIZE: WorldSize = {
  person: 40,
  film: 20,
  book: 14,
  city: 12,
  country: 5,
  company: 10,
  river: 5,
  award: 6,
  university: 6,
  band: 6,
};
const COUNTS: Readonly<Record<Split, number>> = { train: 2400, dev: 400, test: 600 };
/** Share of the test questions of a form with held-out compositions that are of one. */
const HELD_OUT = 0.45;
/** Draws of one form before another form is drawn. */
const TRIES = 400;

/** A small world for training; cheap enough to make one for a handful of examples. */
export const generateMiniWorld = (seed: number): Encyclopedia => makeEncyclopedia(seed, MINI_SIZE);

/** What may be asked of a whole encyclopedia, without splits and without held-out compositions. */
export const openScope = (world: Encyclopedia, rng: KeyedRandom): Scope => ({
  world,
  filter: 'seen',
  mayAnchor: () => true,
  mayUse: () => true,
  wanted: rng.chance(0.5) ? 'yes' : 'no',
});

/** A question of some form; undefined where the encyclopedia is too small for one. */
export const drawQuestion = (rng: KeyedRandom, scope: Scope, form: FormName): Drawn | undefined => {
  for (let tries = 0; tries < TRIES; tries++) {
    const found = FORMS[form].draw(rng, scope);
    if (found) return found;
  }
  return undefined;
};

/**
 * A whole world from one number. Same seed, size and kind of web, same world. The kind changes the web corpus, and no
 * question, answer or local passage.
 */
export const generateWorld = (options: {
  seed: number;
  size?: WorldSize;
  web?: WebKind;
}): GeneratedWorld => {
  const { seed, size = FULL_SIZE, web: webKind = 'apart' } = options;
  const world = makeEncyclopedia(seed, size, webKind);
  const rng = new KeyedRandom(seed, 2, 6);
  const anchors = new Map<Entity, Split>(
    world.entities.map((e) => [e, rng.weighted({ train: 0.5, dev: 0.2, test: 0.3 })]),
  );
  const scale = Math.min(1, world.entities.length / 3200);
  const owners = new Map<string, Split>();
  const draw = (split: Split, stream: number): Question[] =>
    drawQuestions(new KeyedRandom(seed, 2, 7, stream), world, {
      split,
      count: Math.ceil(COUNTS[split] * scale),
      anchors,
      owners,
    });
  // Each split may use what no split before it has used: the small ones choose first.
  const test = draw('test', 2);
  const dev = draw('dev', 1);
  return { ...world, seed, webKind, questions: { train: draw('train', 0), dev, test } };
};

interface Draws {
  split: Split;
  count: number;
  anchors: ReadonlyMap<Entity, Split>;
  /** The split whose chains use a fact; grows. */
  owners: Map<string, Split>;
}

/** What a fact says; of two who are married, both pages say the same. */
const factKey = ({ subject, relation, object }: Fact): string =>
  relation === 'person.spouse'
    ? [relation, ...[subject.id, object.target?.id ?? ''].toSorted()].join(' ')
    : `${relation} ${subject.id}`;

const drawQuestions = (
  rng: KeyedRandom,
  world: Encyclopedia,
  { split, count, anchors, owners }: Draws,
): Question[] => {
  const scope: Scope = {
    world,
    filter: 'seen',
    mayAnchor: (e) => anchors.get(e) === split,
    mayUse: (fact) => (owners.get(factKey(fact)) ?? split) === split,
    wanted: 'yes',
  };
  const out: Question[] = [];
  const texts = new Set<string>();
  const total = FORM_NAMES.reduce((sum, name) => sum + FORMS[name].share, 0);
  for (const name of FORM_NAMES) {
    const { share, heldOut } = FORMS[name];
    const target = Math.max(1, Math.round((count * share) / total));
    let found = 0;
    for (let draws = 0; found < target && draws < target * 4; draws++) {
      const filter = split === 'test' && heldOut && rng.chance(HELD_OUT) ? 'held-out' : 'seen';
      const one = drawQuestion(rng, { ...scope, filter }, name);
      if (!one || texts.has(one.question.text)) continue;
      texts.add(one.question.text);
      for (const fact of one.uses) owners.set(factKey(fact), split);
      // Yes and no take turns, so that neither is the better guess.
      if (one.question.type === 'yesno') scope.wanted = scope.wanted === 'yes' ? 'no' : 'yes';
      found++;
      out.push({ id: '', ...one.question });
    }
  }
  return rng.shuffle(out).map((q, i) => ({ ...q, id: `${split}-${i}` }));
};
