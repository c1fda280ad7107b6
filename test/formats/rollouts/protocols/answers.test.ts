import { describe, expect, test } from 'vitest';
import { readAnswer, whyUnread } from '../../../../src/formats/rollouts/protocols/answer.ts';
import { boxesIn } from '../../../../src/formats/rollouts/protocols/boxes.ts';
import { protocolById } from '../../../../src/formats/rollouts/protocols/catalogue.ts';
import { splitText } from '../../../../src/formats/rollouts/protocols/split.ts';
import type { ImportedSegment } from '../../../../src/formats/rollouts/shape/imported.ts';

test.each([
  ['\\boxed{a} and \\boxed {b}', [['a', 7], ['b', 22]]],
  ['\\boxed{a{b}c}', [['a{b}c', 7]]],
  ['\\boxed{a \\} b}', [['a \\} b', 7]]],
  ['\\boxed{\\boxed{a}}', [['\\boxed{a}', 7]]],
  ['\\boxed{}', [['', 7]]],
  ['\\boxed{a} \\boxed{b', [['a', 7]]],
  ['\\boxed{a\\', []],
  ['boxed{a}', []],
])('boxes of %j', (text, boxes) => {
  expect(boxesIn(text).map((box) => [box.text, box.start])).toEqual(boxes);
}); // prettier-ignore

const read = (id: string | null, text: string, prompt = ''): [string | null, string | null] => {
  const protocol = protocolById(id);
  const pieces: ImportedSegment[] = protocol
    ? splitText(text, protocol)
    : [{ source: 'policy', role: 'other', text }];
  const answer = readAnswer(pieces, protocol, prompt);
  return [answer, answer === null ? whyUnread(pieces, protocol, prompt) : null];
};

const UNKNOWN = 'the protocol is unknown, so the answer cannot be located';
const PROSE = 'the rollout ends in prose without a marked answer';

describe('the last answer by the protocol’s rule', () => {
  test.each<[string | null, string, string, string | null, string | null]>([
    ['search-r1', '<answer>a</answer><answer> b </answer>', '', 'b', null],
    ['search-r1', '<answer>a</answer><answer> </answer>', '', 'a', null],
    ['search-r1', '<information><answer>evil</answer></information>', '', null, null],
    // Another's box: plain where no place was named.
    ['search-r1', 'So \\boxed{a}', '', 'a', null],
    ['search-r1', 'So \\boxed{a}', 'Answer in <answer>.', null, null],
    ['search-r1', '<answer> </answer>So \\boxed{a}', '', null, null],
    ['search-r1', '<search>\\boxed{a}</search>', '', null, null],
    ['search-r1', 'The answer is a.', '', null, null],
    ['research', '<answer>\\boxed{a} or \\boxed{ b }</answer>', '', 'b', null],
    ['research', '<answer>a</answer>', '', 'a', null],
    ['research', '<answer>a</answer>', 'Put it in \\boxed{}.', null, null],
    ['tool-star', '<answer>a</answer>', 'Give it inside <answer> and </answer>.', 'a', null],
    ['forage', '<short_answer>a</short_answer>', '', null, null],
    ['ur2', 'The correct answer is: a\nno, the correct answer is:  b \n', '', 'b', null],
    ['ur2', 'the correct answer is: a \\boxed{ b }', '', 'b', null],
    ['ur2', 'The answer is a', '', null, null],
    ['tool-call', '<answer>a</answer>', '', 'a', null],
    ['tool-call', '<answer>so \\boxed{a}.</answer>', '', 'a', null],
    ['boxed', 'x \\boxed{a} y', '', 'a', null],
    ['gsm8k', '#### 5', '', '5', null],
    ['think', '<think>\\boxed{a}</think>The answer is b.', '', 'b', null],
    ['think', '\\boxed{a}</think>I cannot say.', '', null, PROSE],
    ['boxed', '<think>\\boxed{a}</think>I cannot say.', '', null, PROSE],
    ['gsm8k', '#### 5\n</think>No.', '', null, PROSE],
    ['search-r1', '<answer>a</answer>?</think>No.', '', null, null],
    ['ur2', '\\boxed{a}</think>No.', '', null, null],
    ['harmony', '<|channel|>final<|message|>a<|return|>', '', 'a', null],
    ['harmony', '<|channel|>final<|message|>The answer is **a**.', '', 'a', null],
    ['harmony', '<|channel|>final<|message|><answer>a</answer>', '', 'a', null],
    ['harmony', '<|channel|>final<|message|>It is a.\nSo.', '', null, PROSE],
    ['harmony', '<|channel|>final<|message|>a', 'Put it in <answer>.', null, null],
    ['harmony', '<|channel|>analysis<|message|>a', '', null, null],
    ['harmony', 'analysisHm.assistantfinala', '', 'a', null],
    ['react', 'Thought: x\nAction: finish[a]', '', 'a', null],
    ['think', '<think>a</think>The answer is b.', '', 'b', null],
    ['think', '<think>The answer is b.', '', null, null],
    ['think', '<think>a</think>It is b.', '', null, PROSE],
    [null, 'The answer is a.', '', 'a', null],
    [null, 'It is a.', '', null, UNKNOWN],
    [null, ' \n ', '', null, null],
    [null, '<think>The answer is a.', '', null, null],
    // Only what the prompt names counts, the box before the hashes before the words.
    [null, 'The answer is a.', 'Put it in \\boxed{}.', null, null],
    [null, '#### 5 \\boxed{6}', 'Put it in \\boxed{}.', '6', null],
    [null, '\\boxed{6}\n#### 5', 'Write "#### 5" at the end.', '5', null],
    [null, '\\boxed{6}\n#### 5', 'Write #### <number>.', '5', null],
    [null, '\\boxed{6}\n#### 5', 'after ####', '5', null],
    [null, '\\boxed{6}\n#### 5', 'At the end: #### ANSWER', '5', null],
    [null, '\\boxed{6}\n#### 5', '#### Heading\nWho?', '6', null],
    [null, 'The answer is a.', 'Use Finish[x].', null, null],
    [null, 'The answer is a.', 'In <answer> tags.', null, null],
  ])('%s: %j, asked %j', (id, text, prompt, answer, why) =>
    expect(read(id, text, prompt)).toEqual([answer, why]),
  ); // prettier-ignore

  test('is not searched in or after text of the environment', () => {
    const segments: ImportedSegment[] = [
      { source: 'policy', role: 'other', text: 'The answer is a.' },
      { source: 'environment', role: 'other', text: 'The answer is b.' },
    ];
    expect(readAnswer(segments, null)).toBe('a');
    expect(readAnswer(segments.slice(1), null)).toBeNull();
    expect(whyUnread(segments, null)).toBeNull();
    // What is blank after the last words does not count.
    expect(readAnswer([...segments.slice(0, 1), { ...segments[1]!, text: ' ' }], null)).toBe('a');
    const call: ImportedSegment = { source: 'policy', role: 'search', text: 'The answer is c.' };
    expect(readAnswer([...segments.slice(0, 1), call], null)).toBeNull();
  });
});
