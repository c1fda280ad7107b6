import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ImportedRollout } from '../../../src/formats/rollouts/shape/imported.ts';
import {
  cutByMarks,
  sentenceStretches,
  findPattern,
  phrasePattern,
} from '../../../src/evaluate/rollouts/reading/spans.ts';
import {
  gainInWords,
  passageKey,
  readRounds,
} from '../../../src/evaluate/rollouts/reading/rounds.ts';
import { revealHidden } from '../../../src/evaluate/rollouts/reading/visible.ts';
import { tokenTable } from '../../../src/evaluate/rollouts/reading/token-table.ts';
import { computeSide } from '../../../src/evaluate/rollouts/what-if/what-if.ts';
import { DEFAULT_SETTINGS } from '../../../src/ui/rollouts/reader/store/settings.ts';
import { PAYLOADS } from '../../fixtures/inspect/payloads.ts';
import { FILM, searched } from './hops/rollout.ts';
import { importOne } from '../../formats/rollouts/helpers.ts';

const two = (passages: readonly string[][]): string =>
  passages
    .map(
      (list, i) =>
        `<think>t${i}</think><search>q${i}</search><information>${list
          .map((text, n) => `(${n + 1})"${text.split(':')[0]}" ${text.split(':')[1]}`)
          .join('\n')}</information>`,
    )
    .join('');

const rollout = (passages: readonly string[][], supporting: string[] = []) =>
  importOne({
    input: 'Question: where?',
    output: `${two(passages)}<answer>Lima</answer>`,
    gts: ['Lima'],
    score: 1,
    step: 1,
  }).then((one): ImportedRollout => ({ ...one, question: { ...one.question, supporting } }));

describe('rounds as they are read', () => {
  it('marks the answer and its sentence, links a passage seen before, and states the gain', async () => {
    const one = await rollout(
      [
        ['Vexlo:A film. Made by Irma.', 'Song:A song.'],
        ['Irma:Irma was born in Lima. She sings.', 'Song:A song.'],
      ],
      ['Vexlo', 'Irma'],
    );
    const [first, second] = readRounds(one);
    expect(first!.gain).toEqual({
      passages: 2,
      fresh: 2,
      newSupporting: ['Vexlo'],
      answerFirst: false,
    });
    expect(second!.gain).toEqual({
      passages: 2,
      fresh: 1,
      newSupporting: ['Irma'],
      answerFirst: true,
    });
    expect(gainInWords(second!.gain!)).toBe(
      '1 of 2 passages new · new supporting: Irma · first with a gold answer',
    );
    const [irma, song] = second!.passages;
    const text = one.segments[irma!.segment]!.text;
    const read = ({ start, end }: { start: number; end: number }) => text.slice(start, end);
    expect(irma!.answers.map(read)).toEqual(['Lima']);
    expect(irma!.sentences.map(read)).toEqual(['Irma was born in Lima.']);
    expect([irma!.seenIn, song!.seenIn]).toEqual([null, 0]);
    // A bridge: the supporting passage of the first hop names the second.
    expect(first!.passages[0]!.sentences).toHaveLength(1);
  });

  it('counts a title and a first sight of the answer once, and a passage twice in one result as one', async () => {
    const one = await rollout(
      [
        ['Irma:Born in Lima.', 'Irma:Born in Lima.'],
        ['Irma:Born in Lima, they say.', 'Song:A song.'],
        ['Song:A song.'],
      ],
      ['Irma'],
    );
    const rounds = readRounds(one).slice(0, 3);
    expect(rounds.map(({ gain }) => gain)).toEqual([
      { passages: 2, fresh: 2, newSupporting: ['Irma'], answerFirst: true },
      { passages: 2, fresh: 2, newSupporting: [], answerFirst: false },
      { passages: 1, fresh: 0, newSupporting: [], answerFirst: false },
    ]);
    expect(rounds.map(({ passages }) => passages.map(({ seenIn }) => seenIn))).toEqual([
      [null, null],
      [null, null],
      [1],
    ]);
    expect(rounds.map(({ gain }) => gainInWords(gain!))).toEqual([
      '2 of 2 passages new · new supporting: Irma · first with a gold answer',
      '2 of 2 passages new · no new supporting title',
      '0 of 1 passages new · no new supporting title · nothing gained',
    ]);
    expect(rounds[0]?.passages.map(({ supporting }) => supporting)).toEqual([true, true]);
  });

  it('has no gain where nothing was read, and no titles to gain where the question names none', async () => {
    const one = await rollout([['A:text of it']]);
    const [first] = readRounds(one);
    expect(first?.gain?.newSupporting).toBeNull();
    expect(gainInWords(first!.gain!)).toBe('1 of 1 passages new');
    const none = await importOne({
      input: 'Question: where?',
      output: '<think>x</think><search>q</search><answer>Lima</answer>',
      gts: ['Lima'],
      score: 1,
      step: 1,
    });
    expect(readRounds(none).map(({ gain }) => gain)).toEqual([null]);
  });

  it('marks in a supporting passage what names another one, not itself, and in others nothing', async () => {
    const passages = ['Vexlo:Vexlo is a film. Irma made it.', 'Other:Irma is old. Vexlo too.'];
    const one = await rollout([passages], ['Vexlo', 'Irma']);
    const [film, other] = readRounds(one)[0]!.passages;
    const text = one.segments[film!.segment]!.text;
    expect(film!.sentences.map(({ start, end }) => text.slice(start, end).trim())).toEqual([
      'Irma made it.',
    ]);
    expect([film!.answers, other!.sentences, other!.supporting]).toEqual([[], [], false]);
    expect(text.slice(film!.bodyAt, film!.end)).toContain('Vexlo is a film');
  });

  it('tells passages by their title and their first 80 characters', () => {
    const text = 'x'.repeat(80);
    const key = passageKey({ title: 'A', text });
    expect(passageKey({ title: 'A', text: `${text}y` })).toBe(key);
    expect(passageKey({ title: 'A', text: `${text.slice(1)}y` })).not.toBe(key);
    expect(passageKey({ title: 'B', text })).not.toBe(key);
  });

  it('names every round differently, and numbers only searches that were made', () => {
    const hits = [FILM];
    const rollout = searched(
      [
        { query: 'film', hits },
        { query: 'birth', hits },
      ],
      'Oslo',
    );
    const names = (events: ImportedRollout['events']) =>
      readRounds({ ...rollout, events }).map(({ name }) => name);
    expect(names(rollout.events)).toEqual(['search 1', 'search 2', 'answer']);
    expect(names([])).toEqual(['round 1, no search', 'round 2, no search', 'answer']);
  });

  it('does not look for yes and no', async () => {
    const one = await rollout([['A:yes it is']]);
    one.question.answers = ['yes'];
    expect(readRounds(one)[0]!.passages[0]!.answers).toEqual([]);
  });
});

/** Occurrences of a phrase as whole words. */
const findPhrase = (text: string, phrase: string) => {
  const pattern = phrasePattern(phrase);
  return pattern ? findPattern(text, pattern) : [];
};

describe('phrases', () => {
  it('are whole words in any case, with offsets of the text itself', () => {
    expect(findPhrase('İİ the Lima, LIMA; Limas', 'lima')).toEqual([
      { start: 7, end: 11 },
      { start: 13, end: 17 },
    ]);
    expect(findPhrase('a+b (a+b)', 'A+B')).toHaveLength(2);
    expect(findPhrase('anything', '  ')).toEqual([]);
  });

  it('never fail on hostile needles', () => {
    const signs = fc.string({
      unit: fc.constantFrom(...Array.from('a -.*+?^${}()|[]\\/&<\uD800\u0130')),
    });
    fc.assert(
      fc.property(signs, signs, (text, needle) => {
        for (const { start, end } of findPhrase(text, needle)) expect(end).toBeGreaterThan(start);
      }),
    );
    for (const payload of PAYLOADS)
      expect(findPhrase(`x ${payload} x`, payload).length).toBeGreaterThanOrEqual(
        payload.trim() === '' ? 0 : 1,
      );
  });
});

describe('cutting', () => {
  it('gives back the whole stretch, whatever the marks are', () => {
    const span = fc.tuple(fc.nat(60), fc.nat(60)).map(([start, end]) => ({ start, end }));
    fc.assert(
      fc.property(fc.string({ maxLength: 50 }), fc.array(span), (text, marks) => {
        const cuts = cutByMarks(0, text.length, marks);
        expect(cuts.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text);
        for (const cut of cuts)
          for (const mark of cut.marks)
            expect(mark.start <= cut.start && mark.end >= cut.end).toBe(true);
      }),
    );
    expect(cutByMarks(0, 5, [{ start: 1, end: 3 }]).map(({ marks }) => marks.length)).toEqual([
      0, 1, 0,
    ]);
  });

  it('gives sentences that join to the text', () => {
    const text = 'One is here. Two?  Three! "Four." five';
    const parts = sentenceStretches(text).map(({ start, end }) => text.slice(start, end));
    expect(parts.join('')).toBe(text);
    expect(parts).toHaveLength(4);
  });
});

describe('phrases that are no names', () => {
  it('are words of any length together, with up to eight spaces between two', () => {
    expect(findPhrase('a        b', 'a b')).toHaveLength(1);
    expect(findPhrase('a         b', 'a b')).toEqual([]);
    expect(findPhrase('x'.repeat(2000), 'x'.repeat(2000))).toHaveLength(1);
    expect(phrasePattern('x'.repeat(2001))).toBeNull();
  });

  it('are found up to a limit', () => {
    const text = 'a '.repeat(1500);
    expect(findPhrase(text, 'a')).toHaveLength(1000);
    expect(findPattern(text, /a/g, 3)).toEqual([
      { start: 0, end: 1 },
      { start: 2, end: 3 },
      { start: 4, end: 5 },
    ]);
  });
});

describe('cutting by hand', () => {
  it('is at each border inside, marks beyond it cut off', () => {
    const [a, b, c] = [
      { start: 0, end: 4 },
      { start: 3, end: 9 },
      { start: 6, end: 6 },
    ];
    expect(cutByMarks(2, 8, [a, b, c])).toEqual([
      { start: 2, end: 3, marks: [a] },
      { start: 3, end: 4, marks: [a, b] },
      { start: 4, end: 8, marks: [b] },
    ]);
    // A mark that ends where the stretch begins, or begins where it ends, has no part in it.
    expect(cutByMarks(4, 6, [a, { start: 6, end: 9 }])).toEqual([{ start: 4, end: 6, marks: [] }]);
  });

  it('sentences end after a full stop before a capital, a number or a quotation', () => {
    const parts = (text: string): string[] =>
      sentenceStretches(text).map(({ start, end }) => text.slice(start, end));
    expect(parts('No. 5 is (A). It is 1.5 m. so')).toEqual([
      'No.',
      ' 5 is (A).',
      ' It is 1.5 m. so',
    ]);
    expect(parts('He said "No." Then! [x] y')).toEqual(['He said "No."', ' Then!', ' [x] y']);
    expect(parts('')).toEqual([]);
    expect(parts('Ends here. ')).toEqual(['Ends here. ']);
  });
});

it('shows characters that are not seen', () => {
  expect(revealHidden('a\u202Eb\u200B\u{E0041}')).toBe('a⟨U+202E⟩b⟨U+200B⟩⟨U+E0041⟩');
  expect(revealHidden('tab\tline\nété ❤️')).toBe('tab\tline\nété ❤️');
  expect(revealHidden('plain')).toBe('plain');
});

describe('tokens', () => {
  const record = (reward: number) => ({
    prompt: 'Question: x',
    response: '<think>a</think><answer>b</answer>',
    response_tokens: ['<think>', 'a', '</think>', '<answer>', 'b', '</answer>'],
    logprobs: [-1, -2, -1, -1, -1, -1],
    ref_logprobs: [-1, -1, -1, -1, -1, -1],
    reward,
    step: 1,
    ground_truth: 'b',
  });

  it('have every number of the file, and say why others are missing', async () => {
    const table = tokenTable(await importOne(record(1)));
    expect(table.kind).toBe('tokens');
    // The prompt has no tokens: its two words stand before the six.
    expect([table.count, table.mixed]).toEqual([8, true]);
    expect(table.columns.ratio![3]).toBeCloseTo(Math.exp(-1), 12);
    expect(table.columns.logprob![0]).toBeNaN();
    expect(table.texts.slice(2, 4)).toEqual(['<think>', 'a']);
    expect(table.lacks.entropy).toBe('the file has no entropies');
    expect(table.columns.entropy).toBeUndefined();
    expect(table.mask[0]).toBe(0);
    expect(table.mask[3]).toBe(-1);
  });

  it('take weights and advantages of the group to the right places', async () => {
    const pair = [await importOne(record(1)), await importOne(record(0))];
    const side = computeSide(pair, DEFAULT_SETTINGS);
    const table = tokenTable(pair[0]!, side.rollouts[0]);
    // GRPO of rewards 1 and 0 is ±1 (deviation ½) up to its epsilon; a sequence mean over two rollouts
    // of six tokens weighs each token 1 / 12.
    expect(table.columns.weight![2]).toBeCloseTo(1 / 12, 10);
    const advantage = side.rollouts[0]!.advantage!;
    expect(table.columns.advantage![2]).toBe(advantage);
    expect(table.columns.push![2]).toBeCloseTo(advantage / 12, 6);
    expect(table.columns.advantage![0]).toBeNaN();
  });

  it('are pieces between white space where the file has none, and the text is whole', async () => {
    const one = await rollout([['A:some text']]);
    const table = tokenTable(one);
    expect(table.kind).toBe('pieces');
    expect(table.texts.join('')).toBe(one.segments.map(({ text }) => text).join(''));
    expect(table.lacks.logprob).toContain('no tokens');
  });
});
