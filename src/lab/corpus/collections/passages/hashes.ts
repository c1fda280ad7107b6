import { toHex } from '../../../../base/hash.ts';

/** Content hashes as bytes, and the hash of a set of them. */

const HASH_BYTES = 32;
export const NO_HASH = '0'.repeat(2 * HASH_BYTES);

/** Hexadecimal hashes, one after another. */
export function packHashes(hashes: readonly string[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(hashes.length * HASH_BYTES);
  for (const [i, hash] of hashes.entries())
    for (let at = 0; at < HASH_BYTES; at++)
      bytes[i * HASH_BYTES + at] = Number.parseInt(hash.slice(2 * at, 2 * at + 2), 16);
  return bytes;
}

export function* unpackHashes(bytes: Uint8Array): Generator<string, void> {
  for (let at = 0; at < bytes.length; at += HASH_BYTES)
    yield toHex(bytes.subarray(at, at + HASH_BYTES));
}

/** Adds hashes to the hash of a set, or takes them out of it: exclusive or, in any order. */
export function combineHashes(set: string, hashes: Uint8Array): string {
  const sum = packHashes([set]);
  for (let i = 0; i < hashes.length; i++) sum[i % HASH_BYTES]! ^= hashes[i]!;
  return toHex(sum);
}

/** The first bytes of each hash as a number: enough to find candidates for equality in memory. */
export function* hashKeys(bytes: Uint8Array): Generator<bigint, void> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.length; at += HASH_BYTES) yield view.getBigUint64(at);
}
