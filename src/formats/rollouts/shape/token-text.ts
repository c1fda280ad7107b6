import { itemAt } from '../../../base/items.ts';

/** Tokens and the text that they spell. */

/** Text of a token that a vocabulary spells with markers for space and newline. */
const plain = (token: string): string =>
  token.replaceAll('Ġ', ' ').replaceAll('Ċ', '\n').replaceAll('▁', ' ');

/** Marks that end a sequence or fill a batch; decoding often leaves them out. */
const SPECIAL = /^(?:<[^<>\s]{1,60}>|\[(?:PAD|EOS)\])$/;

/** Where each token starts, in the spelling that `spell` gives; null where that is not the text. */
function spelled(
  text: string,
  tokens: readonly string[],
  spell: (token: string) => string,
): number[] | null {
  const offsets = [0];
  let at = 0;
  for (const token of tokens) {
    const part = spell(token);
    if (text.startsWith(part, at)) at += part.length;
    else if (at < text.length || !SPECIAL.test(token)) return null;
    offsets.push(at);
  }
  return at === text.length ? offsets : null;
}

/** GPT-2's alphabet: a printable character for every byte. */
const BYTES: ReadonlyMap<string, number> = (() => {
  const map = new Map<string, number>();
  let extra = 256;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    map.set(String.fromCodePoint(printable ? byte : extra++), byte);
  }
  return map;
})();

/** Bytes of a token in GPT-2's alphabet; null where it has other characters. */
function bytesOf(token: string): number[] | null {
  const bytes = Array.from(token, (char) => BYTES.get(char));
  return bytes.every((byte) => byte !== undefined) ? bytes : null;
}

/** Where each byte's character starts in the text, and the text's length. */
function charsOfBytes(text: string): number[] {
  const starts: number[] = [];
  let at = 0;
  for (const char of text) {
    const count = new TextEncoder().encode(char).length;
    for (let i = 0; i < count; i++) starts.push(at);
    at += char.length;
  }
  starts.push(at);
  return starts;
}

/** Tokens as `convert_ids_to_tokens` of a byte-level vocabulary writes them: a character may span several. */
function spelledInBytes(text: string, tokens: readonly string[]): number[] | null {
  const parts = tokens.map(bytesOf);
  if (!parts.every((part) => part !== null)) return null;
  const wanted = new TextEncoder().encode(text);
  const starts = charsOfBytes(text);
  const offsets = [0];
  let at = 0;
  for (const [i, part] of parts.entries()) {
    if (part.every((byte, j) => wanted[at + j] === byte)) at += part.length;
    else if (at < wanted.length || !SPECIAL.test(itemAt(tokens, i, 'tokens'))) return null;
    offsets.push(itemAt(starts, at, 'characters'));
  }
  return at === wanted.length ? offsets : null;
}

/** Where each token starts in the text, and the text's length; null where they do not spell it. */
export const tokenOffsets = (text: string, tokens: readonly string[]): number[] | null =>
  spelled(text, tokens, (token) => token) ??
  spelled(text, tokens, plain) ??
  spelledInBytes(text, tokens);

/** A character of which a token holds a part only. */
const PART = '\uFFFD';

/**
 * The tokens' texts so that joined they are the text. A token that holds part of a character has no text of
 * its own: the last one of the character has all of it.
 * @param pieces each token decoded alone
 * @returns null where they do not spell the text
 */
export function spellTokens(text: string, pieces: readonly string[]): string[] | null {
  const out: string[] = [];
  let at = 0;
  for (let i = 0; i < pieces.length; i++) {
    const piece = itemAt(pieces, i, 'tokens');
    if (text.startsWith(piece, at)) {
      out.push(piece);
      at += piece.length;
      continue;
    }
    // The first token of a text may lose the space in front of it, or have one too many.
    const bare = piece.trimStart();
    if (i === 0 && text.startsWith(bare, at)) {
      out.push(bare);
      at += bare.length;
      continue;
    }
    if (!piece.includes(PART)) return null;
    const whole = pieces.slice(i + 1).findIndex((piece) => !piece.includes(PART));
    const next = whole < 0 ? pieces.length : i + 1 + whole;
    const after = itemAt(
      pieces
        .slice(next, next + 4)
        .join('')
        .split(PART),
      0,
    );
    const end = next === pieces.length ? text.length : text.indexOf(after, at + 1);
    if (end < 0) return null;
    for (let k = i; k < next - 1; k++) out.push('');
    out.push(text.slice(at, end));
    at = end;
    i = next - 1;
  }
  return at === text.length ? out : null;
}
