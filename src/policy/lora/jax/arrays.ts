import { numpy as np } from '@jax-js/jax';

/** Records of device arrays, nested to any depth. */

/** Another reference to every array of a record, for a call that consumes it. */
export const shared = <T extends object>(record: T): T =>
  Object.fromEntries(
    Object.entries(record).map(([key, value]: [string, unknown]) => [
      key,
      value instanceof np.Array ? value.ref : shared(value as object),
    ]),
  ) as T;

/** Frees every array of a record. */
export function disposeAll(record: object): void {
  for (const value of Object.values(record) as unknown[])
    if (value instanceof np.Array) value.dispose();
    else disposeAll(value as object);
}
