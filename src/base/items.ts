/** Lists and maps, where the caller knows that something is there and the type does not. */

/**
 * The item at a place.
 * @param what the list, as the message calls it
 * @throws RangeError where the list holds none there
 */
export function itemAt<T>(items: ArrayLike<T>, place: number, what = 'list'): T {
  const item = items[place];
  if (item === undefined)
    throw new RangeError(`the ${what} holds ${items.length}, and was asked for number ${place}`);
  return item;
}

/** The last item. @throws RangeError where the list is empty */
export const lastOf = <T>(items: ArrayLike<T>, what = 'list'): T =>
  itemAt(items, items.length - 1, what);

/**
 * A value that must be there.
 * @param what it is, as the message calls it
 * @throws Error where it is undefined or null
 */
export function present<T>(value: T | undefined | null, what: string): T {
  if (value === undefined || value === null) throw new Error(`${what} is missing`);
  return value;
}

/** Items by key, in order. (Map.groupBy is not in every runtime that this runs on.) */
export function groupBy<T, K>(items: Iterable<T>, key: (item: T) => K): Map<K, T[]> {
  const out = new Map<K, T[]>();
  for (const item of items) {
    const k = key(item);
    const group = out.get(k);
    if (group) group.push(item);
    else out.set(k, [item]);
  }
  return out;
}
