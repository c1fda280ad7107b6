/** The `count`-th largest of the first `n` values (from 1); reorders them (Hoare's quickselect). */
export function nthLargest(values: Float32Array, n: number, count: number): number {
  let low = 0;
  let high = n - 1;
  const target = count - 1;
  while (low !== high) {
    const pivot = values[(low + high) >> 1] ?? NaN;
    let i = low;
    let j = high;
    while (i <= j) {
      while ((values[i] ?? NaN) > pivot) i++;
      while ((values[j] ?? NaN) < pivot) j--;
      if (i > j) break;
      const swapped = values[i] ?? NaN;
      values[i] = values[j] ?? NaN;
      values[j] = swapped;
      i++;
      j--;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return values[target] ?? NaN;
}

/** Finds the largest of many scores again and again without new memory. */
export class Selector {
  #scratch = new Float32Array(0);

  /**
   * Indices of the `count` largest of the first `n` scores, in rising order of index; ties at the end
   * go to the lower index. Writes them to `out` from `at`; returns how many.
   */
  select(scores: Float32Array, n: number, count: number, out: Int32Array, at = 0): number {
    if (count >= n) {
      for (let i = 0; i < n; i++) out[at + i] = i;
      return n;
    }
    if (count <= 0) return 0;
    if (this.#scratch.length < n) this.#scratch = new Float32Array(2 * n);
    this.#scratch.set(scores.subarray(0, n));
    const least = nthLargest(this.#scratch, n, count);
    let above = 0;
    for (let i = 0; i < n; i++) if ((scores[i] ?? NaN) > least) above++;
    let ties = count - above;
    let written = at;
    for (let i = 0; i < n; i++) {
      const score = scores[i] ?? NaN;
      if (score > least || (score === least && ties-- > 0)) out[written++] = i;
    }
    return written - at;
  }
}
