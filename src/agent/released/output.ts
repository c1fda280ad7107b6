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

/** A result: the tags at its ends stay, and stand around one that came without them, as in a chat. */
function resultText(text: string, [before, after]: Dialect['result']): string {
  const [open = ''] = /^\s*<[^<>]+>/.exec(text) ?? [];
  const rest = text.slice(open.length);
  const [close = ''] = /<[^<>]+>\s*$/.exec(rest) ?? [];
  if (open === '' && close === '') return before + withoutTags(text) + after;
  return open + withoutTags(rest.slice(0, rest.length - close.length)) + close;
}

function pieceText({ source, role, text }: Piece, { result }: Pick<Dialect, 'result'>): string {
  if (source === 'policy') return text;
  if (role === 'result' || role === 'background') return resultText(text, result);
  // A forced answer is opened, and a block at a limit closed, in the policy's place.
  if (role === 'answer' || role === 'think' || role === 'search') return text;
  return withoutTags(text) + openedThought(text);
}

/** Some chat templates open the thought that the policy continues. */
const openedThought = (text: string): string =>
  text.trimEnd().endsWith('<think>') ? '<think>' : '';

/**
 * @param pieces all of a rollout; those of the prompt are left out, except for a thought that it begins
 * @param from where the output begins, among the pieces
 */
export function outputOf(
  pieces: readonly Piece[],
  from: number,
  dialect: Pick<Dialect, 'result'>,
): Output {
  const own = pieces.slice(from).filter(({ source }) => source !== 'prompt');
  const begun = openedThought(pieces[from - 1]?.text ?? '');
  return {
    text: begun + own.map((piece) => pieceText(piece, dialect)).join(''),
    written: own.map(({ source, text }) => (source === 'policy' ? text : '\n')).join(''),
  };
}

/** How often a text is in another one. */
export const count = (text: string, wanted: string): number => text.split(wanted).length - 1;

/** Contents of the closed blocks of a tag, trimmed, in order. */
export const blocksIn = (text: string, tag: string): string[] =>
  [...text.matchAll(new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`, 'g'))].map(([, inner = '']) =>
    inner.trim(),
  );
