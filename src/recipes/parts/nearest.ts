/** Names that are like one that nobody has, for the message that says so. */

/** A list of at most this many is given whole; of a longer one this many are shown. */
const LISTED = 12;
const SHOWN = 5;
/** Likenesses that are offered. */
const OFFERED = 3;

/** Letters and digits alone: what is between words is the first thing to be forgotten. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Letters that are inserted, left out, replaced, or swapped with their neighbour (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  let [before, last] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const [here, left, up] = [last[j - 1] ?? 0, row[j - 1] ?? 0, last[j] ?? 0];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const least = Math.min(here + Number(a[i - 1] !== b[j - 1]), left + 1, up + 1);
      row.push(swapped ? Math.min(least, (before[j - 2] ?? 0) + 1) : least);
    }
    [before, last] = [last, row];
  }
  return last[b.length] ?? 0;
}

/** How far a name is from a wanted one; null where nobody would take one for the other. */
function distanceTo(wanted: string, name: string): number | null {
  const [a, b] = [plain(wanted), plain(name)];
  if (a === '') return null;
  // A beginning, or a part, of it is a name that was not written to its end.
  if (a.length > 2 && b.includes(a)) return a === b ? 0 : 1;
  const distance = editDistance(a, b);
  return distance <= Math.max(1, Math.floor(a.length / 3)) ? distance : null;
}

/** The known names that are most like a wanted one, the likest first; none where none is. */
export const nearest = (wanted: string, known: readonly string[]): string[] =>
  known
    .flatMap((name) => {
      const distance = distanceTo(wanted, name);
      return distance === null ? [] : [{ name, distance }];
    })
    .toSorted((a, b) => a.distance - b.distance || a.name.length - b.name.length)
    .slice(0, OFFERED)
    .map(({ name }) => name);

const either = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;

/**
 * What follows “there is no such name; ”: what may have been meant, and which names there are, in short where they are many.
 * @param lists what lists all of them, where they are many
 */
export function knownAs(wanted: string, known: readonly string[], lists?: string): string {
  const near = nearest(wanted, known);
  const there =
    known.length <= LISTED
      ? `there are ${known.join(', ')}`
      : `there are ${known.length}${near.length > 0 ? '' : `, such as ${known.slice(0, SHOWN).join(', ')}`}${lists === undefined ? '' : `: ${lists} lists them`}`;
  return near.length === 0 ? there : `did you mean ${either(near)}? T${there.slice(1)}`;
}
