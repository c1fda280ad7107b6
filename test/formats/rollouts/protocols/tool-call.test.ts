import { describe, expect, test } from 'vitest';
import {
  callText,
  isSearchCall,
  toolCallOf,
  TOOL_CALL,
} from '../../../../src/formats/rollouts/protocols/tool-call.ts';
import { splitText } from '../../../../src/formats/rollouts/protocols/split.ts';

describe('a call in the shapes that clients record', () => {
  const call = { name: 'f', arguments: { a: 1 } };
  test.each<[unknown, unknown]>([
    [call, call],
    [JSON.stringify(call), call],
    [{ name: 'f', arguments: '{"a":1}' }, call],
    [{ name: 'f', parameters: { a: 1 } }, call],
    [
      { name: 'f', parameters: { a: 1 }, arguments: {} },
      { name: 'f', arguments: {} },
    ],
    [{ function: { name: 'f', arguments: { a: 1 } }, name: 'other' }, call],
    [{ function: 'f', arguments: { a: 1 } }, call],
    [{ name: 'f', function: 'g', arguments: { a: 1 } }, call],
    [{ name: 'f' }, { name: 'f', arguments: {} }],
    [
      { name: 'f', arguments: [1] },
      { name: 'f', arguments: { input: [1] } },
    ],
    [
      { name: 'f', arguments: 5 },
      { name: 'f', arguments: { input: 5 } },
    ],
    [
      { name: 'f', arguments: '{"a":NaN}' },
      { name: 'f', arguments: { a: null } },
    ],
    [
      { name: 'f', arguments: 'no JSON' },
      { name: 'f', arguments: { input: null } },
    ],
    [{ arguments: {} }, null],
    [{ name: 5 }, null],
    ['no JSON', null],
    ['[1]', null],
    [null, null],
  ])('%j', (value, expected) => expect(toolCallOf(value)).toEqual(expected));

  test('as the chat template writes it', () => {
    expect(callText(call)).toBe('<tool_call>\n{"name":"f","arguments":{"a":1}}\n</tool_call>');
  });
});

describe('a call asks for something to read', () => {
  const asks = (name: string, given: object = {}) =>
    isSearchCall({ name, arguments: { ...given } });
  test.each(['web_search', 'Retrieve', 'wikipedia', 'browse', 'crawl_page', 'fetch', 'visit', 'lookup', 'look_up', 'reSEARCH'])(
    'by its name: %s',
    (name) => expect(asks(name)).toBe(true),
  ); // prettier-ignore
  test.each(['query', 'queries', 'query_list', 'search_query', 'q', 'keyword', 'keywords', 'url', 'urls', 'link', 'goal'])(
    'by what it gives: %s',
    (key) => {
      expect(asks('f', { [key]: 1 })).toBe(true);
      expect(TOOL_CALL.query?.(JSON.stringify({ name: 'f', arguments: { x: 'y', [key]: 'z' } }))?.text).toBe('z');
    },
  ); // prettier-ignore
  test('or it does not', () => {
    expect(asks('python', { code: 'x' })).toBe(false);
    expect(asks('look', { toString: undefined })).toBe(false);
  });
});

describe('what it asks for', () => {
  const query = (given: unknown) => {
    const text = JSON.stringify({ name: 'search', arguments: given });
    const found = TOOL_CALL.query?.(text);
    return (
      found && [
        found.text,
        found.start === 0 ? 0 : text.slice(found.start).slice(0, found.text.length),
      ]
    );
  };
  test.each<[unknown, unknown]>([
    [{ query: 'a' }, ['a', 'a']],
    [{ url: 'u', q: 'a' }, ['a', 'a']],
    [{ query: [], url: 'u' }, ['u', 'u']],
    [{ query: ['a', 5, 'b'] }, ['a; b', 0]],
    [{ query: ['only'] }, ['only', 'only']],
    [{ other: 'x', more: 'y' }, ['x', 'x']],
    [{ other: 5, more: ['y', 'z'] }, ['y', 'y']],
    [{ query: 'say "a"' }, ['say "a"', 0]],
    [{ query: 5 }, null],
    [{}, null],
    ['text', null],
  ])('%j', (given, expected) => expect(query(given)).toEqual(expected));
  test('is nothing where there is no call', () => expect(TOOL_CALL.query?.('who?')).toBeNull());
});

describe('calls and what answers them', () => {
  const call = (name: string) => `<tool_call>{"name":"${name}","arguments":{}}</tool_call>`;
  const answer = '<tool_response>d</tool_response>';
  const roles = (...parts: string[]) =>
    splitText(parts.join(''), TOOL_CALL).map(({ role }) => role);
  test('are searches and results where the tool brings something to read', () => {
    expect(roles(call('search'), answer)).toEqual(['search', 'result']);
    expect(roles(call('add'), answer)).toEqual(['other', 'other']);
    expect(roles(call('search'), answer, call('add'), answer)).toEqual([
      'search',
      'result',
      'other',
      'other',
    ]);
    expect(roles(call('add'), answer, call('search'), answer, answer)).toEqual([
      'other',
      'other',
      'search',
      'result',
      'result',
    ]);
    // Several calls are answered together, in order.
    expect(roles(call('search'), call('add'), answer, answer)).toEqual([
      'search',
      'other',
      'result',
      'other',
    ]);
    expect(roles(call('add'), call('search'), answer, answer)).toEqual([
      'other',
      'search',
      'other',
      'result',
    ]);
    // A call that nothing answered in its turn is answered by nothing later.
    expect(roles(call('search'), call('search'), answer, call('add'), answer)).toEqual([
      'search',
      'search',
      'result',
      'other',
      'other',
    ]);
    // A call that is not JSON, or was cut off, is still one.
    expect(roles('<tool_call>who?</tool_call>', answer)).toEqual(['search', 'result']);
    expect(roles('<tool_call>{"name":"add","arguments":{}}')).toEqual(['other']);
    expect(roles(answer)).toEqual(['other']);
  });

  test('include the spaces and the end-of-turn mark that the policy wrote after them', () => {
    const pieces = splitText(
      `<think>a</think>\n${call('search')} <|im_end|>\n${answer}\n<|im_end|>So.`,
      TOOL_CALL,
    );
    expect(pieces.map(({ role, text }) => [role, text])).toEqual([
      ['think', '<think>a</think>\n'],
      ['search', `${call('search')} <|im_end|>\n`],
      ['result', `${answer}\n<|im_end|>`],
      ['think', 'So.'],
    ]);
    // Blanks in front of everything stand alone.
    expect(splitText(`  ${call('search')}`, TOOL_CALL).map(({ text }) => text)).toEqual([
      '  ',
      call('search'),
    ]);
  });
});
