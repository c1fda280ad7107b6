import { describe, expect, test } from 'vitest';
import { protocolOf, roundsOf } from '../../../src/formats/rollouts/rounds.ts';
import type {
  ImportedRollout,
  ImportedSegment,
} from '../../../src/formats/rollouts/shape/imported.ts';

type Spoken = readonly [
  role: ImportedSegment['role'],
  text: string,
  source?: ImportedSegment['source'],
];

const rollout = (protocol: string | null, ...spoken: readonly Spoken[]): Pick<ImportedRollout, 'segments' | 'origin'> => ({
  segments: spoken.map(([role, text, source = role === 'result' || role === 'background' ? 'environment' : 'policy']) => ({ role, text, source })),
  origin: { layout: 'verl', protocol, responseAt: 0, fields: {}, columns: {} },
}); // prettier-ignore

describe('the passages of a result', () => {
  const passages = (text: string, protocol = 'search-r1') =>
    roundsOf(rollout(protocol, ['result', text]))[0]!.passages;
  const told = (text: string) => passages(text).map(({ title, text: own }) => [title, own]);

  test.each<[string, [string, string][]]>([
    ['<information>Doc 1(Title: "Low Tide") A novel.\nIt is long.\nDoc 2(Title: Ferry) A film.</information>', [['Low Tide', 'A novel.\nIt is long.'], ['Ferry', 'A film.']]],
    ['<information>(1)Title: Low Tide Text: A novel.\n(2) "Title: Ferry\tText: A film.</information>', [['Low Tide', 'A novel.'], ['Ferry', 'A film.']]],
    ['<information>[1] "Low Tide"\nA novel.\n[2] "Ferry" A film.</information>', [['Low Tide', 'A novel.'], ['Ferry', 'A film.']]],
    ['<information>Doc 1: Low Tide   A novel.\nDocument 2: Ferry    A film.</information>', [['Low Tide', 'A novel.'], ['Ferry', 'A film.']]],
    ['<information> Low Tide : A novel.\n\n \nFerry : A film. : B\n</information>', [['Low Tide', 'A novel.'], ['Ferry', 'A film. : B']]],
    ['<information>A novel.\nA film.</information>', [['', 'A novel.'], ['', 'A film.']]],
    ['<information>  (1) plain\n\t(2) text</information>', [['', '(1) plain'], ['', '(2) text']]],
    ['<information> </information>', []],
    ['<information>{"result": "(1)Title: A Text: x\\n(2)Title: B Text: y"}</information>', [['A', 'x\\n'], ['B', 'y"}']]],
    ['<information>Doc 1(Title: "Low Tide (novel)") A novel (1990).\nDoc 2(Title: "Ferry") A film.</information>', [['Low Tide (novel)', 'A novel (1990).'], ['Ferry', 'A film.']]],
    ['<information>\n"Low Tide"\nA novel.\n"Long."\n\n"Ferry "A" (film)"\nA film.\n</information>', [['Low Tide', 'A novel.\n"Long."'], ['Ferry "A" (film)', 'A film.']]],
    ['<information>A novel.\n\n"Ferry"\nA film.</information>', [['', 'A novel.'], ['', '"Ferry"'], ['', 'A film.']]],
    [`<information>{'document': 'Low Tide\\nA novel.\\n(1) It\\'s long.'}\n{'document': 'no title'}\n{'document': "Ferry's\\nA film, cut`, [['Low Tide', "A novel. (1) It's long."], ['', 'no title'], ["Ferry's", 'A film, cut']]],
    ['<information>plain (1) text "(2) x</information>', [['', 'plain (1) text "(2) x']]],
  ])('%j', (text, expected) => expect(told(text)).toEqual(expected)); // prettier-ignore

  test('where each stands', () => {
    const text = '<information> One : a\n\n  Two : bc \n</information>';
    const found = passages(text);
    expect(found.map(({ start, end }) => text.slice(start, end))).toEqual(['One : a', 'Two : bc']);
    expect(found.map(({ segment }) => segment)).toEqual([0, 0]);
  });
});

describe('the query of a round', () => {
  const query = (protocol: string | null, text: string) => {
    const found = roundsOf(rollout(protocol, ['search', text]))[0]?.query;
    return found && [found.text, text.slice(found.start, found.end)];
  };
  const call = (given: object) =>
    `<tool_call>\n${JSON.stringify({ name: 'search', arguments: given })}\n</tool_call>`;
  test('is the text in its tags', () => {
    expect(query('search-r1', ' <search> who? </search>')).toEqual(['who?', 'who?']);
    expect(query(null, ' <search>who?')).toEqual(['<search>who?', '<search>who?']);
  });
  test('is what a call asks for, marked where it says so', () => {
    expect(query('tool-call', call({ query: 'who?' }))).toEqual(['who?', 'who?']);
    const two = call({ query: ['one', 'two'] });
    expect(query('tool-call', two)).toEqual(['one; two', two.slice(12, -13)]);
    // Spelled in another way in the call: then the whole call is marked.
    const escaped = call({ query: 'a "b"' });
    expect(query('tool-call', escaped)).toEqual(['a "b"', escaped.slice(12, -13)]);
    expect(query('tool-call', '<tool_call>who?</tool_call>')).toEqual(['who?', 'who?']);
  });
});

describe('a round ends with what its query brought', () => {
  const shape = (...spoken: readonly Spoken[]) =>
    roundsOf(rollout('search-r1', ...spoken)).map(({ number, segments, query, passages }) => [
      number,
      segments,
      query?.text ?? null,
      passages.map(({ text }) => text),
    ]);
  test('and the next begins with the policy’s next text', () => {
    expect(
      shape(
        ['instruction', 'p', 'prompt'],
        ['background', 'known', 'environment'],
        ['think', 'a'],
        ['search', '<search>one</search>'],
        ['result', '<information>r</information>'],
        ['result', '<information>s</information>'],
        ['hint', 'h', 'environment'],
        ['think', 'b'],
        ['search', '<search>two</search>'],
        ['answer', 'x'],
      ),
    ).toEqual([
      [0, [0, 1, 2, 3, 4, 5, 6], 'one', ['known', 'r', 's']],
      [1, [7, 8, 9], 'two', []],
    ]);
  });
  test('but not with other blocks, nor with results that the policy wrote itself', () => {
    expect(shape(['other', '2', 'environment'], ['think', 'a'])).toEqual([[0, [0, 1], null, []]]);
    expect(shape(['result', '<information>r</information>', 'policy'], ['think', 'a'])).toEqual([
      [0, [0, 1], null, []],
    ]);
    expect(shape(['search', '<search>q</search>', 'environment'])).toEqual([[0, [0], null, []]]);
    expect(shape()).toEqual([]);
  });
});

test('the protocol is that of the origin; records of our own have Forage’s', () => {
  expect(protocolOf({})?.id).toBe('forage');
  expect(protocolOf(rollout('react'))?.id).toBe('react');
  expect(protocolOf(rollout(null))).toBeNull();
});
