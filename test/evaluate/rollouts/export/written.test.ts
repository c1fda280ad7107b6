import { describe, expect, test } from 'vitest';
import { rolloutHtml } from '../../../../src/evaluate/rollouts/export/html.ts';
import { rolloutMarkdown } from '../../../../src/evaluate/rollouts/export/markdown.ts';
import {
  figuresOf,
  findingText,
  numberText,
  reportOf,
  whyNotScored,
} from '../../../../src/evaluate/rollouts/export/report.ts';
import { gainInWords } from '../../../../src/evaluate/rollouts/reading/rounds.ts';
import type { ImportedRollout } from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, prompt, result, rolloutOf, search, think } from '../lint/rollout.ts';

const gold = (...answers: string[]) => ({
  question: { id: 'q', text: 'Who wrote it?', answers, supporting: ['Low Tide'] },
});
const read: ImportedRollout['segments'] = [
  prompt('Who wrote it?'),
  search('Low Tide'),
  result('Low Tide : a novel by Ida Holm'),
  think('So it is.'),
  answer('Ida Holm'),
];
const figures = (part: Partial<ImportedRollout>) =>
  Object.fromEntries(figuresOf(reportOf(rolloutOf(read, part))));

describe('the figures of a rollout', () => {
  test('scored, with a judge, a reward and an advantage', () => {
    expect(
      figures({
        answer: 'ida holm',
        judge: { verdict: false, by: 'x' },
        reward: 0.123456,
        advantage: -0.5,
      }),
    ).toEqual({
      'EM (SQuAD)': '1',
      'F1 (SQuAD)': '1',
      'cover-EM (SQuAD)': '1',
      'EM (R1-Searcher)': '1',
      'cover-EM (R1-Searcher)': '1',
      outcome: 'retrieved but wrong (judge)',
      judge: 'wrong',
      reward: '0.1235',
      advantage: '−0.5',
      searches: '1',
      characters: String(read.map(({ text }) => text).join('').length),
    });
  });

  test.each([
    [{ answer: 'Ida Holm' }, 'right with retrieval (EM)', 'none in the file'],
    [{ answer: 'Al', judge: { verdict: true, by: 'x' } }, 'right with retrieval (judge)', 'right'],
    [{ answer: null, notScored: 'it ends in prose' }, 'not scored', 'none in the file'],
    [{ answer: 'Al', ...gold() }, '–', 'none in the file'],
  ])('%o', (part, outcome, judge) => expect(figures(part)).toMatchObject({ outcome, judge }));

  test.each([
    [null, '–'],
    [undefined, '–'],
    [NaN, '–'],
    [Infinity, '–'],
    [0, '0'],
    [1 / 3, '0.3333'],
    [12345.6, '12350'],
    [-1.5e-7, '−1.5e−7'],
  ])('the number %d is written %s', (value, text) => expect(numberText(value)).toBe(text));

  test('why nothing was scored', () => {
    const why = (part: Partial<ImportedRollout>) => whyNotScored(reportOf(rolloutOf(read, part)));
    expect(why({ answer: 'x' })).toBeNull();
    expect(why(gold())).toBe('The record has no gold answers; nothing was scored.');
    expect(why({ notScored: 'it ends in prose' })).toBe('Not scored: it ends in prose.');
  });

  test('a finding as text: title, case, why it matters', () => {
    const text = findingText({
      code: 'evidence-ignored',
      rollout: 'r',
      message: 'Case.',
      where: [],
    });
    expect(text).toBe('Evidence ignored: Case. Nothing that a search brought is ever used again.');
  });
});

test.each([
  [
    { passages: 5, fresh: 3, newSupporting: null, answerFirst: true },
    '3 of 5 passages new · first with a gold answer',
  ],
  [{ passages: 2, fresh: 1, newSupporting: null, answerFirst: false }, '1 of 2 passages new'],
  [
    { passages: 2, fresh: 0, newSupporting: null, answerFirst: false },
    '0 of 2 passages new · nothing gained',
  ],
  [
    { passages: 2, fresh: 0, newSupporting: [], answerFirst: true },
    '0 of 2 passages new · no new supporting title · first with a gold answer',
  ],
  [
    { passages: 1, fresh: 1, newSupporting: ['A', 'B'], answerFirst: false },
    '1 of 1 passages new · new supporting: A, B',
  ],
])('the gain %o', (gain, words) => expect(gainInWords(gain)).toBe(words));

describe('one rollout as HTML', () => {
  const rollout = rolloutOf(read, {
    ...gold('Ida Holm'),
    id: 'r1',
    runId: 'run 7',
    answer: 'Al',
  });
  const html = rolloutHtml(rollout);

  test('heads it with the question, gold and answer', () => {
    expect(html).toContain('<title>Who wrote it?</title>');
    expect(html).toContain('<h1>Who wrote it?</h1>');
    expect(html).toContain('<p>Gold <b>Ida Holm</b></p>');
    expect(html).toContain('<p>Answer <b>Al</b></p>');
    expect(html).toContain('<span><small>EM (SQuAD)</small> <b>0</b></span>');
    expect(html).toContain('Rollout r1 of run 7, written by Forage');
    expect(rolloutHtml(rolloutOf([], { ...gold('A', 'B') }))).toContain('<b>A or B</b>');
    const none = rolloutHtml(rolloutOf([], { ...gold(), answer: null }));
    expect(none).toContain('<p>Gold <b>none in the file</b></p>\n<p>Answer <b>no answer</b></p>');
    expect(none).toContain('<p>The record has no gold answers; nothing was scored.</p>');
  });

  test('marks gold answers, evidence and what the checks found', () => {
    expect(html).toContain(
      '<span class="supports" title="evidence">a novel by </span><mark title="gold answer"><span class="supports" title="evidence"><u title="Answer seen but not given">Ida Holm</u></span></mark>',
    );
    expect(html).toContain('<span class="badge">gold title</span>');
    // "Answer seen but not given" points at the passage, and is explained below it.
    expect(html).toContain('<p class="note">⚠ Answer seen but not given: One result holds');
    // "Under-search" is about the rollout as a whole: it is in the head.
    const head = html.slice(html.indexOf('<header>'), html.indexOf('</header>'));
    expect(head).toContain('⚠ Answered without evidence');
    expect(head).not.toContain('Answer seen but not given');
    expect(html.match(/⚠ Answered without evidence/g)).toHaveLength(1);
  });

  test('writes rounds by their searches, with their gain and their writers', () => {
    expect(html.match(/<summary>.*?<\/summary>/g)).toEqual([
      '<summary>Search 1</summary>',
      '<summary>Answer</summary>',
    ]);
    expect(html).toContain(
      '<p class="fine">1 of 1 passages new · new supporting: Low Tide · first with a gold answer</p>',
    );
    expect(html).toContain('<section class="segment policy"><h3>search <small>policy</small></h3>');
    const again = rolloutHtml(rolloutOf([...read, search('x'), ...read.slice(2, 3)], gold('Al')));
    expect(again).toContain('<span class="badge">seen in search 1</span>');
    expect(again.match(/seen in search/g)).toHaveLength(1);
  });

  test('a table of scores: name, total, clauses, what could not be computed', () => {
    expect(html).toContain(
      '<tr><td>R-Search</td><td class="number">0.2</td><td>answer-format 0.2, evidence-format 0, answer 0, evidence 0</td><td class="fine"></td></tr>',
    );
    expect(html).toContain(
      '<tr><td>KunLunBaizeRAG, short answers (17)</td><td class="number">–</td><td>format 1, accuracy 0</td><td class="fine">length: the file has no tokens to count</td></tr>',
    );
  });

  test('tokens with their numbers; pieces between white space where the file has none', () => {
    expect(html).toContain('The file has no tokens: these are pieces between white space.');
    const tokens = rolloutHtml(
      rolloutOf([
        prompt('p', { ids: [7], mask: 0 }),
        think('x', { tokens: ['ab', ' c'], logprobs: [-0.25, null], mask: 1 }),
        result('d', { ids: [9] }),
      ]),
    );
    expect(tokens).toContain('4 tokens; point at one for its numbers.</p>');
    expect(tokens).toContain(
      '<div class="tokens"><span class="t prompt m0" title="0: prompt, instruction · id 7 · mask 0">#7 </span>' +
        '<span class="t policy" title="1: policy, think · trained · log-probability −0.25">ab</span>' +
        '<span class="t policy" title="2: policy, think · trained"> c</span>' +
        '<span class="t environment" title="3: environment, result · id 9">#9 </span></div>',
    );
  });

  test('no more than twenty thousand tokens one by one', () => {
    const many = (count: number) =>
      rolloutHtml(rolloutOf([think('x', { ids: Array<number>(count).fill(0) })]));
    expect(many(20_000)).not.toContain('are written here');
    const cut = many(20_001);
    expect(cut).toContain(' The first 20000 of 20001 are written here.');
    expect(cut.match(/<span class="t /g)).toHaveLength(20_000);
    // 0 is an id like any other.
    expect(cut).toContain('id 0">#0 </span>');
  });
});

describe('one rollout as Markdown', () => {
  test('figures, rounds with their whole text, notes under what they are about, scores', () => {
    const text = rolloutMarkdown(rolloutOf(read, { ...gold('Ida Holm', 'I. Holm'), answer: 'Al' }));
    expect(text).toMatch(
      /^# Who wrote it\?\n\nGold: Ida Holm or I\\\. Holm\n\nAnswer: Al\n\nEM \\\(SQuAD\\\) 0 · /,
    );
    expect(text).toContain('\nRollout r, of run\n');
    expect(text.match(/^## .*$/gm)).toEqual(['## Search 1', '## Answer', '## Scores']);
    expect(text).toContain(
      '**result**, environment\n\n```text\n<result>\nLow Tide : a novel by Ida Holm\n</result>\n```\n> Answer seen but not given\\:',
    );
    expect(text).toContain(
      '\n1 of 1 passages new · new supporting\\: Low Tide · first with a gold answer\n',
    );
    expect(text.indexOf('> Answered without evidence')).toBeLessThan(text.indexOf('## Search 1'));
    expect(text.match(/> Answered without evidence/g)).toHaveLength(1);
    expect(text).toContain('| scorer | total | clauses | lacks |\n| --- | ---: | --- | --- |\n| ');
    expect(text).toMatch(
      /^\| KunLunBaizeRAG, short answers \\\(17\\\) \| – \| format 1, accuracy 0 \| length\\: the file has no tokens/m,
    );
  });

  test('what could not be scored says why', () => {
    const text = rolloutMarkdown(rolloutOf([], { ...gold(), answer: null }));
    expect(text).toContain('Gold: none in the file\n\nAnswer: no answer\n');
    expect(text).toContain('## Scores\n\nThe record has no gold answers; nothing was scored\\.\n');
  });
});
