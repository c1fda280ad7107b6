/** Something with keys: an object, or a list, whose keys are its numbers. */
export const isObjectOrList = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** An object with names, and no list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  isObjectOrList(value) && !Array.isArray(value);

/**
 * `over` laid over `base`, at every depth: objects are merged, anything else, lists too, is replaced
 * whole, and so is an object with another `id`, whose parameters are its own. Undefined says nothing. Neither argument is changed.
 */
export function merge(base: unknown, over: unknown): unknown {
  if (over === undefined) return base;
  if (!isObject(base) || !isObject(over)) return over;
  if (typeof over['id'] === 'string' && over['id'] !== (base['id'] ?? over['id'])) return over;
  const out: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) out[key] = merge(base[key], value);
  return out;
}
