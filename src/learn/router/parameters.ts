import { itemAt } from '../../base/items.ts';
import type { RouterGradient, RouterWeights } from '../../agent/router/network.ts';

/** The router's parameters as one flat list: bias, u, c, W row by row, v. */

/** Works for weights and gradients alike. */
export const flatten = (w: RouterGradient): number[] => [
  w.bias,
  ...w.linear,
  ...w.hiddenBias,
  ...w.hidden.flat(),
  ...w.output,
];

/** The inverse of `flatten`, in the shape of `like`. @throws Error for another number of values */
export function unflatten(
  flat: readonly number[],
  like: RouterGradient,
  origin: string,
): RouterWeights {
  let at = 0;
  const take = (count: number): number[] => flat.slice(at, (at += count));
  const weights: RouterWeights = {
    origin,
    bias: itemAt(take(1), 0, 'parameters'),
    linear: take(like.linear.length),
    hiddenBias: take(like.hiddenBias.length),
    hidden: like.hidden.map((row) => take(row.length)),
    output: take(like.output.length),
  };
  if (at !== flat.length)
    throw new Error(`router: ${flat.length} parameters where the network has ${at}`);
  return weights;
}
