import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockText, splitText } from '../../../src/formats/rollouts/protocols/split.ts';
import { PROTOCOLS } from '../../../src/formats/rollouts/protocols/catalogue.ts';
import { readAnswer } from '../../../src/formats/rollouts/protocols/answer.ts';
import { recogniseProtocol } from '../../../src/formats/rollouts/protocols/recognise.ts';

const SAMPLES: Record<string, [text: string, roles: string[], answer: string]> = {
  forage: [
    '<think> a</think><search> q</search><result> T : t</result><think> b</think><short_answer> \\boxed{ Oslo }</short_answer>',
    ['think', 'search', 'result', 'think', 'answer'],
    'Oslo',
  ],
  'search-r1': [
    '<think>a</think>\n<search>q</search>\n\n<information>d</information>\n\n<answer> Oslo </answer>',
    ['think', 'other', 'search', 'other', 'result', 'answer'],
    'Oslo',
  ],
  autorefine: [
    '<think>a</think><search>q</search><documents>d</documents><refine>r</refine><answer>Oslo</answer>',
    ['think', 'search', 'result', 'refine', 'answer'],
    'Oslo',
  ],
  'r-search': [
    'I search.<search>q</search><observation>d</observation><original_evidence>e</original_evidence><answer>Oslo</answer>',
    ['think', 'search', 'result', 'evidence', 'answer'],
    'Oslo',
  ],
  're-seek': [
    '<think>a</think><search>q</search><information>d</information><judge>Yes</judge><answer>Oslo</answer>',
    ['think', 'search', 'result', 'other', 'answer'],
    'Oslo',
  ],
  'in-forage': [
    '<think>a</think><search>q</search><evidence>d</evidence><answer>Oslo</answer>',
    ['think', 'search', 'result', 'answer'],
    'Oslo',
  ],
  s3: [
    '<query>{"query": "q"}</query><information>d</information><important_info>[1]</important_info><search_complete>True</search_complete><answer>Oslo</answer>',
    ['search', 'result', 'other', 'other', 'answer'],
    'Oslo',
  ],
  arena: [
    '<references>d</references><relevance>[1]</relevance><analysis>a</analysis><answer>Oslo</answer>',
    ['result', 'other', 'think', 'answer'],
    'Oslo',
  ],
  'tool-star': [
    '<think>a</think><search>q</search><result>d</result><python>1 + 1</python><result>2</result><answer>It is \\boxed{Oslo}</answer>',
    ['think', 'search', 'result', 'other', 'other', 'answer'],
    'Oslo',
  ],
  research: [
    '<think>a</think><search>q</search><result>d</result><answer>It is \\boxed{Oslo}</answer>',
    ['think', 'search', 'result', 'answer'],
    'Oslo',
  ],
  'r1-searcher': [
    'a<|begin_of_query|>q<|end_of_query|><|begin_of_documents|>d<|end_of_documents|>b</think><answer> Oslo </answer>',
    ['think', 'search', 'result', 'think', 'answer'],
    'Oslo',
  ],
  ur2: [
    'a<|begin_of_query|>q<|end_of_query|><|begin_of_documents|>d<|end_of_documents|>so \\boxed{Rome}, no, \\boxed{Oslo}',
    ['think', 'search', 'result', 'think'],
    'Oslo',
  ],
  'think-answer': ['<think>a</think><answer>Oslo</answer>', ['think', 'answer'], 'Oslo'],
  'tool-call': [
    '<think>a</think><tool_call>{"name":"search","arguments":{"query":"q"}}</tool_call><tool_response>d</tool_response><answer>Oslo</answer>',
    ['think', 'search', 'result', 'answer'],
    'Oslo',
  ],
  'deepseek-call': [
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>search<｜tool▁sep｜>{"query":"q"}<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜><｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>d<｜tool▁output▁end｜><｜tool▁outputs▁end｜><answer>Oslo</answer>',
    ['think', 'search', 'result', 'answer'],
    'Oslo',
  ],
  harmony: [
    '<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>commentary to=functions.search <|constrain|>json<|message|>{"query":"q"}<|call|><|start|>functions.search to=assistant<|channel|>commentary<|message|>d<|end|><|start|>assistant<|channel|>final<|message|>Oslo<|return|>',
    ['think', 'search', 'result', 'answer'],
    'Oslo',
  ],
  react: [
    'Thought 1: a\nAction 1: Search[q]\nObservation 1: d\nThought 2: b\nAction 2: Finish[Oslo]',
    ['think', 'search', 'result', 'think', 'answer'],
    'Oslo',
  ],
  'search-o1': [
    'a<|begin_search_query|>q<|end_search_query|><|begin_search_result|>d<|end_search_result|>so \\boxed{Oslo}',
    ['think', 'search', 'result', 'think'],
    'Oslo',
  ],
  boxed: ['<think>a</think>So \\boxed{Oslo}', ['think', 'other'], 'Oslo'],
  gsm8k: ['6 * 12 = 72\n#### 72', ['other'], '72'],
  think: ['<think>a</think>\nThe answer is Oslo.', ['think', 'other'], 'Oslo'],
};

describe('published protocols', () => {
  test('every protocol of the catalogue has a sample', () => {
    expect(Object.keys(SAMPLES).sort()).toEqual(PROTOCOLS.map(({ id }) => id).sort());
  });

  test.each(Object.entries(SAMPLES))(
    '%s is recognised, split and answered',
    (id, [text, roles, answer]) => {
      const protocol = recogniseProtocol(text)!;
      expect(protocol.id).toBe(id);
      const pieces = splitText(text, protocol);
      expect(pieces.map(({ role }) => role)).toEqual(roles);
      expect(
        pieces.filter(({ role }) => role === 'result').map(({ source }) => source),
      ).not.toContain('policy');
      expect(readAnswer(pieces, protocol)).toBe(answer);
    },
  );

  test('text without tags is text', () => {
    expect(recogniseProtocol('The answer is <b>Oslo</b>, I <think> so.')).toBeNull();
  });

  test('UR² also answers in prose', () => {
    const ur2 = PROTOCOLS.find(({ id }) => id === 'ur2')!;
    const text = 'so the correct answer is: Oslo';
    expect(readAnswer(splitText(text, ur2), ur2)).toBe('Oslo');
  });
});

describe('splitting', () => {
  const searchR1 = PROTOCOLS.find(({ id }) => id === 'search-r1')!;
  const roles = (text: string) =>
    splitText(text, searchR1).map(({ role, source }) => [role, source]);

  test('tags inside a document are its text', () => {
    expect(roles('<search>q</search><information><answer>evil</answer></information>')).toEqual([
      ['search', 'policy'],
      ['result', 'environment'],
    ]);
  });

  test('a document without closing tag ends where the policy continues', () => {
    const text = '<information>cut<search>q</search><information>d</information><answer>x</answer>';
    const pieces = splitText(text, searchR1);
    expect(pieces.map(({ role, text: own }) => [role, own])).toEqual([
      ['result', '<information>cut'],
      ['search', '<search>q</search>'],
      ['result', '<information>d</information>'],
      ['answer', '<answer>x</answer>'],
    ]);
  });

  test('an unclosed query ends where the next block opens', () => {
    expect(roles('<search>q<information>d</information>')).toEqual([
      ['search', 'policy'],
      ['result', 'environment'],
    ]);
  });

  test('the pieces joined are the text, whatever it is', () => {
    const tags = PROTOCOLS.flatMap(({ blocks }) =>
      blocks.flatMap(({ open, close }) => [open, close]),
    );
    const part = fc.oneof(fc.constantFrom(...tags), fc.string({ maxLength: 6 }), fc.constant('\n'));
    fc.assert(
      fc.property(
        fc.constantFrom(...PROTOCOLS),
        fc.array(part, { maxLength: 40 }),
        (protocol, parts) => {
          const text = parts.join('');
          const pieces = splitText(text, protocol);
          expect(pieces.map((piece) => piece.text).join('')).toBe(text);
          for (const piece of pieces)
            expect(text.slice(piece.start, piece.start + piece.text.length)).toBe(piece.text);
        },
      ),
      { numRuns: 1500 },
    );
  });

  test('a megabyte of opening tags takes one pass', () => {
    const start = process.cpuUsage();
    splitText('<information><search>'.repeat(50_000), searchR1);
    expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
  });
});

test('finds the answer however tokens straddle the border of its block', () => {
  const protocol = PROTOCOLS.find(({ id }) => id === 'search-r1')!;
  for (const text of [
    '<answer> Peru </answer>',
    'answer> Peru </answer>',
    ' <answer> Peru </answer>\n',
    ' Peru </answer>',
  ])
    expect(blockText(text, protocol).text).toBe('Peru');
});
