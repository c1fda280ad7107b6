import { describe, expect, it } from 'vitest';
import { isHeldOut } from '../../src/world/questions/compositions.ts';
import { generateWorld } from '../../src/world/world.ts';
import type { Question } from '../../src/records/records.ts';
import { readAliases, readPassage } from './reader.ts';
import { Solver } from './solver.ts';

const world = generateWorld({ seed: 31 });
const { train, dev, test } = world.questions;
const everything = [...train, ...dev, ...test];
const all = [...world.local, ...world.web];
const passages = new Map(all.map((p) => [p.id, p]));
const solver = new Solver(world.entities, all);
const of = (qs: readonly Question[], type: string) => qs.filter((q) => q.type === type);

describe('answers', () => {
  const asked = everything.filter((q) => q.type !== 'computation' && q.type !== 'unanswerable');

  it('are what an independent solver reads in the passages', () => {
    const wrong = asked.filter((q) => !q.answers.includes(solver.solve(q) ?? ''));
    expect(wrong.map((q) => [q.text, q.answers, solver.solve(q)])).toEqual([]);
    expect(asked.length).toBeGreaterThan(3000);
  });

  it('stand in no passage where the right answer is that there is none', () => {
    const none = of(everything, 'unanswerable');
    expect(none.length).toBeGreaterThan(100);
    for (const q of none) {
      expect(q).toMatchObject({ needs: 'refusal', answers: expect.arrayContaining(['unknown']) });
      expect([q.text, solver.solve(q)]).toEqual([q.text, null]);
    }
    // The solver that finds nothing here finds what leads up to it.
    for (const q of none.filter((q) => q.hops === 2))
      expect(passages.get(q.chain?.[0]?.passageId ?? '')?.text).toContain(
        q.missing?.query.replace(/^.* of /, ''),
      );
  });

  it('of questions that need no retrieval follow from their words', () => {
    const own = of(everything, 'computation');
    expect(own.length).toBeGreaterThan(50);
    for (const { text, answers, needs, chain, hops } of own) {
      expect({ needs, chain, hops }).toEqual({ needs: 'nothing', chain: [], hops: undefined });
      const [a = 0, b = 0] = (text.match(/\d+/g) ?? []).map(Number);
      const result = /sequel|together|plus/.test(text)
        ? a + b
        : /between/.test(text)
          ? b - a
          : /earlier/.test(text)
            ? Math.min(a, b)
            : Math.max(a, b);
      expect([text, answers[0]]).toEqual([text, String(result)]);
    }
  });

  it('of multiple choice are one of four options, all of which the question shows', () => {
    const choices = of(everything, 'choice');
    expect(choices.length).toBeGreaterThan(100);
    for (const { text, options = [], answers } of choices) {
      expect(new Set(options).size).toBe(4);
      expect(options.filter((option) => answers.includes(option))).toEqual([answers[0]]);
      expect(text.endsWith(options.map((o, i) => `${'ABCD'[i]}) ${o}`).join(' '))).toBe(true);
    }
  });

  it('of yes and no are even in every split', () => {
    for (const split of [train, dev, test]) {
      const asked = of(split, 'yesno');
      const yes = asked.filter((q) => q.answers[0] === 'yes').length;
      expect(Math.abs(2 * yes - asked.length)).toBeLessThanOrEqual(1);
    }
  });

  it('of long form come with three to six statements, each of which a passage of the chain states', () => {
    for (const { summary = [], chain = [] } of of(everything, 'summary')) {
      expect(summary.length).toBeGreaterThanOrEqual(3);
      expect(summary.length).toBeLessThanOrEqual(6);
      const steps = chain.slice(-summary.length);
      summary.forEach((statement, i) => {
        expect(statement).toContain(steps[i]?.subject);
        expect(statement).toContain(steps[i]?.object);
      });
    }
  });

  it('of underspecified questions differ between those who could be meant', () => {
    const asked = of(everything, 'underspecified');
    expect(asked.length).toBeGreaterThan(50);
    for (const { clarification, chain = [], composition = '' } of asked) {
      const [first] = chain;
      const name = clarification?.reply.replace(/ \(.*/, '') ?? '';
      const relation = /^ask\(([^>)]+)/.exec(composition)?.[1] ?? '';
      const kind = relation.split('.')[0];
      const could = solver.names.bearers(name).filter((e) => e.kind === kind && e.name === name);
      expect(could).toHaveLength(2);
      expect(new Set(could.map((e) => solver.object(relation, e))).size).toBe(2);
      expect(first?.subject).toBe(clarification?.reply);
    }
  });
});

describe('gold chains', () => {
  it('name every passage that states the step, and only such', () => {
    for (const q of everything)
      for (const step of q.chain ?? []) {
        expect(step.passageIds).toContain(step.passageId);
        for (const id of step.passageIds ?? []) {
          const passage = passages.get(id);
          expect(passage?.title).toBe(step.title);
          expect(passage?.noise).toBeUndefined();
          for (const item of step.object.split(', ')) expect(passage?.text).toContain(item);
        }
        const places = (step.passageIds ?? []).map((id) => id.split('-')[0]);
        expect(step.source).toBe(places.length === 2 ? 'both' : places[0]);
      }
  });

  it('name wrong values where passages state them, older ones with their date', () => {
    const rivals = everything
      .flatMap((q) => q.chain ?? [])
      .flatMap((s) => s.rivals?.map((r) => ({ r, s })) ?? []);
    expect(new Set(rivals.map(({ r }) => r.why))).toEqual(
      new Set(['stale', 'contradicting', 'namesake']),
    );
    for (const { r, s } of rivals) {
      const passage = passages.get(r.passageId);
      for (const item of r.object.split(', ')) expect(passage?.text).toContain(item);
      expect(passage?.noise).toBe(r.why === 'namesake' ? undefined : r.why);
      if (r.why !== 'stale') continue;
      expect(passage?.text).toContain(`As of ${r.date}, `);
      expect(passages.get(s.passageId)?.text).toContain(`As of ${s.date}, `);
      expect(r.date).toBeLessThan(s.date ?? 0);
      expect(r.object).not.toBe(s.object);
    }
  });

  it('ask by the name that is known so far, and again by words that some passage gives', () => {
    const aliases = readAliases(all);
    let renamed = 0;
    for (const q of everything.filter((q) => q.type === 'bridge'))
      q.chain?.forEach((step, i) => {
        const known = i === 0 ? q.text : (q.chain?.[i - 1]?.object ?? '');
        const name = step.query.replace(/^.*? of (?=[A-Z])/, '');
        expect(known).toContain(name);
        const bare = step.subject.replace(/ \(.*/, '');
        if (step.query.includes(bare)) return;
        renamed++;
        expect(aliases.get(name)?.replace(/ \(.*/, '')).toBe(bare);
        expect(step.betterQuery).toContain(bare);
      });
    expect(renamed).toBeGreaterThan(100);
  });
});

describe('splits', () => {
  /** What a question's chain rests on: lists as the facts that they invert. */
  const inverse: Record<string, string> = {
    'person.filmsDirected': 'film.director',
    'person.filmsStarring': 'film.star',
    'person.books': 'book.author',
    'award.winners': 'person.award',
    'university.alumni': 'person.university',
  };
  const factsOf = (q: Question): string[] => [
    ...(q.missing ? [`${q.missing.relation} of ${q.missing.subject}`] : []),
    ...(q.chain ?? []).flatMap(({ subject, relation, object }) => {
      const inverted = inverse[relation];
      if (inverted !== undefined) return object.split(', ').map((item) => `${inverted} of ${item}`);
      return [
        `${relation} of ${subject}`,
        // A marriage is one fact with two pages.
        ...(relation === 'person.spouse' ? [`${relation} of ${object}`] : []),
      ];
    }),
  ];
  const used = (qs: readonly Question[]) => new Set(qs.flatMap(factsOf));

  it('share no fact', () => {
    const [a, b, c] = [used(train), used(dev), used(test)];
    expect(c.size).toBeGreaterThan(800);
    expect([...c].filter((fact) => a.has(fact) || b.has(fact))).toEqual([]);
    expect([...b].filter((fact) => a.has(fact))).toEqual([]);
  });

  it('share no entity from which a question starts', () => {
    const anchors = (qs: readonly Question[]) =>
      new Set(
        qs
          .filter((q) => ['bridge', 'comparison', 'arithmetic'].includes(q.type ?? ''))
          .map((q) => `${q.chain?.[0]?.relation.split('.')[0]} ${q.chain?.[0]?.subject}`),
      );
    const [a, b, c] = [anchors(train), anchors(dev), anchors(test)];
    expect([...c].filter((name) => a.has(name) || b.has(name))).toEqual([]);
    expect([...b].filter((name) => a.has(name))).toEqual([]);
  });

  it('hold out compositions for the test split alone', () => {
    for (const q of [...train, ...dev]) expect(isHeldOut(q.composition ?? '')).toBe(false);
    const heldOut = test.filter((q) => isHeldOut(q.composition ?? ''));
    expect(heldOut.length / test.length).toBeGreaterThan(0.15);
    const seen = new Set([...train, ...dev].map((q) => q.composition));
    for (const q of heldOut) expect(seen.has(q.composition)).toBe(false);
  });

  it('hold every form', () => {
    const forms = (qs: readonly Question[]) => new Set(qs.map((q) => `${q.type} ${q.hops ?? 0}`));
    const wanted = [
      ...[1, 2, 3, 4, 5].map((n) => `bridge ${n}`),
      'comparison 2',
      'comparison 4',
      'intersection 2',
      'intersection 3',
      'counting 1',
      'arithmetic 2',
      'arithmetic 3',
      'yesno 1',
      'yesno 2',
      'choice 1',
      'choice 2',
      'computation 0',
      'unanswerable 1',
      'unanswerable 2',
      'underspecified 1',
      'underspecified 2',
    ];
    for (const split of [train, dev, test])
      expect([...forms(split)]).toEqual(expect.arrayContaining(wanted));
    for (const split of [train, dev, test]) {
      expect(of(split, 'summary').length).toBeGreaterThan(0);
      expect(split.filter((q) => q.needs === 'background').length).toBeGreaterThan(0);
      expect(of(split, 'counting').some((q) => (q.hops ?? 0) > 1)).toBe(true);
    }
    expect(test.length).toBeGreaterThan(550);
    expect(new Set(everything.map((q) => q.text)).size).toBeGreaterThan(everything.length * 0.99);
  });
});

describe('passages', () => {
  it('can all be read back', () => {
    // What only tells a name states no fact; everything else does.
    for (const p of world.web
      .slice(0, 500)
      .filter(
        (p) =>
          !p.noise && !/^(Films|Books|Winners|Alumni) (directed|starring|by|of) /.test(p.title),
      ))
      expect(() => readPassage(p, solver.names)).not.toThrow();
  });
});
