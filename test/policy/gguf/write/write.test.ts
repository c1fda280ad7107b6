import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { adapterGguf } from '../../../../src/policy/gguf/write/adapter.ts';
import { mergedGguf } from '../../../../src/policy/gguf/write/model.ts';
import { quantizeQ8, storeAs } from '../../../../src/policy/gguf/write/file.ts';
import { readGgufHeader } from '../../../../src/policy/gguf/header.ts';
import { bytesOf, writeBoth } from './made.ts';

/** What Python's `gguf` package writes of the same checkpoints; see make.py beside it. */
const expected = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../fixtures/gguf-written/expected.json'), 'utf8'),
) as Record<
  string,
  { bytes: number; sha256: string; tensors: Record<string, [string, number[], string]> }
>;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'forage-gguf-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const sha = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex').slice(0, 16);

async function summaryOf(bytes: Uint8Array) {
  const read = (start: number, end: number) => Promise.resolve(bytes.subarray(start, end));
  const { tensors } = await readGgufHeader({ name: 'x.gguf', size: bytes.length, read });
  return {
    bytes: bytes.length,
    sha256: sha(bytes),
    tensors: Object.fromEntries(
      tensors.map(({ name, type, shape, begin, end }) => [
        name,
        [type, shape, sha(bytes.subarray(begin, end))],
      ]),
    ),
  };
}

for (const family of ['qwen', 'llama3'] as const) {
  it.each(['F16', 'Q8_0'] as const)(
    `a merged ${family} model in %s is, byte by byte, what Python's gguf writes`,
    async (type) => {
      const { files, adapter } = await writeBoth(folder, family);
      const file = await mergedGguf(files, family, 'x.gguf', type, adapter);
      expect(await summaryOf(await bytesOf(file))).toEqual(expected[`${family} ${type}`]);
    },
  );

  it(`an adapter of ${family} is, byte by byte, what Python's gguf writes`, async () => {
    const { config, adapter } = await writeBoth(folder, family);
    const file = adapterGguf(config, family, 'x.gguf', adapter);
    expect(await summaryOf(await bytesOf(file))).toEqual(expected[`${family} adapter`]);
  });
}

it('Q8_0 rounds halves away from zero, as ggml does, and keeps zeros', () => {
  const values = new Float32Array(64);
  values.set([127, 0.5, 1.5, 2.5, -0.5, -2.5, 0.49, -127]);
  const stored = quantizeQ8(values);
  expect([...new Int8Array(stored.buffer, 2, 9)]).toEqual([127, 1, 2, 3, -1, -3, 0, -127, 0]);
  // The scale of the first block is 1, of the second 0.
  expect([...stored.subarray(0, 2)]).toEqual([0x00, 0x3c]);
  expect([...stored.subarray(34)].every((byte) => byte === 0)).toBe(true);
});

it('values that a type cannot hold are refused by the name of their tensor', () => {
  const stored = (type: 'F16' | 'Q8_0', value: number) => () =>
    storeAs(type, 'blk.0.ffn_up.weight', new Float32Array(32).fill(value));
  expect(stored('F16', 7e4)).toThrow(/^blk\.0\.ffn_up\.weight holds .* choose Q8_0 instead\.$/);
  expect(stored('Q8_0', 7e4)).not.toThrow();
  for (const value of [NaN, Infinity])
    for (const type of ['F16', 'Q8_0'] as const) expect(stored(type, value)).toThrow('ffn_up');
});
