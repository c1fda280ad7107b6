import { itemAt } from '../../base/items.ts';

/** Steps of the router's optimizer on flat lists of numbers, double precision. */

export interface Moments {
  first: number[];
  second: number[];
}

export const zeroMoments = (size: number): Moments => ({
  first: Array.from({ length: size }, () => 0),
  second: Array.from({ length: size }, () => 0),
});

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPS = 1e-8;

/** Plain descent, as equation (23) of arXiv 2506.19466 has it: `θ − η g`. */
export const descend = (
  parameters: readonly number[],
  gradient: readonly number[],
  learningRate: number,
): number[] => parameters.map((p, i) => p - learningRate * itemAt(gradient, i, 'gradient'));

/**
 * Adam (Kingma and Ba 2015, β = (0.9, 0.999), ε = 1e-8), bias-corrected.
 * @param step number of this update, from 1
 */
export function adam(
  parameters: readonly number[],
  gradient: readonly number[],
  moments: Moments,
  { step, learningRate }: { step: number; learningRate: number },
): { parameters: number[]; moments: Moments } {
  const first = moments.first.map(
    (m, i) => BETA1 * m + (1 - BETA1) * itemAt(gradient, i, 'gradient'),
  );
  const second = moments.second.map(
    (v, i) => BETA2 * v + (1 - BETA2) * itemAt(gradient, i, 'gradient') ** 2,
  );
  const [c1, c2] = [1 - BETA1 ** step, 1 - BETA2 ** step];
  const moved = parameters.map(
    (p, i) =>
      p -
      (learningRate * (itemAt(first, i, 'moments') / c1)) /
        (Math.sqrt(itemAt(second, i, 'moments') / c2) + EPS),
  );
  return { parameters: moved, moments: { first, second } };
}
