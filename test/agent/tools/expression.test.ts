import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { compute } from '../../../src/agent/tools/expression.ts';
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
    ['a'.repeat(300), '! it is longer than 200 characters'],
    ['('.repeat(60), '! it is nested too deep'],
    ['-'.repeat(60), '! it is nested too deep'],
    ['9'.repeat(190) + '*' + '9'.repeat(9), '99'],
  ])('%s: %s', (text, message) => {
    if (message.startsWith('!')) expect(value(text)).toBe(message);
    else expect(compute(text).ok).toBe(true);
  });
});

/** Evaluates by JavaScript what can only be arithmetic. */
const reference = (text: string): number => Number(runInNewContext(text));

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

  it('strange ones are refused in words or are numbers, and none takes a millisecond of the processor', () => {
    const pieces = [
      '1',
      '22',
      '3.5',
      '+',
      '-',
      '*',
      '/',
      '(',
      ')',
      ',',
      'max',
      'years',
      ' ',
      'x',
      '.',
      '__proto__',
      'constructor',
      '=>',
      ';',
      '`',
      '${',
      '"',
      '\\',
      '\n',
      'é',
      '×',
      '**',
      'Infinity',
      '1e9',
    ];
    const texts = Array.from({ length: 5000 }, () =>
      Array.from({ length: random.between(1, 40) }, () => random.pick(pieces)).join(''),
    );
    const before = process.cpuUsage();
    for (const text of texts) {
      const done = compute(text);
      if (done.ok) {
        expect(Number.isFinite(done.value)).toBe(true);
        // Only the grammar's own signs can have been taken.
        expect(text).toMatch(/^[\d\s+\-*/().,a-z×÷−]*$/u);
      } else expect(done.message).not.toBe('');
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / texts.length).toBeLessThan(1000);
  });
});
