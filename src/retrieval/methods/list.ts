import { cluster } from './cluster.ts';
import { flat } from './flat.ts';
import { hnsw } from './hnsw.ts';
import { hybrid } from './hybrid.ts';
import { lexical } from './lexical.ts';
import type { LocalMethod } from './method.ts';

/** Every way of searching passages on this device, in the order of the menu. */
export const LOCAL_METHODS: readonly LocalMethod[] = [lexical, flat, hnsw, cluster, hybrid];

/** @throws Error for a method that is not in the list */
export function localMethod(
  id: string,
  methods: readonly LocalMethod[] = LOCAL_METHODS,
): LocalMethod {
  const found = methods.find((method) => method.id === id);
  if (found) return found;
  throw new Error(
    `There is no search method “${id}”; this version has ${methods.map((method) => method.id).join(', ')}.`,
  );
}
