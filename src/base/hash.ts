/** Hashes: SHA-256 for what must be the same bytes, 32-bit ones for what only has to be spread. */

/** Bytes in hexadecimal, two digits each. */
export function toHex(bytes: Uint8Array): string {
  let hex = '';
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0');
  return hex;
}

/**
 * SHA-256 in hexadecimal, as `sha256sum` prints it, by the platform's own implementation (browser,
 * worker, Node).
 * @param content bytes, or a text, which stands for its UTF-8 bytes
 */
export async function sha256(content: Uint8Array | string): Promise<string> {
  const bytes =
    typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)));
}

/** JSON with keys in order, so that equal values give equal text. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${canonical(one)}`).join(',')}}`;
}

/**
 * FNV-1a over a text's UTF-16 code units, 32 bits, signed.
 * @param offset what it starts from, and
 * @param prime what each step multiplies by: other ones give a second, independent hash
 */
export function fnv1a(text: string, offset = 0x811c9dc5, prime = 0x01000193): number {
  let hash = offset | 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), prime);
  return hash;
}

/** The finaliser of MurmurHash3 (Appleby): every input bit reaches every output bit. Signed. */
export function avalanche(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
