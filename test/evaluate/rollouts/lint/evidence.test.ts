import { describe, expect, test } from 'vitest';
import {
  answerSeenNotGiven,
  contradictsEvidence,
  underSearch,
} from '../../../../src/evaluate/rollouts/lint/evidence.ts';
import {
  isClosed,
  needlesOf,
  readFactsOf,
  segmentWords,
} from '../../../../src/evaluate/rollouts/lint/facts.ts';
import { outcomeOf } from '../../../../src/evaluate/rollouts/taxonomy.ts';
import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, background, pointedAt, result, rolloutOf, search, think } from './rollout.ts';

type Check = typeof underSearch;
const at = (check: Check, rollout: ImportedRollout): string[] =>
  check(rollout).flatMap((one) => pointedAt(rollout, one));
const gold = (...answers: string[]) => ({
  question: { id: 'q', text: 'Who?', answers, supporting: [] },
});

describe('under-search', () => {
  const nothing = 'Answered without having read anything.';
  const check = (given: string | null, ...segments: ImportedSegment[]): string[] =>
    underSearch(rolloutOf(segments, { answer: given })).map(({ message }) => message);
  const read = result('Low Tide : by Ida Holm');

  test.each([
    ['it is in a result', 'Ida Holm', [read], []],
    ['in the second', 'Ida Holm', [result('x'), read], []],
    ['in a background', 'Ida Holm', [background('Ida Holm')], []],
    ['normalised', 'the IDA holm!', [read], []],
    ['as part of a word', 'Ida Hol', [read], ['"Ida Hol" is not in the only result.']],
    ['nowhere', ' Al ', [read, result('x')], ['"Al" is in none of the 2 results.']],
    ['nothing was read', 'Al', [think('Al')], [nothing]],
    ['hints are no evidence', 'Al', [result('Al', { role: 'hint' })], [nothing]],
    ['nor what the policy wrote itself', 'Al', [result('Al', { source: 'policy' })], [nothing]],
    ['yes, having read', 'yes', [read], []],
    ['yes, without', 'Yes.', [], [nothing]],
    ['no answer', null, [], []],
    ['an empty one', 'the', [], []],
  ])('%s', (_, given, segments, expected) => expect(check(given, ...segments)).toEqual(expected));

  test.each([
    ['what is worked out stands nowhere', 'arithmetic', [read], []],
    ['nor does a count', 'counting', [read], []],
    ['nor that there is no answer', 'unanswerable', [read], []],
    ['but something has to be read for it', 'counting', [], [nothing]],
    ['a computation takes the question alone', 'computation', [], []],
    ['a bridge is looked up', 'bridge', [read], ['"47" is not in the only result.']],
  ])('%s', (_, type, segments, expected) => {
    const { question } = gold('47');
    const rollout = rolloutOf(segments, { answer: '47', question: { ...question, type } });
    expect(underSearch(rollout).map(({ message }) => message)).toEqual(expected);
  });

  test('a long answer is cut in the message', () => {
    expect(check('z'.repeat(130), read)).toEqual([
      `"${'z'.repeat(120)}" is not in the only result.`,
    ]);
  });
});

describe('answer seen, not given', () => {
  const check = (part: Partial<ImportedRollout>, ...segments: ImportedSegment[]): string[] =>
    at(answerSeenNotGiven, rolloutOf(segments, part));
  const read = [result('Low Tide : by Ida Holm'), search('x'), result('IDA HOLM : she')];

  test('points at the gold answer in every result that holds it', () => {
    expect(check({ answer: 'Al' }, ...read)).toEqual(['Ida Holm', 'IDA HOLM']);
    expect(check({ answer: null }, ...read, result('x : y'))).toEqual(['Ida Holm', 'IDA HOLM']);
    // Where normalisation hides the place it is the whole segment.
    expect(check({ answer: 'Al', ...gold('U.S.') }, result('the US'))).toEqual([
      '<result>\nthe US\n</result>',
    ]);
    expect(check({ answer: 'Al', ...gold('Bo', ' Cy ') }, result('with cy'))).toEqual(['cy']);
    // At the segment's very beginning, too.
    expect(check({ answer: 'Al', ...gold('Cy') }, result('', { text: 'Cy is' }))).toEqual(['Cy']);
  });

  test('says what was given instead', () => {
    const said = (given: string | null) =>
      answerSeenNotGiven(rolloutOf(read, { answer: given }))[0]?.message;
    expect(said(' Al ')).toBe('2 results hold the gold answer; "Al" was given.');
    expect(said(null)).toBe('2 results hold the gold answer; no answer was given.');
    const text = { ...think(''), role: 'other' as const, text: 'It is Al.' };
    const { origin: _, ...prose } = rolloutOf([...read, text], { answer: null });
    expect(answerSeenNotGiven(prose)[0]?.message).toBe(
      '2 results hold the gold answer; "It is Al." was given outside the tags.',
    );
    const once = rolloutOf([result('Cy')], { answer: 'Al', ...gold('Cy') });
    expect(answerSeenNotGiven(once)[0]?.message).toBe(
      'One result holds the gold answer; "Al" was given.',
    );
    expect(said('y'.repeat(130))).toBe(
      `2 results hold the gold answer; "${'y'.repeat(120)}" was given.`,
    );
  });

  test.each([
    ['it was given, among other words', { answer: 'It was Ida Holm' }, read],
    ['a judge says right', { answer: 'her', judge: { verdict: true, by: 'x' } }, read],
    ['it was not read', { answer: 'Al' }, [result('x : y')]],
    ['there is no gold answer', { answer: 'Al', ...gold() }, read],
    ['it is yes', { answer: 'no', ...gold('yes') }, [result('yes')]],
  ])('nothing where %s', (_, part, segments) => expect(check(part, ...segments)).toEqual([]));

  test('a judge that says wrong does not overrule', () => {
    expect(check({ answer: 'Al', judge: { verdict: false, by: 'x' } }, ...read)).toHaveLength(2);
  });
});

describe('contradicting the evidence, for answers with a number', () => {
  const passage = result('Ada Berg : Ada Berg was born in Oslo in 1921. She moved in 1950.');
  const claim = think('Ada Berg was born in Oslo in 1931.');
  const check = (given: string | null, ...segments: ImportedSegment[]): string[] =>
    at(contradictsEvidence, rolloutOf(segments, { answer: given })).map((text) => text.trim());
  const both = [
    '<think>Ada Berg was born in Oslo in 1931.',
    'Ada Berg : Ada Berg was born in Oslo in 1921.',
  ];

  test('claim and sentence, and their words', () => {
    expect(check('in 1931', passage, claim)).toEqual(both);
    expect(contradictsEvidence(rolloutOf([passage, claim], { answer: '1931' }))[0]?.message).toBe(
      `The policy says "${both[0]}"; the passage says "${both[1]}".`,
    );
  });

  test.each([
    ['no number in the answer', 'Oslo', [passage, claim]],
    ['no answer', null, [passage, claim]],
    ['the number was read somewhere', '1931', [passage, result('Other : 1931'), claim]],
    ['a comma for thousands', '1931', [passage, result('Other : 1,931 people'), claim]],
    [
      'the policy claims another number',
      '1931',
      [passage, think('Ada Berg was born in Oslo in 1932.')],
    ],
    ['the claim is a query', '1931', [passage, search('Ada Berg born in Oslo in 1931')]],
    ['or is only in the answer', '1931', [passage, answer('Ada Berg was born in Oslo in 1931')]],
    ['the passage has no number', '1931', [result('Ada Berg was born in Oslo.'), claim]],
    [
      'two words of content are too few',
      '1931',
      [result('Berg born 1921.'), think('', { text: 'Berg born 1931.' })],
    ],
  ])('nothing: %s', (_, given, segments) => expect(check(given, ...segments)).toEqual([]));

  // Five words of content: three shared are 60 %, two are less.
  const five = think('', { text: 'Alpha bravo charlie delta foxtrot 1931.' });
  test.each([
    ['three of five', 'alpha bravo charlie 1921.', 2],
    ['two of five', 'alpha bravo golf 1921.', 0],
    ['in another sentence', 'alpha bravo 1921. charlie delta 1922.', 0],
    ['after a decimal point', 'alpha bravo 1.5 charlie.', 2],
  ])('the same matter: %s', (_, text, count) =>
    expect(check('1931', result('', { text }), five)).toHaveLength(count),
  );

  test('three words of content are enough, and the twenty claims nearest to the answer', () => {
    const three = (count: number) =>
      Array.from({ length: count }, () => think('', { text: 'Golf hotel india 1931.' }));
    const read = result('', { text: 'alpha bravo charlie 1921.' });
    const own = think('', { text: 'Alpha bravo charlie 1931.' });
    expect(check('1931', read, own)).toHaveLength(2);
    expect(check('1931', read, own, ...three(19))).toHaveLength(2);
    expect(check('1931', read, own, ...three(20))).toEqual([]);
  });
});

describe('facts of a rollout', () => {
  test.each([
    ['arithmetic', true],
    ['computation', true],
    ['counting', true],
    ['unanswerable', true],
    ['bridge', false],
    [undefined, false],
  ])('words of an answer to %s tell nothing: %s', (type, closed) => {
    const { question } = gold('47');
    const rollout = rolloutOf([result('47 of them')], {
      answer: '47',
      question: { ...question, ...(type !== undefined && { type }) },
    });
    const facts = readFactsOf(rollout);
    expect([facts.closed, facts.retrieved]).toEqual([closed, !closed]);
    expect(outcomeOf(facts)).toBe(closed ? 'right-closed' : 'right-with-evidence');
  });

  test('answers of yes and no alone are closed', () => {
    expect(isClosed(['Yes.', 'NO', 'noanswer'])).toBe(true);
    expect(isClosed(['yes', 'Oslo'])).toBe(false);
    expect(isClosed([])).toBe(false);
    expect(needlesOf(['The Oslo', 'yes', '!', 'Ida Holm'])).toEqual([' oslo ', ' ida holm ']);
  });

  test.each([
    ['<result>Oslo</result>', ' oslo '],
    ['<|im_start|>Oslo<|im_end|>', ' oslo '],
    [String.raw`{"text": "a city\nOslo\\tbig"}`, ' text city oslo big '],
    [String.raw`["Oslo\nbig"]`, ' oslo big '],
    // Outside of JSON a backslash is text.
    [String.raw`C:\nOslo`, ' cnoslo '],
  ])('%s as words', (text, words) => expect(segmentWords({ text })).toBe(words));

  test('a segment that was changed is read again', () => {
    const segment = { text: 'Oslo' };
    expect(segmentWords(segment)).toBe(' oslo ');
    segment.text = 'Rome';
    expect(segmentWords(segment)).toBe(' rome ');
  });

  test('queries are the policy’s; an answer of white space is none; what is not known is null', () => {
    const facts = readFactsOf(
      rolloutOf([search('a'), search('b', { source: 'prompt' }), think('c'), search('d')], {
        answer: ' ',
        ...gold(),
      }),
    );
    expect(facts).toMatchObject({
      searches: 2,
      answered: false,
      golds: false,
      scores: null,
      byR1Searcher: null,
      judge: null,
      closed: false,
      retrieved: false,
    });
    expect('unread' in facts).toBe(false);
    const unread = readFactsOf(rolloutOf([], { answer: 'x', notScored: 'prose' }));
    expect(unread).toMatchObject({ unread: true, golds: true, scores: null, answered: true });
  });
});
