import { createContext, runInContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compute } from '../../../src/agent/expression.ts';
import { Random } from '../../../src/base/random.ts';

const value = (text: string): string => {
  const done = compute(text);
  return done.ok ? done.text : `! ${done.message}`;
};

describe('computing', () => {
  it.each([
    ['2008 - 1976', '32'],
    ['1800 + 3200', '5000'],
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['10 - 4 - 3', '3'],
    ['24 / 4 / 2', '3'],
    ['-3 * -(2 - 5)', '-9'],
    ['7 / 3', '2.3333'],
    ['1.5 × 4 − 1', '5'],
    ['max(1931, 1942, 1900)', '1942'],
    ['years(1976, 2008)', '32'],
    ['round(7 / 2)', '4'],
    ['  12  ', '12'],
    ['1931 - 1907', '24'],
    ['count(1911,1924,1919 < 1920)', '2'],
    ['count(3, 4, 5 = 2 + 2) + count(7, 7)', '3'],
    ['count(1 > 2)', '0'],
    ['sum(1, 2, 3) - diff(1907, 1931)', '-18'],
    ['1907 < 1931', 'yes'],
    ['max(2, 3) = 2', 'no'],
  ])('%s is %s', (text, result) => expect(value(text)).toBe(result));

  it.each([
    ['', '! it ends too early'],
    ['2 +', '! it ends too early'],
    ['2 3', '! "3" stands behind the end'],
    ['1 / 0', '! it divides by 0'],
    ['(1', '! a ")" is missing'],
    [
      'process.exit()',
      '! "process.exit" is no number, sign or function'.replace('process.exit', '.exit()'),
    ],
    ['constructor(1)', '! "constructor" is no number or function'],
    ['abs(1, 2)', '! abs takes 1 value'],
    ['1931 - Veldor', '! "veldor" is no number or function'],
    ['1 < 2 < 3', '! "<" stands behind the end'],
    ['(1 < 2)', '! a ")" is missing'],
    ['sum(1, 2 < 3)', '! a ")" is missing'],
    [`sum(${'1,'.repeat(16)}1)`, '! it lists more than 16 values'],
    ['a'.repeat(300), '! it is longer than 200 characters'],
    ['('.repeat(60), '! it is nested too deep'],
    ['-'.repeat(60), '! it is nested too deep'],
    ['9'.repeat(190) + '*' + '9'.repeat(9), '99'],
  ])('%s: %s', (text, message) => {
    if (message.startsWith('!')) expect(value(text)).toBe(message);
    else expect(compute(text).ok).toBe(true);
  });
});

/** Where nothing is but JavaScript. */
const bare = createContext();

/** Evaluates by JavaScript what can only be arithmetic. */
const reference = (text: string): number => Number(runInContext(text, bare));

describe('ten thousand expressions', () => {
  const random = new Random(5);
  it('whole ones are what JavaScript makes of them', () => {
    const make = (depth: number): string => {
      const choice = random.below(depth > 4 ? 1 : 4);
      if (choice === 0) return String(random.between(0, 3000));
      if (choice === 1) return `(${make(depth + 1)})`;
      // A space, so that two minus signs do not become one that JavaScript knows.
      if (choice === 2) return `- ${make(depth + 1)}`;
      return `${make(depth + 1)} ${random.pick(['+', '-', '*', '/'])} ${make(depth + 1)}`;
    };
    for (let i = 0; i < 5000; i++) {
      const text = make(0);
      const done = compute(text);
      if (text.length > 200) expect(done.ok).toBe(false);
      else if (done.ok) expect(done.value).toBeCloseTo(reference(text), 6);
      else expect(Number.isFinite(reference(text))).toBe(false);
    }
  });

  /**
   * Whether a text is one of the grammar, told without reading it from left to right: what is certainly an expression gives
   * way to `n`, inside out, until one `n`, or a comparison of two, is left or nothing more can be replaced.
   */
  const inGrammar = (text: string): boolean => {
    if (/[^\d\s+\-*/(),.<>=a-z×÷−]/iu.test(text)) return false;
    const list = 'n(?: , n){0,15}';
    const rules: [RegExp, string][] = [
      [new RegExp(`(?:min|max|sum|count) \\( ${list} \\)`, 'gu'), 'n'],
      [new RegExp(`count \\( ${list} [<>=] n \\)`, 'gu'), 'n'],
      [/(?:abs|round) \( n \)/gu, 'n'],
      [/(?:diff|years) \( n , n \)/gu, 'n'],
      [/(?<![a-z] )\( n \)/gu, 'n'],
      // A sign in front of a factor: behind another sign, a bracket, a comma or nothing.
      [/(^|[-+*/(,<>=] )- n/gu, '$1n'],
      [/n [-+*/] n/gu, 'n'],
    ];
    // Spaces part words and numbers alone: `1 2` is two numbers, `12` one.
    let left = text
      .toLowerCase()
      .replaceAll('×', '*')
      .replaceAll('÷', '/')
      .replaceAll('−', '-')
      .replaceAll(/\d+(?:\.\d+)?/gu, ' # ')
      .replaceAll(/[-+*/(),<>=]/gu, ' $& ')
      .replaceAll(/\s+/gu, ' ')
      .replaceAll('#', 'n')
      .trim();
    for (let before = ''; before !== left;) {
      before = left;
      for (const [rule, by] of rules) left = left.replaceAll(rule, by);
    }
    return /^n(?: [<>=] n)?$/u.test(left);
  };

  /** Least time of some tries, ms: what other threads and the collector take is not the expression's. */
  const cost = (text: string): number => {
    let least = Infinity;
    for (let i = 0; i < 20 && least >= 1; i++) {
      const before = performance.now();
      compute(text);
      least = Math.min(least, performance.now() - before);
    }
    return least;
  };

  it('strange ones are refused in words unless they are of the grammar, and none takes a millisecond', () => {
    const pieces =
      '1|22|3.5|1|22| | |+|-|*|/|(|)|,|<|>|=|max(|sum(|count(|diff(|years|x|.|__proto__|constructor|=>|;|`|${|"|\\|\n|é|×|**|Infinity|1e9'.split(
        '|',
      );
    const plain = pieces.slice(0, 17);
    const texts = Array.from({ length: 10_000 }, (_, i) => {
      const from = i % 2 === 0 ? pieces : plain;
      const most = i % 4 < 2 ? 8 : 40;
      return Array.from({ length: random.between(1, most) }, () => random.pick(from)).join('');
    });
    let valid = 0;
    for (const text of texts) {
      const done = compute(text);
      if (done.ok) {
        valid++;
        expect(inGrammar(text), text).toBe(true);
        expect(Number.isFinite(done.value)).toBe(true);
      } else {
        expect(done.message).not.toBe('');
        // What is of the grammar is refused for its value or its depth alone.
        if (inGrammar(text))
          expect(done.message).toMatch(/divides by 0|no number|too deep|longer than/u);
      }
      expect(cost(text), text).toBeLessThan(1);
    }
    // Enough of them are of the grammar to say something.
    expect(valid).toBeGreaterThan(200);
  });
});
