import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Coverage } from '../../scripts/mutate/coverage.ts';
import { instrument, regionAt } from '../../scripts/mutate/instrument.ts';
import { describe as inWords, mutantsOf, withMutant } from '../../scripts/mutate/mutants.ts';
import { interval, report, type Verdict } from '../../scripts/mutate/report.ts';

const mutated = (source: string): string[] =>
  mutantsOf('src/a.ts', source).map((mutant) => withMutant(source, mutant));

describe('the faults that a file could have', () => {
  it('are other operators, bounds, constants and conditions', () => {
    expect(mutated('const f = (a: number) => a < 2 ? a : 0;')).toEqual([
      'const f = (a: number) => true ? a : 0;',
      'const f = (a: number) => false ? a : 0;',
      'const f = (a: number) => a <= 2 ? a : 0;',
      'const f = (a: number) => a >= 2 ? a : 0;',
      'const f = (a: number) => a < 3 ? a : 0;',
      'const f = (a: number) => a < 1 ? a : 0;',
      'const f = (a: number) => a < 2 ? a : 1;',
      'const f = (a: number) => a < 2 ? a : (-1);',
    ]);
  });

  it('are statements and early exits left out, never the result itself', () => {
    const source = 'function f(a) { if (!a) return; g(); return a; }';
    expect(mutated(source)).toEqual([
      'function f(a) { if (true) return; g(); return a; }',
      'function f(a) { if (false) return; g(); return a; }',
      'function f(a) { if (a) return; g(); return a; }',
      'function f(a) { if (!a) ; g(); return a; }',
      'function f(a) { if (!a) return; ; return a; }',
    ]);
  });

  it('are steps of a chain left out and methods taken for others', () => {
    expect(mutated('x.filter(f).some(g);')).toEqual([';', 'x.filter(f).every(g);', 'x.some(g);']);
    expect(mutated('const y = a?.b ?? c;')).toEqual([
      'const y = ((a?.b) && (c));',
      'const y = a.b ?? c;',
    ]);
  });

  it('leave types, imports and texts for people alone', () => {
    for (const source of [
      "import { a } from 'b';",
      'type A = 1 | 2;',
      'interface A { b: 3 }',
      'const a = b as 4;',
      "const a = 'two words';",
      'const a = `text ${b}`;',
    ])
      expect(mutated(source)).toEqual([]);
    expect(mutated("throw new Error('a' + 1);")).toEqual([]);
    // What would be missing, in the words of the error that says so.
    expect(mutated("itemAt(a, b, 'rows'); lastOf(a, 'rows'); present(a, 'row');")).toEqual([
      "; lastOf(a, 'rows'); present(a, 'row');",
      "itemAt(a, b, 'rows'); ; present(a, 'row');",
      "itemAt(a, b, 'rows'); lastOf(a, 'rows'); ;",
    ]);
    expect(mutated("const c = itemAt(a, 1, 'rows');")).toEqual([
      "const c = itemAt(a, 2, 'rows');",
      "const c = itemAt(a, 0, 'rows');",
    ]);
    expect(mutated('if (a) throw new Error(`b ${c + 1}`);')).toHaveLength(3);
  });

  it('are described by text that survives moved lines', () => {
    const source = 'a;\nconst b = c + 1;';
    const mutant = mutantsOf('src/a.ts', source).find(({ kind }) => kind === 'arithmetic')!;
    expect(mutant.line).toBe(2);
    expect(inWords(mutant, source)).toBe('`+` → `-` in `const b = c + 1;`');
  });
});

describe('code that says what ran', () => {
  const run = (source: string): number[] => {
    const { code } = instrument('src/a.js', source, true);
    const ran: Record<string, Uint8Array> = {};
    // oxlint-disable-next-line no-implied-eval -- instrumented code is there to be run
    new Function('globalThis', code)({ __ran: ran });
    return [...ran['src/a.js']!];
  };

  it('notes each branch, function and case that was entered', () => {
    // The file, f, its if, the else; g is never called.
    const source = 'const f = (a) => { if (a) { 1; } else { 2; } }; const g = () => 3; f(true);';
    expect(run(source)).toEqual([1, 1, 1, 0, 0]);
    expect(run('switch (2) { case 1: 1; break; case 2: 2; }')).toEqual([1, 0, 1]);
  });

  it('does what it did before', () => {
    const source =
      'const h = (n) => ({ n }); const k = (a) => (b) => a + b; let t = 0; for (const i of [1, 2]) t += i; ' +
      'for (;;) { if (t > 4) break; else t++; } return [h(1).n, k(1)(2), t];';
    for (const counts of [true, false]) {
      const { code } = instrument(
        'src/a.js',
        `const f = () => { ${source} }; out.v = f();`,
        counts,
      );
      const out: { v?: number[] } = {};
      let turns = 0;
      // oxlint-disable-next-line no-implied-eval -- instrumented code is there to be run
      new Function('globalThis', 'out', code)({ __turn: () => turns++ }, out);
      expect(out.v).toEqual([1, 3, 5]);
      // Two of the first loop, three of the second.
      expect(turns).toBe(5);
    }
  });

  it('knows the smallest region around a place', () => {
    const source = 'f(); const g = () => { h(); };';
    const { regions } = instrument('src/a.js', source, true);
    expect(regionAt(regions, source.indexOf('f()'))).toBe(0);
    expect(regionAt(regions, source.indexOf('h()'))).toBe(1);
  });
});

describe('the tests that a mutant is given', () => {
  const FILE = 'src/learn/a.ts';
  const source = 'f(); const g = () => { h(); };';

  /** Those of test files that take this many seconds, `elsewhere` without running the place. */
  function given(
    seconds: Record<string, number>,
    budget: number,
    elsewhere: string[] = [],
  ): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'mutate-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const coverage = new Coverage(join(folder, 'kept', 'coverage.json'));
    coverage.add(
      Object.entries(seconds).map(([test, s]) => ({
        test,
        ms: 1000 * s,
        ran: { [FILE]: elsewhere.includes(test) ? [0] : [0, 1] },
      })),
    );
    const mutant = { file: FILE, kind: 'statement', start: source.indexOf('h()'), line: 1 };
    const kept = new Coverage(join(folder, 'kept', 'coverage.json'));
    return kept.testsFor(
      { ...mutant, end: mutant.start + 3, text: '' },
      source,
      Object.keys(seconds),
      1000 * budget,
    );
  }

  it('run its place: the nearest first, of these the quickest', () => {
    const seconds = {
      'test/agent/a.test.ts': 1,
      'test/learn/b.test.ts': 3,
      'test/learn/c.test.ts': 2,
      'test/learn/d.test.ts': 1,
    };
    expect(given(seconds, 60, ['test/learn/d.test.ts'])).toEqual([
      'test/learn/c.test.ts',
      'test/learn/b.test.ts',
      'test/agent/a.test.ts',
    ]);
  });

  it('fill the time: one too long for what is left of it leaves the room to quicker ones', () => {
    const seconds = {
      'test/learn/b.test.ts': 5,
      'test/learn/c.test.ts': 30,
      'test/agent/d.test.ts': 4,
      'test/agent/e.test.ts': 1,
    };
    expect(given(seconds, 10)).toEqual([
      'test/learn/b.test.ts',
      'test/agent/e.test.ts',
      'test/agent/d.test.ts',
    ]);
    expect(given(seconds, 9)).toEqual(['test/learn/b.test.ts', 'test/agent/e.test.ts']);
  });

  it('are one at least, however long it takes', () => {
    expect(given({ 'test/learn/b.test.ts': 5, 'test/learn/c.test.ts': 6 }, 1)).toEqual([
      'test/learn/b.test.ts',
    ]);
  });
});

describe('the report', () => {
  it("gives Wilson's interval of a share", () => {
    // 45 of 50: Wilson (1927) gives 0.786 to 0.957.
    const [low, high] = interval(45, 50);
    expect(low).toBeCloseTo(0.786, 3);
    expect(high).toBeCloseTo(0.957, 3);
    expect(interval(0, 0)).toEqual([0, 1]);
  });

  it('counts killed and timed out against those that could live, and lists who lived', () => {
    const verdict = (fate: Verdict['fate'], line: number, why?: string): Verdict => ({
      part: 'agent',
      mutant: { file: 'src/a.ts', kind: 'logic', start: 0, end: 1, text: '', line },
      text: '`a` → `b` in `a`',
      fate,
      why,
    });
    const text = report([
      verdict('killed', 1, 'a test'),
      verdict('timed out', 2),
      verdict('lived', 3),
      verdict('no test', 4),
      verdict('equivalent', 5, 'the same'),
      verdict('ill-typed', 6),
    ]);
    expect(text).toContain('| agent | 6 | 1 | 1 | 1 | 1 | 1 | 1 | 50 % (15 % to 85 %) |');
    expect(text).toContain('- src/a.ts:3: `a` → `b` in `a`\n');
    expect(text).toContain('- src/a.ts:4: `a` → `b` in `a`. No test runs it');
    expect(text).toContain('- src/a.ts:5: `a` → `b` in `a`. the same');
    expect(text).not.toContain('src/a.ts:6');
  });
});
