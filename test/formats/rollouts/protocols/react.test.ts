import { describe, expect, test } from 'vitest';
import { REACT } from '../../../../src/formats/rollouts/protocols/react.ts';
import { blockText, splitText } from '../../../../src/formats/rollouts/protocols/split.ts';

const split = (text: string): string[] =>
  splitText(text, REACT).map(({ role, source, text: own }) => `${role}/${source}: ${own}`);

describe('lines that open a block', () => {
  test('in the paper’s spelling', () => {
    expect(
      split(
        'First.\nThought 1: a\nb\nAction 1: Search[q]\nObservation 1: d\nThought 22: c\nAction 2: Finish[x]',
      ),
    ).toEqual([
      'think/policy: First.\n',
      'think/policy: Thought 1: a\nb\n',
      'search/policy: Action 1: Search[q]\n',
      'result/environment: Observation 1: d\n',
      'think/policy: Thought 22: c\n',
      'answer/policy: Action 2: Finish[x]',
    ]);
  });

  test('in LangChain’s', () => {
    expect(
      split('Thought: a\nAction: my_search\nAction Input: q\nObservation: d\n  Final Answer: x'),
    ).toEqual([
      'think/policy: Thought: a\n',
      'search/policy: Action: my_search\nAction Input: q\n',
      'result/environment: Observation: d\n',
      'answer/policy:   Final Answer: x',
    ]);
  });

  test('are at the start of a line, with their mark', () => {
    expect(split('a Thought: b\nThoughts: c\nAction 12345: d')).toEqual([
      'think/policy: a Thought: b\nThoughts: c\nAction 12345: d',
    ]);
    expect(split('')).toEqual([]);
    expect(split('Thought: a')).toEqual(['think/policy: Thought: a']);
  });

  test('a calculator’s answer is not evidence; a later search’s answer is', () => {
    const roles = (text: string) => splitText(text, REACT).map(({ role }) => role);
    expect(
      roles(
        'Action: add[1]\nObservation: 2\nAction: lookup[q]\nThought: a\nObservation: d\nObservation: e',
      ),
    ).toEqual(['other', 'other', 'search', 'think', 'result', 'result']);
    expect(roles('Observation: d')).toEqual(['other']);
    // An action named so in the middle finishes nothing.
    expect(roles('Action: not Finish[x]')).toEqual(['other']);
  });

  test.each([
    'Search[q]', 'lookup: q', 'WIKIPEDIA[q]', 'wiki_tool', 'retrieve', 'Retriever[q]', 'browser', 'browse[q]', 'Google',
    'google_search', 'bing', 'duckduckgo_results', 'tavily', 'web search', 'web-search[q]', 'my_lookup',
  ])('%s brings something to read', (action) =>
    expect(split(`Action: ${action}`)).toEqual([`search/policy: Action: ${action}`]),
  ); // prettier-ignore

  test.each(['Calculate[1]', 'python', 'do not search', 'a.search', `${'x'.repeat(41)}_search`])(
    '%s does not',
    (action) => expect(split(`Action: ${action}`)).toEqual([`other/policy: Action: ${action}`]),
  );
});

describe('a block without what marks it', () => {
  test.each([
    ['Thought 1: a \nb\n', 'a \nb', 11],
    ['Action 1: Search[ the q ]\n', 'the q', 18],
    ['Action: Finish[x]  ', 'x', 15],
    ['Action: Search[a [b] c]', 'a [b] c', 15],
    ['Action: \n Search[x]\n', 'x', 17],
    ['Action: search', 'search', 8],
    ['Action: search q] r', 'search q] r', 8],
    ['Action: Search[x] y', 'Search[x] y', 8],
    ['Action: the q\nis [x]', 'the q\nis [x]', 8],
    [`Action: ${'x'.repeat(60)}[y]`, 'y', 69],
    [`Action: ${'x'.repeat(61)}[y]`, `${'x'.repeat(61)}[y]`, 8],
    ['Action: search\nAction Input: q \n', 'q', 29],
    ['Action 3: search\n\tAction Input 3: "q"', '"q"', 34],
    ['Action: search[z]\nAction Input: q', 'q', 32],
    ['Observation: d [e]', 'd [e]', 13],
    ['Thought: see [e]', 'see [e]', 9],
    ['  Final Answer:  x ', 'x', 17],
    ['plain', 'plain', 0],
  ])('%j', (text, inner, start) => expect(blockText(text, REACT)).toEqual({ text: inner, start }));
});
