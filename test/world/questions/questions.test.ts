import { describe, expect, it } from 'vitest';
import type { Question } from '../../../src/records/records.ts';
import { isHeldOut, PATHS } from '../../../src/world/questions/compositions.ts';
import { listRelation } from '../../../src/world/facts/schema.ts';
import { generateWorld, SHIPPED_SEED } from '../../../src/world/world.ts';
import { Solver } from '../facts/solver.ts';

const world = generateWorld({ seed: SHIPPED_SEED });
const solver = new Solver(world);
const { train, dev, test } = world.questions;
const everything = [...train, ...dev, ...test];
const passages = new Map([...world.local, ...world.web].map((p) => [p.id, p]));
const localTitles = new Set(world.local.map((p) => p.title));

const share = (qs: readonly Question[], want: (q: Question) => boolean) =>
  qs.filter(want).length / qs.length;

const anchors = (qs: readonly Question[]) => new Set(qs.flatMap((q) => solver.mentioned(q.text)));

describe('questions', () => {
  it('are as many as promised, of every kind, in the promised mix of hops', () => {
    expect(test.length).toBeGreaterThanOrEqual(300);
    expect(dev.length).toBeGreaterThanOrEqual(300);
    expect(train.length).toBeGreaterThanOrEqual(2000);
    for (const [hops, part] of [
      [1, 0.3],
      [2, 0.35],
      [3, 0.2],
      [4, 0.15],
    ] as const)
      expect(share(test, (q) => q.hops === hops)).toBeCloseTo(part, 1);
    for (const type of ['bridge', 'comparison', 'intersection', 'yesno', 'summary'] as const)
      expect(test.some((q) => q.type === type)).toBe(true);
    expect(share(everything, (q) => q.type === 'summary')).toBeGreaterThan(0.02);
    expect(new Set(everything.map((q) => q.id)).size).toBe(everything.length);
    expect(new Set(everything.map((q) => q.text)).size).toBe(everything.length);
  });

  it('have exactly one answer, which an independent solver finds from the facts', () => {
    for (const q of everything) expect([q.text, solver.solve(q)]).toEqual([q.text, q.answers]);
  });

  it('have gold chains whose passages state the object', () => {
    for (const q of everything)
      for (const step of q.chain ?? []) {
        const passage = passages.get(step.passageId);
        expect(passage?.title).toBe(step.title);
        expect(passage?.noise).toBeUndefined();
        for (const item of step.object.split(', ')) expect(passage?.text).toContain(item);
        expect(step.query).toContain(step.subject);
      }
  });

  it('link the chain: each bridge step starts where the one before ended', () => {
    for (const q of everything.filter((q) => q.type === 'bridge')) {
      const chain = q.chain ?? [];
      expect(chain.length).toBe(q.hops);
      for (let i = 1; i < chain.length; i++) expect(chain[i]?.subject).toBe(chain[i - 1]?.object);
      expect(chain.at(-1)?.object).toBe(q.answers[0]);
    }
  });

  it('say whether the local corpus suffices', () => {
    for (const q of everything)
      expect(q.localSuffices).toBe(q.supporting.every((t) => localTitles.has(t)));
    expect(share(test, (q) => q.localSuffices === true)).toBeGreaterThan(0.15);
    expect(share(test, (q) => q.localSuffices === true)).toBeLessThan(0.6);
  });

  it('are answered yes about as often as no', () => {
    const asked = everything.filter((q) => q.type === 'yesno');
    expect(share(asked, (q) => q.answers[0] === 'yes')).toBeGreaterThan(0.3);
    expect(share(asked, (q) => q.answers[0] === 'yes')).toBeLessThan(0.7);
  });

  it('start from entities of their own split', () => {
    const [a, b, c] = [anchors(train), anchors(dev), anchors(test)];
    for (const name of a) expect(b.has(name) || c.has(name)).toBe(false);
    for (const name of b) expect(c.has(name)).toBe(false);
  });

  it('hold compositions in the test split that training lacks, but no single relation', () => {
    const seen = new Set([...train, ...dev].map((q) => q.composition));
    const heldOut = test.filter((q) => isHeldOut(q.composition ?? ''));
    expect(heldOut.length / test.length).toBeGreaterThan(0.15);
    for (const q of heldOut) expect(seen.has(q.composition)).toBe(false);
    for (const q of [...train, ...dev]) expect(isHeldOut(q.composition ?? '')).toBe(false);
    for (const [r] of PATHS[1] ?? []) expect(isHeldOut(r?.id ?? '')).toBe(false);
    const relations = new Set(train.flatMap((q) => q.chain ?? []).map((s) => s.relation));
    for (const q of test)
      for (const s of q.chain ?? [])
        if (!listRelation(s.relation)) expect(relations.has(s.relation)).toBe(true);
  });

  it('read as sentences without a slot left open', () => {
    for (const q of everything) expect(q.text).toMatch(/^[A-Z][^{}]*[.?]$/);
  });

  it('hold on a world of another seed', () => {
    const other = generateWorld({ seed: 4711 });
    const check = new Solver(other);
    for (const q of other.questions.test) expect(check.solve(q)).toEqual(q.answers);
  });
});
