import { describe, expect, test } from 'vitest';
import {
  answerFromPrompt,
  greedyBox,
  observationCut,
  resultEndedEarly,
} from '../../../../src/evaluate/rollouts/lint/text.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, background, pointedAt, prompt, result, rolloutOf, think } from './rollout.ts';

const imported = (
  segments: ImportedRollout['segments'],
  part: Partial<ImportedRollout> = {},
): ImportedRollout =>
  rolloutOf(segments, {
    origin: { layout: 'x', protocol: 'forage', responseAt: 1, fields: {}, columns: {} },
    ...part,
  });

/** Texts that a check points at. */
const at = (check: typeof observationCut, rollout: ImportedRollout): string[] =>
  check(rollout).flatMap((one) => pointedAt(rollout, one));

describe('observations that open and never close', () => {
  const cut = (text: string, part = {}) =>
    at(observationCut, rolloutOf([result('', { text, ...part })]));
  test.each([
    ['<result>one', ['<result>one']],
    [' \n<result>one</resul', [' \n<result>one</resul']],
    ['<result>one</result>', []],
    [' <result>one</result>\n', []],
    ['one', []],
    ['see <result>one', []],
    ['<result>one</background>', ['<result>one</background>']],
  ])('%j', (text, expected) => expect(cut(text)).toEqual(expected));

  test('of the environment’s results and background alone', () => {
    expect(cut('<background>x', { role: 'background' })).toEqual(['<background>x']);
    expect(cut('<hint>x', { role: 'hint' })).toEqual([]);
    expect(cut('<result>x', { source: 'policy' })).toEqual([]);
    const [found] = observationCut(rolloutOf([result('', { text: '<result>x' })]));
    expect(found?.message).toBe('The block opens with <result> and ends without </result>.');
  });

  test('nothing where no protocol says what closes a block', () => {
    const origin = { layout: 'x', protocol: null, responseAt: 0, fields: {}, columns: {} };
    expect(observationCut(rolloutOf([result('', { text: '<result>x' })], { origin }))).toEqual([]);
  });
});

describe('closing tags before the end of their block', () => {
  const early = (rollout: ImportedRollout): (readonly [number, string])[] =>
    resultEndedEarly(rollout).flatMap((one) =>
      one.where.map(
        ({ segment, start, end }) =>
          [start, rollout.segments[segment]?.text.slice(start, end) ?? ''] as const,
      ),
    );
  const inside = '<result>a</result> b</result>';

  test('in text: the first of two, white space after the last left out', () => {
    expect(early(rolloutOf([result('', { text: inside })]))).toEqual([[9, '</result>']]);
    expect(early(rolloutOf([result('', { text: '<result>a</result>' })]))).toEqual([]);
    expect(early(rolloutOf([result('', { text: '\n<result>a</result> \n' })]))).toEqual([]);
    expect(early(rolloutOf([result('', { text: '<result>a</result></result>' })]))).toEqual([
      [9, '</result>'],
    ]);
    expect(early(rolloutOf([result('', { text: '<result>a' })]))).toEqual([]);
    expect(early(rolloutOf([background('a</result>b')]))).toEqual([]);
  });

  test('in tokens: where the closing tag’s own id stands before the last', () => {
    const tokens = (ids: number[], text = inside) => rolloutOf([result('', { text, ids })]);
    expect(early(tokens([1, 5, 9, 6, 9]))).toEqual([[9, '</result>']]);
    expect(early(tokens([1, 5, 7, 6, 9]))).toEqual([]);
    expect(early(tokens([9]))).toEqual([]);
    expect(early(tokens([]))).toEqual([]);
    // A text that was cut has no closing tag of its own at its end.
    expect(early(tokens([1, 9, 9], '<result>a</result> b'))).toEqual([]);
  });

  test('in imported text, left over in what then counts as the policy’s words', () => {
    const left = think('', { text: 'b </result> c' });
    expect(early(imported([prompt('p'), result('a'), left]))).toEqual([[2, '</result>']]);
    expect(early(imported([prompt('p'), think('', { text: '</result>' })]))).toEqual([
      [0, '</result>'],
    ]);
    // The prompt’s example is not judged, nor what our own records hold: their roles are known.
    expect(early(imported([think('', { text: '</result>' }), think('x')]))).toEqual([]);
    expect(early(rolloutOf([prompt('p'), left]))).toEqual([]);
    expect(early(imported([prompt('p'), think('x </think></hint>')]))).toEqual([]);
  });
});

describe('greedy match over two boxes', () => {
  const two = think('\\boxed{Ida} or \\boxed{Al}');
  test.each([
    ['runs from the first to the last', 'Ida} or \\boxed{Al', two, ['Ida', 'Al']],
    ['a brace too many', 'Al}', two, ['Ida', 'Al']],
    ['a brace too few', '{Al', two, ['Ida', 'Al']],
    ['closes before it opens', '}{', two, ['Ida', 'Al']],
    ['balanced braces', '{Al}', two, []],
    ['a plain answer', 'Al', two, []],
    ['no answer', null, two, []],
    ['one box alone', 'Al}', think('\\boxed{Al}'), []],
    ['boxes that were read', 'Al}', result('\\boxed{Ida} \\boxed{Al}'), []],
  ])('%s', (_, given, segment, boxes) =>
    expect(at(greedyBox, rolloutOf([prompt('p'), segment], { answer: given }))).toEqual(boxes),
  );

  test('a long answer is cut in the message', () => {
    const long = `${'x'.repeat(200)}}`;
    const [found] = greedyBox(rolloutOf([two], { answer: long }));
    expect(found?.message).toBe(`The answer is "${'x'.repeat(120)}": it runs over 2 boxes.`);
  });
});

describe('answers out of the prompt’s example', () => {
  const check = (example: string, response: string, given: string | null) =>
    at(
      answerFromPrompt,
      imported([prompt(example), answer('', { text: response })], { answer: given }),
    );

  test.each([
    ['a block', 'e.g. <answer> Beijing </answer>', 'I give up.', 'beijing', ['Beijing']],
    ['a long form', '<long_answer>Beijing</long_answer>', '', 'Beijing', ['Beijing']],
    ['a box', 'in \\boxed{Beijing}', '', 'Beijing', ['Beijing']],
    [
      'the second example',
      '<answer>A b</answer> <answer>Beijing</answer>',
      '',
      'Beijing',
      ['Beijing'],
    ],
    [
      'a tag that is named first',
      'Use <answer>, as in <answer>Beijing</answer>',
      '',
      'Beijing',
      ['Beijing'],
    ],
    ['other tags around it', '<short_answer>Beijing</answer>', '', 'Beijing', []],
    [
      'the response says so too',
      '<answer>Beijing</answer>',
      '<answer>Beijing!</answer>',
      'Beijing',
      [],
    ],
    ['a box of the response', '<answer>Beijing</answer>', '\\boxed{beijing}', 'Beijing', []],
    ['another example', '<answer>Beijing</answer>', '', 'Oslo', []],
    ['no answer', '<answer>Beijing</answer>', '', null, []],
    ['nothing once it is normalised', '<answer>the</answer>', '', 'the', []],
  ])('%s', (_, example, response, given, expected) =>
    expect(check(example, response, given)).toEqual(expected),
  );

  test('documents in front of the response are no example', () => {
    const rollout = imported([background('<answer>Beijing</answer>'), answer('x')], {
      answer: 'Beijing',
    });
    expect(answerFromPrompt(rollout)).toEqual([]);
  });
});
