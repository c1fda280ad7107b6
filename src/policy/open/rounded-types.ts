import type { Rounded } from '../model/upload.ts';

/** What the user should know of weights that are not held as their file stores them. */
export class RoundedTypes {
  readonly #types = new Map<string, Rounded & { readonly tensors: number }>();

  add(one: Rounded): void {
    const key = `${one.stored} ${one.held}`;
    const before = this.#types.get(key) ?? { ...one, tensors: 0, worst: 0, share: 0 };
    this.#types.set(key, {
      ...before,
      tensors: before.tensors + 1,
      worst: Math.max(before.worst, one.worst),
      share: Math.max(before.share, one.share),
    });
  }

  /** One sentence per type of the file, the most frequent first. */
  notes(): string[] {
    return [...this.#types.values()]
      .toSorted((a, b) => b.tensors - a.tensors)
      .map(
        ({ stored, held, tensors, worst, share }) =>
          `${tensors} ${tensors === 1 ? 'matrix' : 'matrices'} stored as ${stored} ${tensors === 1 ? 'is' : 'are'} held as ${held}: the largest difference is ${worst.toPrecision(2)}, ${(100 * share).toPrecision(2)} % of the largest value of its group of 32.`,
      );
  }
}
