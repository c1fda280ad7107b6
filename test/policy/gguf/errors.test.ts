import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openCheckpointFolder } from '../../../src/cli/shared/checkpoint-folder.ts';
import { checkFits } from '../../../src/cli/shared/memory.ts';
import { policyFolder } from '../../../src/cli/shared/parts.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { parameterSlots } from '../../../src/policy/checkpoint/weights.ts';
import { openGguf, type GgufModel } from '../../../src/policy/gguf/open.ts';
import { ggufParts } from '../../../src/policy/gguf/parts.ts';
import { loadTokenizer } from '../../../src/policy/open/load.ts';
import { bytesNamed } from './bytes.ts';

/** What a user reads for a file that cannot be used: what is wrong, and what to do. */

const folder = new URL('../../fixtures/gguf/', import.meta.url);
const fixture = (name: string): Uint8Array => new Uint8Array(readFileSync(new URL(name, folder)));
const exact = fixture('exact.gguf');

const open = (bytes: Uint8Array): Promise<GgufModel> => openGguf([bytesNamed('m.gguf', bytes)]);

/** Where a text ends in the file. */
function after(bytes: Uint8Array, text: string): number {
  const at = Buffer.from(bytes).indexOf(text);
  if (at < 0) throw new Error(`no ${text} in the fixture`);
  return at + text.length;
}

const changed = (change: (bytes: Uint8Array, view: DataView) => void): Uint8Array => {
  const bytes = exact.slice();
  change(bytes, new DataView(bytes.buffer));
  return bytes;
};

const renamed = (from: string, to: string): Uint8Array =>
  changed((bytes) => {
    expect(to).toHaveLength(from.length);
    bytes.set(new TextEncoder().encode(to), after(bytes, from) - from.length);
  });

/** A tensor's header: name, number of dimensions, two dimensions, type, offset. */
const TENSOR = 'blk.0.ffn_down.weight';
const [ROWS, TYPE, OFFSET] = [4 + 8, 4 + 2 * 8, 4 + 2 * 8 + 4];

describe('a file that cannot be used is named with what is wrong and what to do', () => {
  test.each<[what: string, bytes: Uint8Array, message: string]>([
    [
      'no GGUF',
      new TextEncoder().encode('{"model_type": "llama"}'),
      'm.gguf: it is not a GGUF file: its first four bytes are not "GGUF". Choose another file',
    ],
    [
      'empty',
      new Uint8Array(0),
      'm.gguf: the file ends at byte 0, inside its first bytes. It is not complete: download it again',
    ],
    [
      'version 1',
      changed((_, view) => view.setUint32(4, 1, true)),
      'm.gguf: it is GGUF version 1, of 2023; versions 2 and 3 are read. Convert the model again with a current llama.cpp',
    ],
    [
      'big-endian',
      changed((_, view) => view.setUint32(4, 3, false)),
      'm.gguf: it is a big-endian GGUF file. Use the little-endian file of this model',
    ],
    [
      'cut in its header',
      exact.subarray(0, 2000),
      'm.gguf: metadata key tokenizer.ggml.tokens claims 288 items; the file has 1382 bytes after it. It is incomplete or damaged: download it again',
    ],
    [
      'cut in its values',
      exact.subarray(0, -100),
      'm.gguf: tensor output_norm.weight is at bytes 55616 to 55872, but the file has 55772 bytes. It is not complete: download it again',
    ],
    [
      'an architecture that is not computed',
      renamed('\x05\0\0\0\0\0\0\0llama', '\x05\0\0\0\0\0\0\0mamba'),
      'm.gguf: its architecture is "mamba", which Forage does not compute. Use a model of the architectures llama, qwen2, qwen3, smollm3, gemma3',
    ],
    [
      'a type that is not read',
      changed((bytes, view) => view.setUint32(after(bytes, TENSOR) + TYPE, 16, true)),
      'm.gguf: tensor blk.0.ffn_down.weight has type IQ2_XXS, which Forage does not read. Use a file quantised as Q4_0, Q4_K_M, Q5_K_M, Q6_K, Q8_0, F16 or BF16',
    ],
    [
      'a tensor outside the file',
      changed((bytes, view) => view.setBigUint64(after(bytes, TENSOR) + OFFSET, 2n ** 40n, true)),
      'm.gguf: tensor blk.0.ffn_down.weight is at bytes 1099511633600 to 1099511637952, but the file has 55872 bytes. It is not complete: download it again',
    ],
    [
      'a tensor of another shape',
      changed((bytes, view) => view.setBigUint64(after(bytes, TENSOR) + ROWS, 32n, true)),
      'm.gguf: tensor blk.0.ffn_down.weight has shape [32, 64], its metadata asks for [64, 64]. Download the file again, or use another GGUF file of this model',
    ],
    [
      'a tensor that is missing',
      renamed(TENSOR, 'blk.0.ffn_dawn.weight'),
      'm.gguf: tensor blk.0.ffn_down.weight is missing. Download the file again, or use another GGUF file of this model',
    ],
    [
      'a setting that is missing',
      renamed('llama.embedding_length', 'llama.embedding_lenght'),
      'm.gguf: metadata key llama.embedding_length is missing. Convert the model again, or use another GGUF file of it',
    ],
    [
      'a tokenizer without merges',
      renamed('tokenizer.ggml.merges', 'tokenizer.ggml.murges'),
      'm.gguf: its tokenizer has no merges (tokenizer.ggml.merges). Download the file again, or convert the model with a current llama.cpp',
    ],
  ])('%s', async (_what, bytes, message) => {
    const reading = async (): Promise<void> => {
      const { files } = await open(bytes);
      await openCheckpoint(files);
      await loadTokenizer(files);
    };
    await expect(reading()).rejects.toThrow(message);
  });

  test('larger than the memory of the device, with what would fit', async () => {
    const path = new URL('exact.gguf', folder).pathname;
    const checkpoint = await openCheckpointFolder(path);
    const config = { ...checkpoint.config, layers: 32, hiddenSize: 4096, intermediateSize: 14336 };
    const limits = { maxContext: 256, maxSlots: 1 };
    const large = {
      ...checkpoint,
      limits,
      config: { ...config, vocabSize: 128_256, headDim: 1024 },
    };
    const cpu = { device: 'wasm', maxBinding: Infinity, maxBuffer: Infinity } as const;
    const tell = (memory: number) => () =>
      checkFits({ ...large, held: 'int8' }, { device: 'wasm' }, { ...cpu, memory });
    expect(tell(5e9)).toThrow(
      /exact\.gguf does not fit: it needs [\d.]+ GB, and this device gives 5\.00 GB\. Choose --weights int4, or --device webgpu\.$/,
    );
    expect(tell(1e9)).toThrow(/gives 1\.00 GB\. Choose a smaller model, or --device webgpu\.$/);
    expect(tell(2e10)).not.toThrow();
  });

  test('missing', () => {
    expect(() => policyFolder('models/x.gguf')).toThrow(
      'models/x.gguf is missing; correct the name of the GGUF file.',
    );
    const path = folder.pathname;
    expect(() => policyFolder(path)).toThrow(
      `${path} holds GGUF files; name one of them: --policy ${path}exact.gguf.`,
    );
  });
});

describe('a model in several files', () => {
  const NAMES = ggufParts('split-00002-of-00003.gguf');
  const parts = NAMES.map((name) => bytesNamed(name, fixture(name)));

  test('is read from all of them, by whichever is named', async () => {
    expect(NAMES).toEqual([1, 2, 3].map((n) => `split-0000${n}-of-00003.gguf`));
    const path = new URL('split-00003-of-00003.gguf', folder).pathname;
    const { files, id, weights } = await openCheckpointFolder(path);
    expect(id).toBe('split');
    expect(weights.map(({ name }) => name)).toEqual(NAMES);
    const source = await openCheckpoint(files);
    expect(source.files).toEqual(NAMES);
    for (const { name, length } of parameterSlots(source.config))
      expect(await source.read(name)).toHaveLength(length);
  });

  test('one that is missing is named', async () => {
    const some = mkdtempSync(join(tmpdir(), 'gguf-'));
    for (const name of [NAMES[0]!, NAMES[2]!]) cpSync(new URL(name, folder), join(some, name));
    await expect(openCheckpointFolder(join(some, NAMES[0]!))).rejects.toThrow(
      `${join(some, NAMES[1]!)} is missing. Put all parts of the model in one folder, or correct the name.`,
    );
    rmSync(some, { recursive: true });
  });

  test('one alone, under another name, says how many there are', async () => {
    await expect(openGguf([bytesNamed('a.gguf', fixture(NAMES[0]!))])).rejects.toThrow(
      'a.gguf: it is one of 3 parts, and 1 is here. Put all 3 parts side by side, under their own names (…-00001-of-00003.gguf)',
    );
  });

  test('parts in the wrong order, or twice, are refused', async () => {
    await expect(openGguf([parts[0]!, parts[2]!, parts[1]!])).rejects.toThrow(
      'split-00003-of-00003.gguf: it is part 3, not part 2. Give the parts their own names again',
    );
  });
});
