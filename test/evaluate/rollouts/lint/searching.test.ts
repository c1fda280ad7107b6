import { describe, expect, test } from 'vitest';
import {
  copiedQuery,
  evidenceIgnored,
  overSearch,
} from '../../../../src/evaluate/rollouts/lint/searching.ts';
import type { ImportedSegment } from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, background, pointedAt, result, rolloutOf, search, think } from './rollout.ts';

const rollout = (segments: ImportedSegment[], text = 'Who wrote it?', supporting: string[] = []) =>
  rolloutOf(segments, { question: { id: 'q', text, answers: [], supporting } });

describe('over-search', () => {
  const over = (segments: ImportedSegment[], supporting: string[] = []): string[] => {
    const one = rollout(segments, 'Who?', supporting);
    return overSearch(one).flatMap((finding) => [finding.message, ...pointedAt(one, finding)]);
  };
  const A = 'A : about a';
  const B = 'B : about b';
  const again = (count: number, query: string): string[] => [
    `All ${count} passages for "${query}" had been read before.`,
    query,
  ];
  const late = (query: string): string[] => [
    `"${query}" was asked when every supporting passage had been read.`,
    query,
  ];

  test.each([
    ['all passages again', [search('x'), result(A), search('y'), result(A)], [], again(1, 'y')],
    [
      'in other words',
      [search('x'), result(A), search('y'), result('A : About A!')],
      [],
      again(1, 'y'),
    ],
    [
      'two of them',
      [search('x'), result(`${A}\n${B}`), search('y'), result(`${B}\n${A}`)],
      [],
      again(2, 'y'),
    ],
    ['one is new', [search('x'), result(A), search('y'), result(`${A}\n${B}`)], [], []],
    ['nothing was found', [search('x'), result(A), search('y'), result('')], [], []],
    ['a background had them', [background(A), search('y'), result(A)], [], again(1, 'y')],
    ['a background alone', [background(A), search('y'), result(B)], [], []],
    ['the same passage twice in one result', [search('x'), result(`${A}\n${A}`)], [], []],
  ])('%s', (_, segments, supporting, expected) =>
    expect(over(segments, supporting)).toEqual(expected),
  );

  test.each([
    ['all titles were read', [search('x'), result(A), search('y'), result(B)], ['A'], late('y')],
    ['one was missing', [search('x'), result(A), search('y'), result('C : c')], ['A', 'B'], []],
    ['the last was found', [search('x'), result(A), search('y'), result(B)], ['A', 'B'], []],
    // The query of a background's own round may have been asked without it.
    [
      'they were in the background',
      [background(A), search('x'), result(B), search('y'), result('C : c')],
      ['A'],
      late('y'),
    ],
    ['nothing was found', [search('x'), result(A), search('y'), result('')], ['A'], []],
    ['no titles are named', [search('x'), result(A), search('y'), result(B)], [], []],
  ])('complete: %s', (_, segments, supporting, expected) => {
    expect(over(segments, supporting)).toEqual(expected);
  });
});

describe('copied queries', () => {
  const copied = (...queries: string[]): string[] =>
    copiedQuery(
      rollout(queries.flatMap((query, i) => [search(query), result(`P${i} : text`)])),
    ).map(({ message }) => message);
  const whole = 'The query is the question, word for word.';

  test.each([
    [['author of it'], []],
    [['who wrote it'], [whole]],
    [['x', 'x'], ['"x" had been asked before.']],
    [['x', 'y', 'The X!'], ['"The X!" had been asked before.']],
    [
      ['Who wrote it?', 'who wrote it'],
      [whole, whole],
    ],
    [
      ['x', 'x', 'x'],
      ['"x" had been asked before.', '"x" had been asked before.'],
    ],
    [['', ''], []],
    [['the', 'a'], []],
  ])('%j', (queries, expected) => expect(copied(...queries)).toEqual(expected));
});

describe('evidence ignored', () => {
  const ignored = (segments: ImportedSegment[]): string[] =>
    evidenceIgnored(rollout(segments)).map(
      ({ message, where }) => `${where[0]?.segment}: ${message}`,
    );
  const document = result('Holm : Ida Holm, a baker, wrote Low Tide in 1931');

  test.each([
    ['a word of it', [search('x'), document, think('So a baker did.')], []],
    ['a number of it', [search('x'), document, think('In 1931 then.')], []],
    [
      'a short word is no mark',
      [search('x'), document, think('So Ida did.')],
      ['1: None of 4 new words is used afterwards.'],
    ],
    [
      'nothing of it',
      [search('x'), document, think('I give up.'), answer('Al')],
      ['1: None of 4 new words is used afterwards.'],
    ],
    [
      'three words in a row that were known one by one',
      [think('wrote tide low'), search('x'), document, think('wrote low tide')],
      [],
    ],
    [
      'they occurred in a row before',
      [think('wrote low tide'), search('x'), document, think('wrote low tide')],
      ['2: None of 3 new words is used afterwards.'],
    ],
    ['nothing follows', [search('x'), document], []],
    [
      'it had no new word',
      [think('holm ida baker wrote tide 1931 low'), search('x'), document, think('Hm.')],
      [],
    ],
    [
      'a word that was only used before',
      [think('a baker'), search('x'), document, think('baker')],
      ['2: None of 3 new words is used afterwards.'],
    ],
  ])('%s', (_, segments, expected) => {
    expect(ignored(segments)).toEqual(expected);
  });

  test('counts the new words once each, the question’s left out', () => {
    const text = 'Tiger : Tiger tiger lions wrote 12';
    expect(ignored([search('x'), result(text), think('Hm.')])).toEqual([
      '1: None of 3 new words is used afterwards.',
    ]);
  });

  test('only what the environment wrote as a result', () => {
    expect(ignored([background('Holm : baker'), think('Hm.')])).toEqual([]);
    expect(ignored([result('Holm : baker', { source: 'policy' }), think('Hm.')])).toEqual([]);
  });
});
