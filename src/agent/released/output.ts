import type { Dialect } from '../transcript/dialects/dialect.ts';

/**
 * The text that a released reward function reads. Those functions know no events: they search the output for tags.
 * Differences from what they are given: text that was retrieved holds no tags here, and the prompt is left out.
 */
export interface Output {
  /** What the policy and the environment wrote after the prompt, in order. */
  text: string;
  /** What the policy wrote; a line break stands for what the environment wrote between. */
  written: string;
}

/** The part of a segment that matters here; records of other systems have further roles. */
interface Piece {
  source: 'prompt' | 'policy' | 'environment';
  role: string;
  text: string;
}

const withoutTags = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›');

/** A result: its own tags stay, and stand around one that came without them, as in a chat. */
function resultText(text: string, [before, after]: Dialect['result']): string {
  const [open, close] = [before.trim(), after.trim()];
  const from = open === '' ? -1 : text.indexOf(open);
  const to = close === '' ? -1 : text.lastIndexOf(close);
  if (from < 0 && to < 0) return before + withoutTags(text) + after;
  const start = from < 0 ? 0 : from + open.length;
  const end = to < start ? text.length : to;
  return text.slice(0, start) + withoutTags(text.slice(start, end)) + text.slice(end);
}

function pieceText({ source, role, text }: Piece, { result }: Pick<Dialect, 'result'>): string {
  if (source === 'policy') return text;
  if (role === 'result' || role === 'background') return resultText(text, result);
  // A forced answer is opened, and a block at a limit closed, in the policy's place.
  return role === 'answer' || role === 'think' || role === 'search' ? text : withoutTags(text);
}

/** @param pieces from the policy's first on; those of the prompt are left out */
export function outputOf(pieces: readonly Piece[], dialect: Pick<Dialect, 'result'>): Output {
  const own = pieces.filter(({ source }) => source !== 'prompt');
  return {
    text: own.map((piece) => pieceText(piece, dialect)).join(''),
    written: own.map(({ source, text }) => (source === 'policy' ? text : '\n')).join(''),
  };
}

/** How often a text stands in another one. */
export const count = (text: string, wanted: string): number => text.split(wanted).length - 1;

/** Contents of the closed blocks of a tag, trimmed, in order. */
export const blocksIn = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) =>
    inner.trim(),
  );
