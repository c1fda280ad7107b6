/** Stretches of text that are marked: finding them, and cutting a text at their borders. */

/** `[start, end)` of some text. */
export interface Stretch {
  start: number;
  end: number;
}

const escapePattern = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`);

/** A text as a pattern, as it stands except for its case. */
export const textPattern = (text: string): RegExp => new RegExp(escapePattern(text), 'giu');

/** Characters of the longest phrase: a longer one is not a name, and would make a pattern too large. */
const LONGEST_PHRASE = 2000;

/** A phrase as a pattern: whole words, whatever their case and white space; null for an empty phrase. */
export function phrasePattern(phrase: string): RegExp | null {
  const words = phrase.trim().split(/\s+/).filter(Boolean).map(escapePattern);
  if (words.length === 0 || phrase.length > LONGEST_PHRASE) return null;
  return new RegExp(
    String.raw`(?<![\p{L}\p{N}])${words.join(String.raw`\s{1,8}`)}(?![\p{L}\p{N}])`,
    'giu',
  );
}

/** Where a pattern stands; offsets are those of the text. @param most occurrences after which it ends */
export function findPattern(text: string, pattern: RegExp, most = 1000): Stretch[] {
  const found: Stretch[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ start: match.index, end: match.index + match[0].length });
    if (found.length === most) break;
  }
  return found;
}

/** A piece of a text between two borders, and the marks that cover it. */
export interface Cut<M extends Stretch> extends Stretch {
  marks: M[];
}

/** Cuts `[from, to)` at the borders of marks; joined, the pieces are the stretch. */
export function cutByMarks<M extends Stretch>(
  from: number,
  to: number,
  marks: readonly M[],
): Cut<M>[] {
  const inside = marks.filter(({ start, end }) => start < to && end > from && start < end);
  const borders = new Set([from, to]);
  for (const { start, end } of inside) {
    if (start > from) borders.add(start);
    if (end < to) borders.add(end);
  }
  const sorted = [...borders].sort((a, b) => a - b);
  return sorted.slice(1).map((end, i) => {
    const start = sorted[i] ?? from;
    return {
      start,
      end,
      marks: inside.filter((mark) => mark.start <= start && mark.end >= end),
    };
  });
}

/** Sentences as stretches; joined they are the text. */
export function sentenceStretches(text: string): Stretch[] {
  const stretches: Stretch[] = [];
  let start = 0;
  for (const { index } of text.matchAll(/(?<=[.!?]["')\]]?)\s+(?=[\p{Lu}\p{N}"'([])/gu)) {
    stretches.push({ start, end: index });
    start = index;
  }
  if (start < text.length) stretches.push({ start, end: text.length });
  return stretches;
}
