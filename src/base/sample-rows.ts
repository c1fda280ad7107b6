/** Uniform numbers in [0, 1) from a seed (Mulberry32): the same on every machine. */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

/** `count` distinct whole numbers below `n` in rising order (all of them where there are fewer). */
export function sampleRows(n: number, count: number, random: () => number): Int32Array {
  const take = Math.min(n, count);
  const rows = new Int32Array(take);
  // Selection sampling (Knuth, algorithm S): every subset has the same chance.
  for (let row = 0, taken = 0; taken < take; row++) {
    if ((n - row) * random() < take - taken) rows[taken++] = row;
  }
  return rows;
}
