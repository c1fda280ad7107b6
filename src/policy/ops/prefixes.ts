import { itemAt } from '../../base/items.ts';
import type { KvMove, TokenRun } from './values.ts';

type Placed = Pick<TokenRun, 'position' | 'start' | 'after'> & { readonly count: number };

/** A run after those that it continues, the first one of its context first. */
export function chainOf<R extends { readonly after?: number | undefined }>(
  runs: readonly R[],
  run: R,
): R[] {
  const chain = [run];
  for (let at = run.after; at !== undefined; at = itemAt(runs, at).after)
    chain.unshift(itemAt(runs, at));
  return chain;
}

/**
 * What gives runs that continue others the keys and values before their own; all of it comes from rows of this call.
 * @throws RangeError for a run that does not begin where the one that it continues ends, or at no multiple of 8
 */
export function prefixCopies(runs: readonly Placed[], size: 'few' | 'many'): KvMove[] {
  return runs.flatMap((run, i) => {
    if (run.after === undefined) return [];
    const parent = runs[run.after];
    if (size === 'few' || !parent || run.after >= i)
      throw new RangeError('tokens: a run continues an earlier run of many tokens');
    if (run.position !== parent.position + parent.count || run.position % 8 !== 0)
      throw new RangeError('tokens: a run continues another at its end, a multiple of 8');
    return chainOf(runs, run)
      .slice(0, -1)
      .map(({ start, position, count }) => ({
        from: start + position,
        to: run.start + position,
        count,
      }));
  });
}
