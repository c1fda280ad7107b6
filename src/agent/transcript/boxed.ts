/** `\boxed{…}` in the text of one answer block. */

export interface Boxes {
  /** Contents of the closed boxes in order, trimmed; a box inside a box belongs to the outer one. */
  contents: string[];
  /** Whether a box was opened and its braces never balanced. */
  unclosed: boolean;
}

const OPENING = /\\boxed\s*\{/g;

/** Index after the brace that balances the one before `from`; −1 where none does. */
function balancedEnd(text: string, from: number): number {
  let depth = 1;
  for (let i = from; i < text.length; i++) {
    const char = text[i];
    if (char === '\\') i++;
    else if (char === '{') depth++;
    else if (char === '}' && --depth === 0) return i + 1;
  }
  return -1;
}

/** Every outermost box, with balanced braces; an escaped brace (`\{`) counts as text. */
export function readBoxes(text: string): Boxes {
  const contents: string[] = [];
  const opening = new RegExp(OPENING);
  for (let match = opening.exec(text); match; match = opening.exec(text)) {
    const from = match.index + match[0].length;
    const end = balancedEnd(text, from);
    if (end < 0) return { contents, unclosed: true };
    contents.push(text.slice(from, end - 1).trim());
    opening.lastIndex = end;
  }
  return { contents, unclosed: false };
}

export interface BoxedAnswer {
  /** The last box's content; null where there is none, or nothing in it. */
  answer: string | null;
  /** What is wrong with the block, as text; empty for exactly one closed, filled box. */
  faults: string[];
}

/** The answer of a block that holds it as plain text: a box in it counts all the same. */
export function readPlainAnswer(text: string, firstLine: boolean): BoxedAnswer {
  if (readBoxes(text).contents.length > 0) return readAnswer(text);
  const whole = text.replace(/^\s*:/u, '').trim();
  const line = firstLine ? (whole.split('\n')[0] ?? '').replace(/\.$/u, '') : whole;
  const answer = line.trim();
  return answer === '' ? { answer: null, faults: ['the answer is empty'] } : { answer, faults: [] };
}

/**
 * The answer of prose: its last box, else what follows the last of a dialect's phrases up to the end of the line.
 * @returns null where it has neither
 */
export function readProseAnswer(text: string, phrase?: string): string | null {
  const boxed = readBoxes(text).contents.at(-1);
  if (boxed !== undefined) return boxed;
  const at = phrase === undefined ? -1 : text.toLowerCase().lastIndexOf(phrase.toLowerCase());
  if (phrase === undefined || at < 0) return null;
  const [line = ''] = text
    .slice(at + phrase.length)
    .trim()
    .split('\n');
  return line.trim().replace(/\.$/u, '') || null;
}

/** The answer of one answer block: its last box. Text outside that block is never looked at. */
export function readAnswer(text: string): BoxedAnswer {
  const { contents, unclosed } = readBoxes(text);
  const faults: string[] = [];
  if (unclosed) faults.push('the box in the answer is not closed');
  else if (contents.length === 0) faults.push('the answer holds no box');
  if (contents.length > 1) faults.push(`the answer holds ${contents.length} boxes`);
  const last = contents.at(-1);
  if (last === '') faults.push('the box in the answer is empty');
  return { answer: last === undefined || last === '' ? null : last, faults };
}
