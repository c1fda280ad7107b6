import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { compileFilter } from '../../../../src/evaluate/rollouts/filter/match.ts';
import { completionsAt } from '../../../../src/evaluate/rollouts/filter/complete.ts';
import { FIELDS } from '../../../../src/evaluate/rollouts/filter/fields.ts';
import { FilterError } from '../../../../src/evaluate/rollouts/filter/error.ts';
import { parseFilter } from '../../../../src/evaluate/rollouts/filter/parse.ts';
import { printFilter, type Filter } from '../../../../src/evaluate/rollouts/filter/ast.ts';
import { rowOf, type RolloutRow } from '../../../../src/evaluate/rollouts/row.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { loggingBoard, r1Searcher, verl } from '../../../fixtures/inspect/records.ts';
import { importOne } from '../../../formats/rollouts/helpers.ts';

let all: { rollout: ImportedRollout; row: RolloutRow }[];
beforeAll(async () => {
  const rollouts = await Promise.all([r1Searcher, verl, loggingBoard].map(importOne));
  all = rollouts.map((rollout) => ({ rollout, row: rowOf(rollout) }));
  all[1]!.row.tags = ['look again'];
});

/** Layouts of the rollouts that pass. */
function passing(text: string): string[] {
  const filter = compileFilter(parseFilter(text));
  return all
    .filter(({ row, rollout }) => filter.rollout(row, rollout))
    .map(({ row }) => row.layout);
}

const faultOf = (text: string): FilterError => {
  try {
    parseFilter(text);
  } catch (error) {
    if (error instanceof FilterError) return error;
    throw error;
  }
  throw new Error(`“${text}” was accepted`);
};

describe('what passes', () => {
  test.each([
    ['', ['r1-searcher', 'verl', 'rl-logging-board']],
    ['em = 1 and searches >= 1', ['r1-searcher', 'verl']],
    ['searches=0 or judge = 1', ['r1-searcher', 'rl-logging-board']],
    ['not (searches > 0)', ['rl-logging-board']],
    ['searches > 0 and layout = verl or step = 3', ['verl', 'rl-logging-board']],
    ['searches > 0 and (layout = verl or step = 3)', ['verl']],
    ['think contains "DIRECTOR first"', ['r1-searcher']],
    ['search contains "director first"', []],
    ['"ida holm"', ['verl', 'rl-logging-board']],
    ['read contains "ida holm"', ['verl']],
    ['answer matches /^o.lo$/i', ['r1-searcher']],
    ['answer = "ida holm"', ['verl', 'rl-logging-board']],
    ['tags has "Look Again"', ['verl']],
    ['tags is missing and reward is present', ['rl-logging-board']],
    ['step != 40', ['rl-logging-board']],
    // R1-Searcher's records count no steps: nobody knows whether theirs is another.
    ['not step = 40', ['rl-logging-board']],
    ['not step = 40 or step is missing', ['r1-searcher', 'rl-logging-board']],
    ['reward.reward = 1', ['rl-logging-board']],
    ['tokens = 8', ['rl-logging-board']],
    ['/night\\s+ferry/i', ['r1-searcher']],
  ])('%s', (text, layouts) => {
    expect(passing(text)).toEqual(layouts);
  });

  test('what a record has, and what it lacks', () => {
    const [, { rollout, row }] = all as [unknown, (typeof all)[number]];
    const passes = (text: string, change: Partial<RolloutRow> = {}): boolean =>
      compileFilter(parseFilter(text)).rollout({ ...row, ...change }, rollout);
    for (const [recipe, has] of [
      ['search', true],
      ['', false],
      [null, false],
    ] as const) {
      expect(passes('recipe is present', { recipe })).toBe(has);
      expect(passes('recipe is missing', { recipe })).toBe(!has);
    }
    expect(passes('lint is present', { lint: [] })).toBe(false);
    expect(passes('lint is present', { lint: ['over-search'] })).toBe(true);
    expect(passes('tags is missing', { tags: [] })).toBe(true);
    expect(passes('step is present')).toBe(true);
    expect(passes('searches is missing')).toBe(false);
    expect(passes('search is present')).toBe(true);
    expect(passes('hint is present')).toBe(false);
    expect(passes('hint is missing')).toBe(true);
    // Without the text nobody can say yet.
    expect(compileFilter(parseFilter('search is present')).row(row)).toBeNull();
  });

  test('a lint label by its code', () => {
    all[0]!.row.lint = ['over-search'];
    expect(passing('lint has over-search')).toEqual(['r1-searcher']);
  });

  test('the row alone decides where it can, so that texts stay unread', () => {
    const filter = compileFilter(parseFilter('em = 1 and think contains "x"'));
    const row = all[0]!.row;
    expect(filter.row(row)).toBeNull();
    expect(filter.row({ ...row, numbers: { ...row.numbers, em: 0 } })).toBe(false);
    expect(compileFilter(parseFilter('em = 1 or "x"')).row(row)).toBe(true);
  });
});

describe('errors name the place and what was expected', () => {
  test.each([
    ['em ~ 1', 3, /one of = != </],
    ['em = ', 5, /a number/],
    ['em = one', 5, /a number/],
    ['colour = 1', 0, /a field/],
    ['em = 1 searches = 2', 7, /“and”, “or” or the end/],
    ['(em = 1', 7, /“\)”/],
    ['em = 1 and', 10, /a field/],
    ['think = "x"', 6, /contains matches is/],
    ['think contains "x', 15, /a closing "/],
    ['answer matches /a(/', 15, /regular expression/],
    ['answer matches /a/g', 15, /flags i, m, s/],
    ['answer matches /(?=a)b/', 15, /look-around/],
    ['answer matches /(a)\\1/', 15, /back reference/],
    ['lint has', 8, /a word/],
  ])('%s', (text, position, message) => {
    const fault = faultOf(text);
    expect(fault.position).toBe(position);
    expect(fault.message).toMatch(message);
  });

  test('depth and length have limits', () => {
    expect(faultOf('('.repeat(3000)).message).toMatch(/levels/);
    expect(faultOf('not '.repeat(900)).message).toMatch(/levels/);
    expect(faultOf(' '.repeat(5000)).message).toMatch(/4000 characters/);
    expect(faultOf(`/${'a'.repeat(600)}/`).message).toMatch(/500 characters/);
  });
});

describe('properties', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 12 });
  const name = (kind: string) =>
    fc.constantFrom(...FIELDS.filter((field) => field.kind === kind).map((field) => field.name));
  const leaf: fc.Arbitrary<Filter> = fc.oneof(
    fc.record({
      kind: fc.constant('number' as const),
      field: fc.oneof(name('number'), fc.constant('reward.format')),
      operator: fc.constantFrom('=', '!=', '<', '<=', '>', '>='),
      value: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
    }),
    fc.record({
      kind: fc.constant('equals' as const),
      field: name('text'),
      equal: fc.boolean(),
      value: text,
    }),
    fc.record({ kind: fc.constant('has' as const), field: name('set'), value: text }),
    fc.record({
      kind: fc.constant('contains' as const),
      field: fc.oneof(name('text'), name('segment')),
      value: text,
    }),
    fc.record({
      kind: fc.constant('matches' as const),
      field: name('segment'),
      source: fc.constantFrom('a+', String.raw`\/x[/]`, '(a|b)*c', String.raw`\bno\b`),
      flags: fc.constantFrom('', 'i', 'ms'),
    }),
    fc.record({
      kind: fc.constant('is' as const),
      field: fc.constantFrom(...FIELDS.map((field) => field.name)),
      what: fc.constantFrom('missing', 'present'),
    }),
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => ({
    filter: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.record({ kind: fc.constant('not' as const), part: tie('filter') }),
      fc.record({
        kind: fc.constantFrom('and' as const, 'or' as const),
        parts: fc.array(tie('filter'), { minLength: 2, maxLength: 3 }),
      }),
    ),
  }));

  test('printing and reading are inverse', () => {
    fc.assert(
      fc.property(filter, (tree) => {
        const printed = printFilter(tree);
        fc.pre(printed.length <= 4000);
        expect(parseFilter(printed)).toEqual(tree);
      }),
      { numRuns: 150 },
    );
  });

  const pieces = fc.constantFrom(
    'em',
    'think',
    'lint',
    'answer',
    '=',
    '<',
    'contains',
    'matches',
    'has',
    'is',
    '(',
    ')',
    'and',
    'or',
    'not',
    '"',
    '"a"',
    '/',
    '/a+/',
    '/(/',
    '1',
    '-',
    '\\',
    ' ',
    'reward.',
    '!',
  );
  const input = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(pieces, { maxLength: 14 }).map((list) => list.join(' ')),
    fc.array(pieces, { maxLength: 14 }).map((list) => list.join('')),
  );

  /** Kleene's tables, one value after the other; null is unknown. */
  function kleene(tree: Filter, value: (leaf: Filter) => boolean | null): boolean | null {
    if (tree.kind === 'not') {
      const inside = kleene(tree.part, value);
      return inside === null ? null : !inside;
    }
    if (tree.kind !== 'and' && tree.kind !== 'or') return value(tree);
    const parts = tree.parts.map((part) => kleene(part, value));
    const decides = tree.kind === 'or';
    return parts.includes(decides) ? decides : parts.includes(null) ? null : !decides;
  }

  test('and, or and not are Kleene’s; a row decides only what its text cannot change', () => {
    // Leaves that are true, false and unknown of the first row, and two that only its text decides.
    const leaves: Record<string, boolean | null> = {
      'em = 1': true,
      'em = 0': false,
      'step = 40': null,
      '"Night Ferry"': true,
      '"no such words"': false,
    };
    const known = fc.constantFrom(...Object.keys(leaves)).map(parseFilter);
    const { tree } = fc.letrec<{ tree: Filter }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        known,
        fc.record({ kind: fc.constant('not' as const), part: tie('tree') }),
        fc.record({
          kind: fc.constantFrom('and' as const, 'or' as const),
          parts: fc.array(tie('tree'), { minLength: 2, maxLength: 3 }),
        }),
      ),
    }));
    fc.assert(
      fc.property(tree, (one) => {
        const { row, rollout } = all[0]!;
        const passes = kleene(one, (leaf) => leaves[printFilter(leaf)] ?? null) === true;
        const compiled = compileFilter(one);
        expect(compiled.rollout(row, rollout)).toBe(passes);
        expect([passes, null]).toContain(compiled.row(row));
      }),
      { numRuns: 500 },
    );
  });

  test('any text is read, or refused with its own error', () => {
    fc.assert(
      fc.property(input, (written) => {
        try {
          const tree = parseFilter(written);
          expect(parseFilter(printFilter(tree))).toEqual(tree);
        } catch (error) {
          expect(error).toBeInstanceOf(FilterError);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('completion never throws, and what it offers is taken further than it was', () => {
    fc.assert(
      fc.property(input, fc.nat(60), (written, position) => {
        const { from, to, items } = completionsAt(written, position);
        expect(from).toBeLessThanOrEqual(to);
        expect(to).toBeLessThanOrEqual(written.length);
        for (const item of items.slice(0, 3)) {
          const head = `${written.slice(0, from)} ${item.text.replace('…', 'a')}`;
          try {
            parseFilter(head);
          } catch (error) {
            // Only its end is missing.
            expect((error as FilterError).position).toBe(head.length);
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

describe('completion', () => {
  const texts = (written: string, known?: (field: string) => string[]) =>
    completionsAt(written, written.length, known).items.map(({ text }) => text);

  test('fields, operators, values and connectives in turn', () => {
    expect(texts('')).toContain('recall');
    expect(texts('rec').slice(0, 2)).toEqual(['recall', 'recipe']);
    expect(texts('em ')).toEqual(['=', '!=', '<', '<=', '>', '>=', 'is']);
    expect(texts('em = ')).toEqual(['0', '1']);
    expect(texts('em = 1 ')).toEqual(['and', 'or']);
    expect(texts('(em = 1 ')).toEqual(['and', 'or', ')']);
    expect(texts('lint has over-')).toEqual(['over-search']);
    expect(texts('think is ')).toEqual(['missing', 'present']);
    expect(texts('colour = ')).toEqual([]);
  });

  test('values that occur in the data, quoted where they must be', () => {
    const known = (field: string) =>
      field === 'tags' ? ['look again', 'odd'] : field === 'reward.' ? ['format'] : [];
    expect(texts('tags has ', known)).toEqual(['"look again"', 'odd']);
    expect(texts('tags has "lo', known)).toEqual(['"look again"']);
    expect(texts('reward.', known)).toEqual(['reward.format']);
  });

  test('the whole word under the cursor is replaced', () => {
    expect(completionsAt('seaches = 1', 3)).toMatchObject({ from: 0, to: 7 });
  });
});
