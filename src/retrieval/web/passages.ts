import { z } from 'zod';
import type { Passage } from '../../records/records.ts';
import { issueOf } from '../../base/errors.ts';
import { parseJson } from '../../base/fetch-file.ts';
import { fromRow, passageRowSchema, toRow } from '../../records/passage-rows.ts';
import { unwrapShard, wrapShard } from './container.ts';

export const encodePassages = (passages: readonly Passage[]): Uint8Array =>
  wrapShard('FWPS', new TextEncoder().encode(JSON.stringify(passages.map(toRow))));

export function decodePassages(file: Uint8Array, name: string): Passage[] {
  const parsed = z
    .array(passageRowSchema)
    .safeParse(parseJson(unwrapShard('FWPS', file, name), name));
  if (!parsed.success) throw new Error(`${name}: ${issueOf(parsed.error)}`);
  return parsed.data.map(fromRow);
}

/** Document lengths in terms, unsigned 16-bit little endian. */
export function encodeLengths(lengths: readonly number[]): Uint8Array {
  const payload = new Uint8Array(lengths.length * 2);
  const view = new DataView(payload.buffer);
  lengths.forEach((length, i) => view.setUint16(i * 2, Math.min(length, 0xffff), true));
  return wrapShard('FWDL', payload);
}

export function decodeLengths(file: Uint8Array, name: string, documents: number): Uint16Array {
  const payload = unwrapShard('FWDL', file, name);
  if (payload.length !== documents * 2) {
    throw new Error(`${name}: ${payload.length} bytes for ${documents} documents`);
  }
  const view = new DataView(payload.buffer, payload.byteOffset);
  return Uint16Array.from({ length: documents }, (_, i) => view.getUint16(i * 2, true));
}
