import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../../src/formats/rollouts/container/document.ts';
import { LineBuffer, readLines } from '../../../../src/formats/rollouts/shape/lines.ts';
import { inChunks } from '../helpers.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
type Told = [line: number, text: string | null, bytes: number];

async function told(bytes: Uint8Array, size: number): Promise<Told[]> {
  const found: Told[] = [];
  for await (const item of readDocument(inChunks(bytes, size)))
    found.push([item.line, item.text ?? item.fault, item.bytes]);
  return found;
}

describe('the elements of a document, with the line and the bytes of each', () => {
  it.each<[string, string, Told[]]>([
    ['none', '', []],
    ['an empty list', ' [\n] ', []],
    ['numbers and words', '[1, true,\n"a" ]', [[1, '1', 3], [1, 'true', 9], [2, '"a" ', 15]]],
    ['lists in a list', '[[1,[2]],\n[],{}]', [[1, '[1,[2]]', 8], [2, '[]', 12], [2, '{}', 15]]],
    ['commas too many', '[,1,,2,]', [[1, '1', 4], [1, '2', 7]]],
    ['objects one after the other', '{"a":1}\n{"b":\n2}{}', [[1, '{"a":1}', 7], [2, '{"b":\n2}', 16], [3, '{}', 18]]],
    ['lists one after the other', '[1]\n[2]', [[1, '1', 3], [2, '2', 7]]],
    ['an object after a list', '[1]\n{"a":[2]}', [[1, '1', 3], [2, '{"a":[2]}', 13]]],
    ['brackets and marks in texts', '["]\\"}\\\\","{["]', [[1, '"]\\"}\\\\"', 10], [1, '"{["', 15]]],
    ['texts with commas', '[{"a":"x, y"},"a,b"]', [[1, '{"a":"x, y"}', 13], [1, '"a,b"', 20]]],
    ['space of every kind', '\ufeff\t\n\v\f\r [\r\n\t1]', [[3, '1', 15]]],
    ['a bracket too many', '[1]]', [[1, '1', 3]]],
    ['two brackets too many, and another list', ']}[1]', [[1, '1', 5]]],
  ])('%s', async (_, text, expected) => {
    const bytes = utf8(text);
    for (const size of [1, 2, 5, 1000]) expect(await told(bytes, size)).toEqual(expected);
  }); // prettier-ignore

  const CUT =
    'the JSON ends in the middle: the file is cut off, or a bracket or a quote is missing';
  const BESIDE = 'there is text besides the JSON';
  it.each<[string, Told[]]>([
    ['[1', [[1, CUT, 2]]],
    ['[1,\n', [[1, '1', 3], [2, CUT, 4]]],
    ['[\n{"a":\n"b', [[2, CUT, 10]]],
    ['{"a":\n1', [[1, CUT, 7]]],
    ['{}{"a', [[1, '{}', 2], [1, CUT, 5]]],
    ['text [1]\n', [[1, '1', 8], [2, BESIDE, 9]]],
    ['[1] text', [[1, '1', 3], [1, BESIDE, 8]]],
    ['{},{}', [[1, '{}', 2], [1, '{}', 5], [1, BESIDE, 5]]],
    ['7', [[1, BESIDE, 1]]],
  ])('%j: what is wrong with it as a whole', async (text, expected) => {
    for (const size of [1, 1000]) expect(await told(utf8(text), size)).toEqual(expected);
  }); // prettier-ignore

  it('are reported where one is not text, and the next is read', async () => {
    const bytes = utf8('["?",\n2]');
    bytes[2] = 0xff;
    expect(await told(bytes, 3)).toEqual([
      [1, 'the line is not UTF-8 text', 5],
      [2, '2', 8],
    ]);
  });
});

describe('lines', () => {
  const lines = async (text: string, size: number): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const { number, text: own, bytes } of readLines(inChunks(utf8(text), size)))
      found.push([number, own, bytes]);
    return found;
  };
  it.each<[string, unknown[]]>([
    ['', []],
    ['\n', [[1, '', 1]]],
    ['a', [[1, 'a', 1]]],
    ['a\n\nbc\n', [[1, 'a', 2], [2, '', 3], [3, 'bc', 6]]],
    ['a\r\nb', [[1, 'a\r', 3], [2, 'b', 4]]],
  ])('%j', async (text, expected) => {
    for (const size of [1, 2, 1000]) expect(await lines(text, size)).toEqual(expected);
  }); // prettier-ignore

  it('of more than 256 MB are not kept, and the next is read', () => {
    const buffer = new LineBuffer();
    const part = new Uint8Array(2 ** 26);
    for (let i = 0; i < 4; i++) buffer.add(part);
    buffer.add(Uint8Array.of(65));
    buffer.add(Uint8Array.of(66));
    expect(buffer.empty).toBe(false);
    expect(buffer.take()).toEqual({ text: null, fault: 'the line is longer than 256 MB' });
    expect(buffer.empty).toBe(true);
    expect(buffer.take()).toEqual({ text: '' });
    buffer.add(utf8('next'));
    expect(buffer.take()).toEqual({ text: 'next' });
  });

  it('that are not text are reported, and the next is read', () => {
    const buffer = new LineBuffer();
    buffer.add(Uint8Array.of(0xc3));
    expect(buffer.take()).toEqual({ text: null, fault: 'the line is not UTF-8 text' });
    buffer.add(Uint8Array.of(0xc3));
    buffer.add(Uint8Array.of(0xa9));
    expect(buffer.take()).toEqual({ text: 'é' });
  });
});
