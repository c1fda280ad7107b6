import { readFileSync } from 'node:fs';
import type { Random } from '../../../src/base/random.ts';
import { CheckpointError } from '../../../src/policy/checkpoint/checkpoint-error.ts';
import { openCheckpoint } from '../../../src/policy/checkpoint/checkpoint.ts';
import { parameterSlots } from '../../../src/policy/checkpoint/weights.ts';
import { readGgufHeader, type GgufBytes } from '../../../src/policy/gguf/header.ts';
import { openGguf } from '../../../src/policy/gguf/open.ts';
import { loadTokenizer } from '../../../src/policy/open/load.ts';
import { mutateBytes, pick } from './mutate.ts';
import { must, subject, type Subject } from './subject.ts';

/** GGUF files: mostly their headers are damaged, as values can be anything. */

const FILES = await Promise.all(
  ['exact', 'mixed', 'llama3', 'qwen2', 'smollm3', 'gemma3'].map(async (name) => {
    const url = new URL(`../../fixtures/gguf/${name}.gguf`, import.meta.url);
    const bytes = new Uint8Array(readFileSync(url));
    const { dataStart } = await readGgufHeader(fileOf(bytes));
    return { bytes, dataStart };
  }),
);

function fileOf(bytes: Uint8Array): GgufBytes {
  return {
    name: 'model.gguf',
    size: bytes.length,
    read: (start, end) => {
      must(start >= 0 && start <= end && end <= bytes.length, `a range of ${start} to ${end}`);
      return Promise.resolve(bytes.subarray(start, end));
    },
  };
}

/** Numbers of a header are 32 and 64 bits at any byte: one is replaced. */
function renumber(bytes: Uint8Array, random: Random): Uint8Array {
  const out = bytes.slice();
  const view = new DataView(out.buffer);
  const value = pick(random, [
    0,
    1,
    2,
    3,
    7,
    8,
    9,
    12,
    30,
    255,
    1024,
    2 ** 20,
    2 ** 31,
    2 ** 32 - 1,
  ]);
  const at = random.below(out.length - 8);
  if (random.uniform() < 0.5) view.setUint32(at, value, true);
  else view.setBigUint64(at, BigInt(value) << BigInt(random.below(33)), true);
  return out;
}

function damaged(random: Random): Uint8Array {
  const { bytes, dataStart } = pick(random, FILES);
  if (random.uniform() < 0.1) return mutateBytes(bytes, random);
  const header = bytes.subarray(0, dataStart);
  const mutate = random.uniform() < 0.5 ? renumber : mutateBytes;
  const changed = mutate(header, random);
  const out = new Uint8Array(changed.length + bytes.length - dataStart);
  out.set(changed);
  out.set(bytes.subarray(dataStart), changed.length);
  return out;
}

async function read(bytes: Uint8Array): Promise<void> {
  const { files, metadata } = await openGguf([fileOf(bytes)]);
  const source = await openCheckpoint(files);
  must(source.config.layers > 0, 'a decoder without layers');
  for (const { name, length } of parameterSlots(source.config))
    must((await source.read(name)).length === length, `other than ${length} values`);
  // Only one of the files has a tokenizer.
  if (metadata.has('tokenizer.ggml.model')) await loadTokenizer(files);
}

export const GGUF_SUBJECTS: readonly Subject[] = [
  subject<Uint8Array>({
    name: 'gguf',
    unit: 400,
    make: damaged,
    read,
    refuses: (error) => error instanceof CheckpointError,
  }),
];
