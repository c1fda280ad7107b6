import { isGgufName } from '../../../formats/gguf.ts';
import { CheckpointError } from '../../../policy/checkpoint/checkpoint-error.ts';
import { MAX_HEADER_BYTES } from '../../../policy/checkpoint/checkpoint.ts';
import type { RangeFiles } from '../../storage/range-files.ts';
import { CheckpointFault } from './plan/fault.ts';
import { isWeights } from './plan/file-names.ts';
import { parseObject } from './plan/web.ts';

const MOST_TEXT_BYTES = 200_000_000;

const damaged = (name: string, problem: string): CheckpointFault =>
  new CheckpointFault(
    'damaged',
    `${name} ${problem}; it was deleted.`,
    'Resume to fetch it again. If that does not help, the file is damaged at its source.',
  );

/** Bytes that a safetensors file has by its own header: prefix, header, and the furthest tensor. */
function bytesByHeader(header: Record<string, unknown>, headerBytes: number): number | null {
  let data = 0;
  for (const [name, entry] of Object.entries(header)) {
    if (name === '__metadata__') continue;
    if (typeof entry !== 'object' || entry === null || !('data_offsets' in entry)) return null;
    const offsets: unknown = entry.data_offsets;
    const end: unknown = Array.isArray(offsets) ? offsets[1] : undefined;
    if (typeof end !== 'number' || !Number.isSafeInteger(end) || end < 0) return null;
    data = Math.max(data, end);
  }
  return 8 + headerBytes + data;
}

async function checkWeights(
  files: RangeFiles,
  path: string,
  name: string,
  bytes: number,
): Promise<void> {
  if (bytes < 8) throw damaged(name, `has ${bytes} bytes, too few for safetensors`);
  const prefix = await files.readRange(path, 0, 8);
  const length = new DataView(prefix.buffer).getBigUint64(0, true);
  if (length > BigInt(MAX_HEADER_BYTES) || length > BigInt(bytes - 8)) {
    const text = new TextDecoder().decode(prefix);
    throw damaged(
      name,
      text === 'version '
        ? 'is a Git LFS pointer, not the file itself'
        : 'is not a safetensors file',
    );
  }
  let header;
  try {
    header = parseObject(await files.readRange(path, 8, 8 + Number(length)), name);
  } catch (error) {
    if (error instanceof CheckpointFault) throw damaged(name, 'is not a safetensors file');
    throw error;
  }
  const expected = bytesByHeader(header, Number(length));
  if (expected === null) throw damaged(name, 'has a header that is not of safetensors');
  if (expected !== bytes)
    throw damaged(name, `has ${bytes} bytes; by its own header it has ${expected}`);
}

/** A header that can be read, and a file that has all tensors that it names. */
async function checkGguf(
  files: RangeFiles,
  path: string,
  name: string,
  size: number,
): Promise<void> {
  const { readGgufHeader } = await import('../../../policy/gguf/header.ts');
  const read = (start: number, end: number) => files.readRange(path, start, end);
  try {
    await readGgufHeader({ name, size, read });
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    throw damaged(name, `is damaged or incomplete (${error.message})`);
  }
}

/**
 * Checks that a stored file is what its name says, as far as possible without a hash: JSON
 * that parses, weights as long as their header says.
 * @throws CheckpointFault of kind `damaged`
 */
export async function checkFile(
  files: RangeFiles,
  path: string,
  name: string,
  bytes: number,
): Promise<void> {
  if (isGgufName(name)) return checkGguf(files, path, name, bytes);
  if (isWeights(name)) return checkWeights(files, path, name, bytes);
  if (!name.endsWith('.json')) return;
  if (bytes > MOST_TEXT_BYTES) throw damaged(name, `has ${bytes} bytes, too many for such a file`);
  try {
    parseObject(await files.readRange(path, 0, bytes), name);
  } catch (error) {
    if (error instanceof CheckpointFault) throw damaged(name, 'is no JSON');
    throw error;
  }
}
