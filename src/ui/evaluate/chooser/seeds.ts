/** Seeds as typed: `1, 2, 5-8`. */

/** Most seeds per evaluation, as in its schema. */
const MOST = 50;
/** Seeds have 32 bits. */
const LARGEST = 0xffffffff;

/** Sorted distinct seeds; null if the text is invalid. */
export const parseSeeds = (text: string): number[] | null => {
  const seeds = new Set<number>();
  for (const part of text.split(/[\s,;]+/u).filter(Boolean)) {
    const [, from = '', to = from] = /^(\d{1,10})(?:[-–](\d{1,10}))?$/u.exec(part) ?? [];
    if (from === '') return null;
    const [first, last] = [Number(from), Number(to)];
    if (last < first || last > LARGEST || last - first >= MOST) return null;
    for (let seed = first; seed <= last; seed++) seeds.add(seed);
  }
  return seeds.size > 0 && seeds.size <= MOST ? [...seeds].sort((a, b) => a - b) : null;
};

/** Runs of three or more become a range. */
export const formatSeeds = (seeds: readonly number[]): string => {
  const parts: string[] = [];
  for (let at = 0; at < seeds.length;) {
    let end = at;
    while (seeds[end + 1] === (seeds[end] ?? NaN) + 1) end++;
    if (end - at >= 2) parts.push(`${seeds[at]}-${seeds[end]}`);
    else for (let one = at; one <= end; one++) parts.push(String(seeds[one]));
    at = end + 1;
  }
  return parts.join(', ');
};
