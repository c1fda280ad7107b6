import { describe, expect, it, test } from 'vitest';
import { outputOf, releaseOf, type Output, type Release } from '../../src/agent/released.ts';
import { dialectIds, dialectOf } from '../../src/recipes/parts/dialect.ts';
import { chosenIn, release as arena } from '../../src/systems/arena/reward.ts';
import { release as autoRefine } from '../../src/systems/auto-refine/reward.ts';
import { release as deepResearcher } from '../../src/systems/deep-researcher/reward.ts';
import { release as rSearch } from '../../src/systems/r-search/reward.ts';
import {
  firstRelease as r1SearcherFirst,
  release as r1Searcher,
} from '../../src/systems/r1-searcher/reward.ts';
import { release as research } from '../../src/systems/research/reward.ts';
import { release as searchR1 } from '../../src/systems/search-r1/reward.ts';
import { release as ur2 } from '../../src/systems/ur2-released/reward.ts';
import { paper as ur2Paper } from '../../src/systems/ur2/reward.ts';

/** What the reward functions of each release call well formed, and the answer that they take out of an output. */

const output = (text: string, written = text): Output => ({ text, written });
const faults = (release: Release, text: string, golds: string[] = ['Borfield']): number =>
  release.faults(output(text), golds).length;
const answer = (release: Release, text: string): string | null => release.answer(output(text));

const found = '\n\n<information>Doc 1(Title: "X") x</information>\n\n';
const asked = `<think> a </think><search> q </search>${found}`;

describe('Search-R1: think, then search, information, think, then answer', () => {
  test.each([
    ['with a search', `${asked}<think> b </think>\n<answer> Oslo </answer>`, 0],
    ['without one', '<think> b </think><answer> Oslo </answer>', 0],
    ['no thought after the result', `${asked}<answer> Oslo </answer>`, 1],
    ['no thought at all', `<search> q </search>${found}<answer> Oslo </answer>`, 1],
    ['text between blocks', '<think> b </think> so <answer> Oslo </answer>', 1],
    ['text before the first tag', 'Well. <think> b </think><answer> Oslo </answer>', 1],
    ['a thought that is not closed', '<think> b <answer> Oslo </answer>', 1],
    ['two thoughts', '<think> a </think><think> b </think><answer> Oslo </answer>', 1],
    ['an answer that is not closed', '<think> b </think><answer> Oslo', 1],
    ['a search without a result', '<think> a </think><search> q </search><think> b </think><answer> x </answer>', 1], // prettier-ignore
    ['text after the answer', '<think> b </think><answer> Oslo </answer> Yes.', 1],
    ['no answer', asked, 1],
    ['nothing', '', 1],
  ])('%s', (_, text, wanted) => expect(faults(searchR1, text)).toBe(wanted));

  it('takes the last closed answer', () => {
    expect(answer(searchR1, '<answer> a </answer><answer> b </answer>')).toBe('b');
    expect(answer(searchR1, '<answer> a')).toBeNull();
    expect(answer(searchR1, '<answer>  </answer>')).toBe('');
  });
});

describe('ReSearch, Tool-Star and ARPO: closed thoughts, results for searches, one boxed answer', () => {
  const boxed = String.raw`<answer> It is \boxed{Oslo} </answer>`;
  test.each([
    ['a search', `<think> a </think><search> q </search> <result>\nx\n</result>${boxed}`, 0],
    ['text between blocks', `<think> a </think> so ${boxed}`, 0],
    ['no thought', `<search> q </search> <result>\nx\n</result>${boxed}`, 1],
    ['a thought that is not closed', `<think> a ${boxed}`, 1],
    ['two answers', `<think> a </think>${boxed}${boxed}`, 1],
    ['a search without a result', `<think> a </think><search> q </search>${boxed}`, 1],
    ['no box', '<think> a </think><answer> Oslo </answer>', 1],
    ['a box behind a space', String.raw`<think> a </think><answer> \boxed {Oslo} </answer>`, 1],
    ['a box that is not closed', String.raw`<think> a </think><answer> \boxed{Oslo </answer>`, 1],
  ])('%s', (_, text, wanted) => expect(faults(research, text)).toBe(wanted));

  it('takes the last box, with the braces in it', () => {
    const two = String.raw`<answer> \boxed{a} or \boxed{\text{b}} </answer>`;
    expect(answer(research, two)).toBe(String.raw`\text{b}`);
    expect(answer(research, String.raw`<answer> \boxed{} </answer>`)).toBe('');
    expect(answer(research, String.raw`\boxed{a}`)).toBeNull();
  });
});

describe('DeepResearcher: tags that are balanced in number', () => {
  test.each([
    ['no thought', '<answer> Oslo </answer>', 0],
    ['closed before it is opened', '</think><think> a </think><think><answer> Oslo </answer>', 0],
    ['in capitals', '<THINK> a </think><answer> Oslo </ANSWER>', 0],
    ['a thought that is not closed', '<think> a <answer> Oslo </answer>', 1],
    ['two tags', '<think> a <answer> Oslo', 2],
  ])('%s', (_, text, wanted) => expect(faults(deepResearcher, text)).toBe(wanted));

  it('takes the first answer, in lower case', () => {
    expect(answer(deepResearcher, '<answer> Oslo </answer><answer> b </answer>')).toBe('oslo');
  });
});

describe('R-Search: one answer with text in it; one evidence after a result, else none', () => {
  const observed = '<observation>(Title: "X") x</observation>';
  const quoted = '<original_evidence> x </original_evidence>';
  test.each([
    ['neither result nor evidence', '<answer> Oslo </answer>', 0],
    ['both', `${observed}${quoted}<answer> Oslo </answer>`, 0],
    ['a result alone', `${observed}<answer> Oslo </answer>`, 1],
    ['evidence alone', `${quoted}<answer> Oslo </answer>`, 1],
    ['empty evidence', `${observed}<original_evidence> </original_evidence><answer> a </answer>`, 1], // prettier-ignore
    ['evidence twice', `${observed}${quoted}${quoted}<answer> a </answer>`, 1],
    ['an empty answer', '<answer>  </answer>', 1],
    ['two answers', '<answer> a </answer><answer> b </answer>', 1],
  ])('%s', (_, text, wanted) => expect(faults(rSearch, text)).toBe(wanted));
});

test('AutoRefine asks for a closed answer', () => {
  expect(faults(autoRefine, 'so <answer> Oslo </answer>')).toBe(0);
  expect(faults(autoRefine, '<think> a </think><answer> Oslo')).toBe(1);
});

describe('R1-Searcher: one thought that the prompt opens, one answer', () => {
  const search =
    ' <|begin_of_query|> q <|end_of_query|>\n\n<|begin_of_documents|>\n(1)Title: X Text: x\n<|end_of_documents|>\n\n';
  const empty = search.replace('(1)Title: X Text: x', ' nothing found');
  test.each([
    ['a search', `<think> a${search} b </think><answer> Oslo </answer>`, [0, 0]],
    ['the thought opened by the prompt', ` a </think><answer> Oslo </answer>`, [0, 0]],
    ['text before the thought', `Sure. <think> a </think><answer> Oslo </answer>`, [1, 1]],
    ['no end of the thought', ` a <answer> Oslo </answer>`, [1, 1]],
    ['nothing found', ` a${empty} b </think><answer> Oslo </answer>`, [0, 1]],
    ['a query in the answer', ` a </think><answer> <|begin_of_query|> x </answer>`, [0, 2]],
    ['Chinese', ` 东京 </think><answer> Oslo </answer>`, [0, 1]],
    ['the word assistant', ` the Assistant </think><answer> Oslo </answer>`, [0, 1]],
  ] as [string, string, number[]][])('%s', (_, text, wanted) => {
    expect([r1SearcherFirst, r1Searcher].map((one) => faults(one, text))).toEqual(wanted);
  });

  it('looks for Chinese and "assistant" in what the policy wrote alone', () => {
    const text = ' the assistant 东京 </think><answer> Oslo </answer>';
    expect(r1Searcher.faults(output(text, ' </think><answer> Oslo </answer>'), [])).toEqual([]);
  });
});

describe('UR²: queries that are answered, an answer in a box', () => {
  const search = '<|begin_of_query|> q <|end_of_query|><|begin_of_documents|>x<|end_of_documents|>';
  const words = (n: number): string => Array.from({ length: n }, (_, i) => `w${i}`).join(' ');
  const box = String.raw`\boxed{Borfield}`;
  test.each([
    ['no search', box, [0, 0]],
    ['four searches', `${search.repeat(4)}${box}`, [0, 0]],
    ['five', `${search.repeat(5)}${box}`, [1, 0]],
    ['a query of 20 words', `${search.replace(' q ', ` ${words(20)} `)}${box}`, [0, 1]],
    ['of 21', `${search.replace(' q ', ` ${words(21)} `)}${box}`, [1, 1]],
    ['documents of its own', `<|begin_of_documents|>${box}`, [1, 1]],
    // A query that the environment refused is none of the policy's faults in the paper.
    ['a query without documents', `<|begin_of_query|> q <|end_of_query|>${box}`, [1, 0]],
    ['Chinese', `东京 ${box}`, [1, 0]],
    ['no box', 'Borfield', [1, 1]],
    ['a box that is not closed', String.raw`\boxed{Borfield`, [1, 1]],
    ['eleven words', String.raw`\boxed{${words(11)}}`, [1, 0]],
  ] as [string, string, number[]][])('%s', (_, text, wanted) => {
    expect([ur2, ur2Paper].map((one) => faults(one, text))).toEqual(wanted);
  });

  it('reads a line from its first box to its last brace, as released', () => {
    const two = String.raw`The answer is \boxed{Nope}. No, it is \boxed{Oslo}.`;
    expect(answer(ur2, two)).toBe(String.raw`Nope}. No, it is \boxed{Oslo`);
    expect(answer(ur2Paper, two)).toBe('Oslo');
    expect(answer(ur2, 'The correct answer is: Borfield')).toBe('B');
    expect(answer(ur2, 'The correct answer is: Nope')).toBeNull();
    expect(answer(ur2Paper, 'The correct answer is: Nope')).toBe('Nope');
    expect(answer(ur2, '<answer> Oslo </answer>')).toBe('Oslo');
  });
});

describe('ARENA: relevance, analysis and answer', () => {
  const whole = '<relevance>\n[1, 2]\n</relevance>\n\n<analysis>\na\n</analysis>\n\n<answer>\nOslo\n</answer>'; // prettier-ignore
  test.each([
    ['whole', whole, 0],
    ['text on the next line', `${whole}\nYes.`, 0],
    ['text on the same line', `${whole} Yes.`, 1],
    ['text before', `Sure. ${whole}`, 1],
    ['"<" in the analysis', whole.replace('a\n', 'a < b\n'), 1],
    ['no analysis', '<relevance>[1]</relevance><answer>Oslo</answer>', 1],
  ])('%s', (_, text, wanted) => expect(faults(arena, text)).toBe(wanted));

  test.each([
    ['[1, 2]', [1, 2]],
    ['[1.0, 2]', [1, 2]],
    ['[]', []],
    ['["1"]', []],
    ['1, 2', null],
    ['[1 2]', null],
    ['[01, 2]', null],
    ['[1, 2].', null],
    ['none', null],
  ])('relevance %s', (list, wanted) => {
    expect(chosenIn(`<relevance>\n${list}\n</relevance>`)).toEqual(wanted);
  });
});

describe('the text that a release reads', () => {
  const dialect = dialectOf('search-r1');
  const piece = (source: 'prompt' | 'policy' | 'environment', role: string, text: string) => ({
    source,
    role,
    text,
  });

  it('holds no tag of a passage, and keeps those of the result', () => {
    const passage = '\n\n<information>Doc <answer> Rome </answer></information>\n\n';
    const { text, written } = outputOf(
      [piece('policy', 'search', '<search> q </search>'), piece('environment', 'result', passage)],
      0,
      dialect,
    );
    expect(text).toBe(
      '<search> q </search>\n\n<information>Doc ‹answer› Rome ‹/answer›</information>\n\n',
    );
    expect(written).toBe('<search> q </search>\n');
  });

  it('has tags around a result that came without, as in a chat, and none in a hint', () => {
    const { text } = outputOf(
      [piece('environment', 'result', 'Doc'), piece('environment', 'hint', 'write <answer> now')],
      0,
      dialect,
    );
    expect(text).toBe('\n\n<information>Doc</information>\n\nwrite ‹answer› now');
  });

  it('keeps what was written in the policy’s place, and leaves the prompt out', () => {
    const { text } = outputOf(
      [
        piece('prompt', 'instruction', 'such as <answer> Beijing </answer>'),
        piece('environment', 'answer', '<answer>'),
        piece('policy', 'answer', ' Oslo </answer>'),
      ],
      0,
      dialect,
    );
    expect(answer(searchR1, text)).toBe('Oslo');
  });

  it('begins with the thought that a chat template begins', () => {
    const { text, written } = outputOf(
      [
        piece('prompt', 'instruction', 'Think within <think> and </think>.\nassistant\n<think>\n'),
        piece('policy', 'think', ' a </think>'),
        piece('environment', 'instruction', 'user\n'),
        piece('environment', 'hint', 'go on'),
        piece('environment', 'instruction', 'assistant\n<think>\n'),
        piece('policy', 'think', ' b </think><answer> Oslo </answer>'),
      ],
      1,
      dialect,
    );
    expect(text.match(/<\/?think>/g)).toEqual(['<think>', '</think>', '<think>', '</think>']);
    expect(written).toBe(' a </think>\n\n\n b </think><answer> Oslo </answer>');
    expect(faults(searchR1, '<think> a </think><answer> Oslo </answer>')).toBe(0);
  });
});

test('every dialect of a trained system has the release that judges its format', () => {
  const without = dialectIds().filter((id) => releaseOf(id) === null);
  expect(without).toEqual([
    'hrpo',
    'in-forage',
    're-seek',
    'react',
    's3',
    'search-o1',
    'self-ask',
    'thoughts',
    'tools',
    'worked-example',
  ]);
});
