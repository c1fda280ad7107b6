/**
 * A handle as the class of the device that made it.
 * @throws TypeError for a handle of another device
 */
export function own<T extends object>(
  kind: abstract new (...args: never[]) => T,
  handle: object,
): T {
  if (handle instanceof kind) return handle;
  throw new TypeError(`${kind.name}: this handle was made by another device`);
}
