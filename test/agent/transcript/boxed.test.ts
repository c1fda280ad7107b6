import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer, readBoxes } from '../../../src/agent/transcript/boxed.ts';

describe('boxed answers', () => {
  it.each([
    [' \\boxed{ Borfield }', 'Borfield'],
    ['\\boxed{a {b} c}', 'a {b} c'],
    ['\\boxed{\\frac{1}{2}}', '\\frac{1}{2}'],
    ['\\boxed{x \\} y}', 'x \\} y'],
    ['\\boxed {spaced}', 'spaced'],
  ])('%s holds %s', (text, answer) => {
    expect(readAnswer(text)).toEqual({ answer, faults: [] });
  });

  it('does not reach from the first of two boxes into the second', () => {
    expect(readBoxes('\\boxed{A} and \\boxed{B}').contents).toEqual(['A', 'B']);
    expect(readAnswer('\\boxed{A} and \\boxed{B}').answer).toBe('B');
  });

  it('counts a box in a box once', () => {
    expect(readBoxes('\\boxed{ \\boxed{A} }').contents).toEqual(['\\boxed{A}']);
  });

  it('says what is wrong', () => {
    expect(readAnswer('plain').faults).toEqual(['the answer holds no box']);
    expect(readAnswer('\\boxed{').faults).toEqual(['the box in the answer is not closed']);
    expect(readAnswer('\\boxed{ }')).toEqual({
      answer: null,
      faults: ['the box in the answer is empty'],
    });
  });

  it('reads back any text with balanced braces', () => {
    const plain = fc.stringMatching(/^[a-z ]{0,8}$/);
    const nested = fc.tuple(plain, plain, plain).map(([a, b, c]) => `${a}{${b}}${c}`);
    fc.assert(
      fc.property(nested, plain, (inner, around) => {
        const { contents } = readBoxes(`${around}\\boxed{${inner}}${around}`);
        expect(contents).toEqual([inner.trim()]);
      }),
    );
  });
});
