import { splitSentences } from '../../../formats/import/values/sentences.ts';
import type { Passage } from '../../../records/records.ts';
import { cleanText } from './plain-text.ts';

/** What an engine found, before it becomes a hit. */
export interface Found {
  passage: Passage;
  /** The engine's own score; null where it gives none. */
  score: number | null;
}

/** Longer texts are cut after a sentence: a policy reads no more, and records stay small. */
const MAX_TEXT = 3_000;
const MAX_TITLE = 300;

/** 64 bits of a text (FNV-1a from two offsets) as hexadecimal: names what came without an id. */
export function textKey(text: string): string {
  let a = 0x811c9dc5;
  let b = 0x050c5d1f;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ (code + i), 0x01000193);
  }
  return [a, b].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

function cutSentences(sentences: readonly string[]): string[] {
  const kept: string[] = [];
  let length = 0;
  for (const sentence of sentences) {
    length += sentence.length + 1;
    if (length > MAX_TEXT && kept.length > 0) break;
    kept.push(sentence.slice(0, MAX_TEXT));
  }
  return kept;
}

/** Only addresses that a reader can open; `javascript:` and the like are dropped. */
function safeUrl(url: string | undefined): string | undefined {
  if (url === undefined || url.length > 2_000 || !URL.canParse(url)) return undefined;
  const { protocol, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return undefined;
  // Parsing takes control characters and spaces away; an address with such is given as it was parsed.
  return /^https?:[^\s\p{C}]+$/u.test(url) ? url : href;
}

export interface PassageParts {
  id: string;
  title: string;
  text: string;
  url?: string | undefined;
}

/** @returns null where there is no text */
export function passageOf({ id, title, text, url }: PassageParts): Passage | null {
  const sentences = cutSentences(splitSentences(cleanText(text)));
  if (sentences.length === 0) return null;
  const address = safeUrl(url);
  return {
    id,
    title: cleanText(title).slice(0, MAX_TITLE) || (sentences[0] ?? '').slice(0, 60),
    text: sentences.join(' '),
    sentences,
    url: address,
  };
}

/** FlashRAG's and Search-R1's `contents`: the title on a line of its own, in quotes, then the text. */
export function splitContents(contents: string): { title: string; text: string } {
  const [, first = '', rest = ''] = /^\s*([^\n]*)(?:\n([\s\S]*))?$/u.exec(contents) ?? [];
  const title = first.trim().replace(/^"+|"+$/gu, '');
  return rest.trim() === '' ? { title: '', text: title } : { title, text: rest };
}
