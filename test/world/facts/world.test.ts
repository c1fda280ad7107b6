import { describe, expect, it } from 'vitest';
import { generateMiniWorld, generateWorld, SHIPPED_SEED } from '../../../src/world/world.ts';
import { makePages } from '../../../src/world/facts/passages.ts';
import { LIST_RELATIONS } from '../../../src/world/facts/joint-relations.ts';
import { RELATIONS } from '../../../src/world/facts/relations.ts';
import { KINDS } from '../../../src/world/facts/kinds.ts';
import { groupBy } from '../../../src/base/items.ts';
import { KeyedRandom } from '../../../src/base/random.ts';

// Processor time: what else the machine does must not fail a test.
const seconds = (since = 0): number => process.cpuUsage().user / 1e6 - since;
const started = seconds();
const world = generateWorld({ seed: SHIPPED_SEED });
const elapsed = seconds(started);
const all = [...world.local, ...world.web];

const draw = (...key: number[]) => {
  const rng = new KeyedRandom(...key);
  return Array.from({ length: 8 }, () => rng.bits());
};
const year = (name: string, relation: string) =>
  Number(world.facts.find((f) => f.subject.name === name && f.relation === relation)?.object);

describe('random numbers', () => {
  it('repeat for the same key and differ for another', () => {
    expect(draw(1, 2)).toEqual(draw(1, 2));
    expect(draw(1, 2)).not.toEqual(draw(2, 1));
    expect(draw(0)).not.toEqual(draw(0, 0));
  });

  it('are uniform within three standard errors', () => {
    const rng = new KeyedRandom(7);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 100_000; i++) counts[rng.below(10)]! += 1;
    for (const c of counts) expect(Math.abs(c - 10_000)).toBeLessThan(3 * Math.sqrt(9000));
  });

  it('pick by weight, never a weight of zero', () => {
    const rng = new KeyedRandom(3);
    const counts = { a: 0, b: 0, c: 0 };
    for (let i = 0; i < 4000; i++) counts[rng.weighted({ a: 3, b: 1, c: 0 })]++;
    expect(counts.c).toBe(0);
    expect(counts.a / counts.b).toBeCloseTo(3, 0);
  });
});

describe('a world', () => {
  it('has the promised kinds, relations and sizes, in little time', () => {
    expect(KINDS.length).toBeGreaterThanOrEqual(8);
    expect(RELATIONS.length).toBeGreaterThanOrEqual(20);
    for (const r of RELATIONS) {
      expect(r.asks.length).toBeGreaterThanOrEqual(3);
      expect(r.predicates.length).toBeGreaterThanOrEqual(3);
    }
    expect(world.local.length).toBeGreaterThanOrEqual(3000);
    expect(world.web.length).toBeGreaterThanOrEqual(8000);
    expect(elapsed).toBeLessThan(3);
  });

  it('depends on its seed and on nothing else', () => {
    expect(generateWorld({ seed: SHIPPED_SEED })).toEqual(world);
    const other = generateWorld({ seed: SHIPPED_SEED + 1 });
    expect(other.entities[0]?.name).not.toBe(world.entities[0]?.name);
    expect(other.questions.test.length).toBe(world.questions.test.length);
  });

  it('names every entity and every passage once', () => {
    expect(new Set(world.entities.map((e) => e.name)).size).toBe(world.entities.length);
    expect(new Set(all.map((p) => p.id)).size).toBe(all.length);
  });

  it('has near-duplicate names: most people share their surname with somebody', () => {
    const people = world.entities.filter((e) => e.kind === 'person').map((e) => e.name.split(' '));
    const surnames = new Map<string, number>();
    for (const [, s = ''] of people) surnames.set(s, (surnames.get(s) ?? 0) + 1);
    expect(people.filter(([, s = '']) => surnames.get(s)! > 1).length).toBeGreaterThan(
      people.length / 3,
    );
  });

  it('keeps to one object for a subject and a relation', () => {
    const keys = world.facts.map((f) => `${f.subject.id} ${f.relation}`);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('writes passages of one to four sentences that join to the text', () => {
    for (const p of all) {
      expect(p.sentences.join(' ')).toBe(p.text);
      expect(p.sentences.length).toBeGreaterThanOrEqual(1);
      expect(p.sentences.length).toBeLessThanOrEqual(4);
      expect(p.text).toMatch(/^[A-Z][^{}]*\.$/);
    }
  });

  it('keeps the local corpus clean and covers about half of the entities', () => {
    expect(world.local.every((p) => p.noise === undefined)).toBe(true);
    const share = world.entities.filter((e) => e.local).length / world.entities.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
  });

  it('holds every page in one corpus at least, and about half of the local ones again on the web', () => {
    const titles = new Set(all.filter((p) => !p.noise).map((p) => p.title));
    const pages = makePages(world.entities, world.facts);
    for (const page of pages) expect(titles.has(page.title)).toBe(true);
    const web = new Map(world.web.map((p) => [p.title, p.text]));
    const again = world.local.filter((p) => web.has(p.title));
    expect(again.length / world.local.length).toBeCloseTo(0.5, 1);
    const reworded = again.filter((p) => web.get(p.title) !== p.text);
    expect(reworded.length / again.length).toBeGreaterThan(0.7);
  });

  it('states in each clean passage what the facts of its page say', () => {
    const clean = groupBy(all, (p) => p.title);
    for (const page of makePages(world.entities, world.facts))
      for (const p of clean.get(page.title) ?? [])
        for (const f of page.facts) expect(p.text).toContain(page.list ? f.subject.name : f.object);
  });

  it('marks noise, and gives it a cue that a reader can see', () => {
    const noise = world.web.filter((p) => p.noise);
    expect(noise.length / world.web.length).toBeGreaterThan(0.15);
    expect(noise.length / world.web.length).toBeLessThan(0.2);
    const cue = /outdated|since corrected|no longer kept up|unverified|without a source|disputed/;
    for (const p of all)
      expect(cue.test(p.text)).toBe(p.noise === 'stale' || p.noise === 'contradicting');
    const titles = new Set(all.filter((p) => !p.noise).map((p) => p.title));
    for (const p of noise) expect(titles.has(p.title)).toBe(false);
  });

  it('leaves room for people to be born before they make things', () => {
    for (const f of world.facts.filter((f) => f.relation === 'film.director').slice(0, 50))
      expect(year(f.object, 'person.birthYear')).toBeLessThan(
        year(f.subject.name, 'film.releaseYear'),
      );
  });
});

describe('a mini world', () => {
  it('is small, cheap and has every kind and every list', () => {
    const t = seconds();
    for (let i = 0; i < 50; i++) generateMiniWorld(i);
    expect(seconds(t) / 50).toBeLessThan(0.02);
    const mini = generateMiniWorld(5);
    expect(mini.entities.length).toBeLessThanOrEqual(150);
    expect(new Set(mini.entities.map((e) => e.kind)).size).toBe(KINDS.length);
    const lists = new Set(mini.pages.flatMap((p) => (p.list ? [p.list.id] : [])));
    expect(lists.size).toBe(LIST_RELATIONS.length);
  });
});
