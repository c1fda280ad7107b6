import { describe, expect, test } from 'vitest';
import { scoringFacts } from '../../../../src/evaluate/rollouts/rescore/facts.ts';
import { formFaults } from '../../../../src/evaluate/rollouts/rescore/facts.ts';
import { protocolById } from '../../../../src/formats/rollouts/protocols/catalogue.ts';
import type { ImportedSegment } from '../../../../src/formats/rollouts/shape/imported.ts';
import { answer, result, rolloutOf, search, think } from '../lint/rollout.ts';

/** What scorers read in a record without events: who wrote which tags. Forage's own protocol. */

const facts = (segments: ImportedSegment[], given: string | null = null) =>
  scoringFacts(rolloutOf(segments, { answer: given }));
const hint = (text: string): ImportedSegment => result(text, { role: 'hint' });
const quoted = (
  segments: readonly ImportedSegment[],
  spans: readonly { segment: number; start: number; end: number }[],
): string[] =>
  spans.map(({ segment, start, end }) => segments[segment]?.text.slice(start, end) ?? 'none');

describe('queries', () => {
  const queries = (...segments: ImportedSegment[]) =>
    facts(segments).queries.map(({ text, answered, refused }) => [text, answered, refused]);

  test.each([
    ['answered', [search('a'), result('x')], [['a', true, false]]],
    ['sent back', [search('a'), hint('x')], [['a', false, true]]],
    ['left without a word', [search('a'), think('x')], [['a', false, false]]],
    [
      'each by what follows it',
      [search('a'), search('b'), result('x')],
      [
        ['a', false, false],
        ['b', true, false],
      ],
    ],
    ['the policy’s alone', [search('a', { source: 'environment' }), result('x')], []],
    [
      'not answered by what the policy wrote',
      [search('a'), result('x', { source: 'policy' })],
      [['a', false, false]],
    ],
    [
      'nor refused by it',
      [search('a'), result('x', { source: 'policy', role: 'hint' })],
      [['a', false, false]],
    ],
    ['none before the first', [result('x'), hint('y'), search('a')], [['a', false, false]]],
  ] as [string, ImportedSegment[], unknown[]][])('are %s', (_, segments, wanted) => {
    expect(queries(...segments)).toEqual(wanted);
  });

  test('are in their whole segment, and their tags are counted wherever the policy wrote them', () => {
    const segments = [
      think('x'),
      { ...search('a'), text: '<search>a</search><web_search>b<search>' },
      result('<search>'),
      { ...think(''), text: 'so <local_search>' },
    ];
    const {
      queries: [first],
      opened,
    } = facts(segments);
    expect(quoted(segments, first?.evidence ?? [])).toEqual([segments[1]?.text]);
    expect(quoted(segments, opened).toSorted()).toEqual([
      '<local_search>',
      '<search>',
      '<search>',
      '<web_search>',
    ]);
  });
});

describe('the answer', () => {
  const place = (segments: ImportedSegment[], given: string | null): string[] =>
    facts(segments, given).answer.map(({ segment, start }) => `${segment}:${start}`);

  test('is at its last place in the last block that contains it', () => {
    const two = [answer('Rome'), answer('Oslo or Oslo'), think('Oslo')];
    const { length } = '<short_answer>\\boxed{Oslo or ';
    expect(place(two, ' Oslo ')).toEqual([`1:${length}`]);
    expect(facts(two, 'Oslo').answer[0]?.end).toBe(length + 4);
  });

  test('else in the last text of the policy’s that holds it, else nowhere', () => {
    expect(place([think('Oslo'), think('Oslo'), answer('Rome'), result('Oslo')], 'Oslo')).toEqual([
      '1:7',
    ]);
    expect(place([result('Oslo'), answer('Rome')], 'Oslo')).toEqual([]);
    expect(place([answer('Oslo')], null)).toEqual([]);
    expect(place([answer('Oslo')], '  ')).toEqual([]);
    expect(place([{ ...answer(''), text: 'Oslo' }], 'Oslo')).toEqual(['0:0']);
  });

  test('has a form where it was given, and prose before its box', () => {
    const long = { ...answer(''), text: '<long_answer> He <b>lives</b> there \\boxed{Oslo}' };
    expect(facts([long], 'Oslo')).toMatchObject({ form: 'long', prose: 'He lives there' });
    expect(facts([long, answer('Oslo')], 'Oslo')).toMatchObject({ form: 'short', prose: '' });
    expect(facts([long], ' ').form).toBeNull();
    expect(facts([long], null).form).toBeNull();
    const unboxed = { ...answer(''), text: '<long_answer>Oslo it is</long_answer>' };
    expect(facts([unboxed], 'Oslo')).toMatchObject({ form: 'long', prose: '' });
    expect(facts([{ ...long, source: 'environment' }], 'Oslo')).toMatchObject({
      form: 'short',
      prose: '',
    });
    expect(facts([think('Oslo')], 'Oslo')).toMatchObject({ form: 'short', prose: '' });
  });

  test('and a clean form make the whole well formed', () => {
    const clean = [think('x'), answer('Ida Holm')];
    expect(facts(clean, 'Ida Holm')).toMatchObject({
      formatValid: true,
      em: 1,
      answerText: 'Ida Holm',
    });
    expect(facts(clean, null)).toMatchObject({ formatValid: false, em: 0 });
    expect(facts(clean, ' ').formatValid).toBe(false);
    expect(facts([{ ...think(''), text: '<think>x' }, answer('a')], 'a').formatValid).toBe(false);
    const origin = { layout: 'x', protocol: null, responseAt: 0, fields: {}, columns: {} };
    const foreign = scoringFacts(rolloutOf(clean, { answer: 'Ida Holm', origin }));
    expect(foreign).toMatchObject({ formatValid: false, faults: [], opened: [] });
  });
});

describe('what came of reading', () => {
  const text = (...segments: ImportedSegment[]): string => facts(segments).afterReading.text;

  test('is the policy’s thought after the first result', () => {
    expect(text(think('a'), search('q'), result('r'), think('b'), result('s'), think('c'))).toBe(
      '<think>b</think> <think>c</think>',
    );
    expect(text(think('a'), search('q'))).toBe('');
    expect(text(result('r', { source: 'policy' }), think('b'))).toBe('');
    expect(text(hint('r'), think('b'))).toBe('');
    expect(text(result('r'), think('b', { source: 'environment' }))).toBe('');
  });

  test('or its own block, where the protocol has one', () => {
    expect(text(result('r'), think('b'), think('c', { role: 'refine' }))).toBe('<think>c</think>');
  });

  test('blocks of evidence, tokens and titles are reported with it', () => {
    const rollout = rolloutOf([
      think('x', { ids: [1, 2] }),
      think('quote', { role: 'evidence', ids: [3] }),
      result('Low Tide : a novel', { ids: [4] }),
    ]);
    rollout.question.supporting = ['Low Tide'];
    const { tokens, evidence, supporting, rounds } = scoringFacts(rollout);
    expect([tokens, supporting]).toEqual([3, ['Low Tide']]);
    expect(quoted(rollout.segments, evidence)).toEqual(['<think>quote</think>']);
    expect(rounds[0]?.passages.map(({ title }) => title)).toEqual(['Low Tide']);
    expect(facts([think('x')]).tokens).toBeNull();
  });
});

describe('breaches of a protocol', () => {
  const protocol = protocolById('search-r1');
  const broken = (...texts: (string | ImportedSegment)[]): string[] => {
    const segments = texts.map((each): ImportedSegment =>
      typeof each === 'string' ? { source: 'policy', role: 'think', text: each } : each,
    );
    return quoted(segments, formFaults(segments, protocol).flat());
  };
  const query = (text: string): ImportedSegment => ({ source: 'policy', role: 'search', text });

  test.each([
    ['a whole block', ['<think>a</think>'], []],
    ['with the end of its turn', ['<think>a</think><|im_end|>\n'], []],
    ['with white space after it', ['<think>a</think> \n'], []],
    ['not closed', ['<think>a'], ['<think>a']],
    ['not closed before its turn ends', ['<think>a<|im_end|>'], ['<think>a<|im_end|>']],
    // The tag that closes a block stands after the one that opens it.
    ['opened alone', ['<think>'], ['<think>']],
    ['closed by another', ['<think>a</answer>'], ['<think>a</answer>']],
    ['empty', ['<think></think>'], []],
    ['text between blocks', ['<think>a</think>', ' well '], [' well ']],
    ['white space between blocks', ['<think>a</think>', ' \n'], []],
    ['a tag in a block', ['<think>a<answer>b</think>'], ['<answer>']],
    ['a tag of the environment', ['<think>a</information>b</think>'], ['</information>']],
    // The prompt had opened the thought.
    ['a thought closed that the prompt opened', ['</think>'], []],
    ['once', ['</think>', '</think>'], ['</think>']],
    ['and not behind one of its own', ['<think>a</think>', '</think>'], ['</think>']],
    ['nor behind other text', ['well', '</think>'], ['well', '</think>']],
  ] as [string, string[], string[]][])('%s', (_, texts, wanted) => {
    expect(broken(...texts)).toEqual(wanted);
  });

  test('an empty query is one, and nothing that another wrote', () => {
    expect(broken(query('<search> </search>'))).toEqual(['<search> </search>']);
    expect(broken(query('<search>a</search>'))).toEqual([]);
    expect(broken({ source: 'environment', role: 'result', text: '<think>' })).toEqual([]);
    expect(broken({ source: 'prompt', role: 'question', text: 'well' })).toEqual([]);
  });

  test('where prose is thought, it may stand anywhere, and close what the prompt opened', () => {
    const rSearch = protocolById('r-search');
    const of = (...texts: string[]) => {
      const segments = texts.map((text): ImportedSegment => ({
        source: 'policy',
        role: 'think',
        text,
      }));
      return quoted(segments, formFaults(segments, rSearch).flat());
    };
    expect(of('well')).toEqual([]);
    expect(of('well </think> then')).toEqual([]);
    expect(of('well </think> then', 'more </think>')).toEqual(['</think>']);
    expect(of('well </search>')).toEqual(['</search>']);
  });

  test('are none where nobody knows the protocol', () => {
    expect(formFaults([{ source: 'policy', role: 'think', text: '<think>' }], null)).toEqual([]);
  });
});
