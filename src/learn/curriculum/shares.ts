/**
 * The name of the next draw: the one furthest behind its share, the first of equals. Names without
 * questions leave theirs to the others in proportion; where all that have some have share 0, to these evenly.
 */
export function nextByShare<Name extends string>(
  names: readonly Name[],
  shareOf: (name: Name) => number,
  sizes: Readonly<Record<Name, number>>,
  drawn: Readonly<Record<Name, number>>,
): Name | null {
  const filled = names.filter((name) => sizes[name] > 0);
  const shared = filled.filter((name) => shareOf(name) > 0);
  const wanted = (shared.length > 0 ? shared : filled).map((name) => ({
    name,
    share: shared.length > 0 ? shareOf(name) : 1,
  }));
  const whole = wanted.reduce((sum, { share }) => sum + share, 0);
  const draws = wanted.reduce((sum, { name }) => sum + drawn[name], 1);
  let best: Name | null = null;
  let furthest = -Infinity;
  for (const { name, share } of wanted) {
    // In units of 1 / whole: exact for whole shares, so that equals are equal.
    const behind = share * draws - drawn[name] * whole;
    if (behind > furthest) [best, furthest] = [name, behind];
  }
  return best;
}
