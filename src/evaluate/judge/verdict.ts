export type Verdict = 'right' | 'wrong' | 'unreadable';

const WORDS = new Map<string, Verdict>([
  ['true', 'right'],
  ['false', 'wrong'],
]);

const LABELLED =
  /\b(?:verdict|judg(?:e)?ment|answer|grade|result)\W{0,4}\s*(?:is\s+)?\W{0,3}(true|false)\b/giu;

/** The verdict of a line that says nothing but one of the two words. */
const lineVerdict = (line: string): Verdict | undefined =>
  WORDS.get(
    line
      .replace(/[^\p{L}]+/gu, ' ')
      .trim()
      .toLowerCase(),
  );

/**
 * Reads a judge's reply, thoughts left out: the word alone, on its first or last line, or after a
 * label ("Verdict: True"). Whatever says both, or says it in passing ("not true"), is unreadable and
 * counts neither for nor against.
 */
export function readVerdict(said: string): Verdict {
  const text = said.replace(/<think>[\s\S]*?(?:<\/think>|$)/giu, '').trim();
  const lines = text.split(/\n+/u).filter((line) => line.trim() !== '');
  const found = new Set<Verdict>();
  for (const line of [lines[0], lines.at(-1)]) {
    const verdict = lineVerdict(line ?? '');
    if (verdict) found.add(verdict);
  }
  for (const [, word = ''] of text.matchAll(LABELLED)) {
    const verdict = WORDS.get(word.toLowerCase());
    if (verdict) found.add(verdict);
  }
  const [only] = found;
  return found.size === 1 && only ? only : 'unreadable';
}
