import { describe, expect, it } from 'vitest';
import {
  boxAnswer,
  hashAnswer,
  answerInProse,
} from '../../../src/formats/rollouts/protocols/prose.ts';

describe('an answer in a box', () => {
  it.each([
    ['so \\boxed{Lima}.', 'Lima'],
    ['\\boxed{a} then \\boxed{ b }', 'b'],
    ['\\boxed{a} then \\boxed{ }', 'a'],
    ['\\boxed{\\text{New York}}', 'New York'],
    ['\\boxed{\\mathrm {x}}', 'x'],
    ['\\boxed{\\frac{1}{2}}', '\\frac{1}{2}'],
    ['no box', null],
    ['\\boxed{}', null],
  ])('%j: %j', (text, answer) => expect(boxAnswer(text)).toBe(answer));
});

describe("GSM8K's hashes", () => {
  it.each([
    ['3 + 4 = 7\n#### 7', '7'],
    ['#### 7\nThat is all.', '7'],
    ['#### 1,234.', '1,234'],
    ['#### $5.50 a day', '$5.50'],
    ['#### -3', '-3'],
    ['#### 7\n#### 8', '8'],
    // Words count on the last line alone: elsewhere they are a heading.
    ['Text\n#### Lima\n', 'Lima'],
    ['#### Steps\nText', null],
    ['a #### 7', null],
    ['### 7', null],
    ['####', null],
    ['', null],
  ])('%j: %j', (text, answer) => expect(hashAnswer(text)).toBe(answer));
});

describe('a sentence that says the answer', () => {
  it.each([
    ['The answer is Lima.', 'Lima'],
    ['Thus, the final answer is: **Lima**', 'Lima'],
    ['It is clear. So the answer is "Lima".', 'Lima'],
    ['**Answer:** Lima', 'Lima'],
    ['Answer: Lima\nAnswer: Rome', 'Rome'],
    ['my short answer is 42', '42'],
    ['The answer is Lima. It lies in Peru.', null],
    ['The answer is', null],
    ['The answer depends on it', null],
    [`The answer is ${'x'.repeat(101)}`, null],
    [`${'x '.repeat(200)}. The answer is Lima`, null],
  ])('%j: %j', (text, answer) => expect(answerInProse(text)).toBe(answer));
});
