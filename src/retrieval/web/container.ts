/**
 * A shard file: four ASCII bytes that say its kind, the CRC-32 of the payload (little endian), the
 * payload. A file that was cut short or damaged is distinguished from a good one before anything is read.
 */

const HEADER = 8;

export type ShardKind = 'FWTP' | 'FWPS' | 'FWDL';

const KIND_NAMES: Record<ShardKind, string> = {
  FWTP: 'term shard',
  FWPS: 'passage shard',
  FWDL: 'table of document lengths',
};

export function wrapShard(kind: ShardKind, payload: Uint8Array): Uint8Array {
  const file = new Uint8Array(HEADER + payload.length);
  file.set(new TextEncoder().encode(kind));
  new DataView(file.buffer).setUint32(4, crc32(payload), true);
  file.set(payload, HEADER);
  return file;
}

/** The payload; throws a message that names the file and what is wrong with it. */
export function unwrapShard(kind: ShardKind, file: Uint8Array, name: string): Uint8Array {
  if (file.length < HEADER) throw new Error(`${name}: cut short, ${file.length} bytes`);
  const found = String.fromCharCode(...file.subarray(0, 4));
  if (found !== kind) throw new Error(`${name}: not a ${KIND_NAMES[kind]} (expected ${kind})`);
  const payload = file.subarray(HEADER);
  const expected = new DataView(file.buffer, file.byteOffset).getUint32(4, true);
  if (crc32(payload) !== expected) throw new Error(`${name}: damaged, its checksum does not match`);
  return payload;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

/** CRC-32 (IEEE 802.3). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? NaN) ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
