import { expect, it } from 'vitest';
import { ItemBuffer, pieces } from '../../../../src/formats/import/values/bytes.ts';
import { lines, type Line } from '../../../../src/formats/import/values/lines.ts';
import { MAX_ITEM_BYTES } from '../../../../src/formats/import/values/types.ts';

const MIB = 2 ** 20;

it('a file comes in pieces of a mebibyte, from where it is asked for', async () => {
  const file = new Blob([new Uint8Array(2 * MIB + 5).map((_, i) => i % 251)]);
  const found: [number, number, number | undefined][] = [];
  for await (const { start, bytes } of pieces(file, 3)) found.push([start, bytes.length, bytes[0]]);
  expect(found).toEqual([
    [3, MIB, 3],
    [MIB + 3, MIB, (MIB + 3) % 251],
    [2 * MIB + 3, 2, (2 * MIB + 3) % 251],
  ]);
});

it('no piece comes after reading was stopped', async () => {
  const controller = new AbortController();
  let seen = 0;
  const reading = (async () => {
    for await (const _ of pieces(new Blob([new Uint8Array(2 * MIB)]), 0, controller.signal)) {
      seen++;
      controller.abort(new Error('enough'));
    }
  })();
  await expect(reading).rejects.toThrow('enough');
  expect(seen).toBe(1);
});

it('parts of an item are one, up to a limit', () => {
  const buffer = new ItemBuffer(4);
  buffer.add(Uint8Array.of(1, 2, 3));
  buffer.add(Uint8Array.of(4));
  expect(buffer.overflowed).toBe(false);
  expect(buffer.take()).toEqual(Uint8Array.of(1, 2, 3, 4));
  expect(buffer.take()).toEqual(new Uint8Array());
  // One byte more, and all of it is given up; the next item is whole again.
  for (const part of [[1, 2, 3], [4], [5], [6]]) buffer.add(Uint8Array.from(part));
  expect(buffer.overflowed).toBe(true);
  expect(buffer.take()).toEqual(Uint8Array.of());
  expect(buffer.overflowed).toBe(false);
  buffer.add(Uint8Array.of(7));
  expect(buffer.take()).toEqual(Uint8Array.of(7));
});

async function linesOf(file: Blob, from: Parameters<typeof lines>[1] = {}): Promise<Line[]> {
  const found: Line[] = [];
  for await (const line of lines(file, from)) found.push(line);
  return found;
}

it.each<[string, [number, string, number][]]>([
  ['', []],
  ['a', [[1, 'a', 1]]],
  ['a\n', [[1, 'a', 2]]],
  ['a\r\n\nb\r', [[1, 'a', 3], [2, '', 4], [3, 'b', 6]]],
  ['\ra\n', [[1, '\ra', 3]]],
])('%j has the lines %j', async (text, expected) => {
  const found = await linesOf(new Blob([text]));
  expect(found.map(({ line, text: own, end }) => [line, own, end])).toEqual(expected);
}); // prettier-ignore

it('lines are counted on from a place in the file', async () => {
  const found = await linesOf(new Blob(['a\nb\nc']), { start: 2, firstLine: 2 });
  expect(found).toEqual([
    { line: 2, text: 'b', end: 4 },
    { line: 3, text: 'c', end: 5 },
  ]);
});

it('a line may be as long as an item, over many pieces, and no longer', async () => {
  const long = 'x'.repeat(MAX_ITEM_BYTES);
  const [first, second, third] = await linesOf(new Blob([long, '\n', long, 'y\nz']));
  expect(first?.text?.length).toBe(16 * MIB);
  expect(second).toMatchObject({
    text: null,
    problem: 'expected a line of at most 16777216 bytes',
  });
  expect(third).toEqual({ line: 3, text: 'z', end: 2 * MAX_ITEM_BYTES + 4 });
});
