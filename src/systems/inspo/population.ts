import { itemAt } from '../../base/items.ts';
import { mean } from '../../base/statistics.ts';
import type { FormBlock } from '../../records/form-line.ts';

/** What INSPO (arXiv 2512.01945) computes with the population of instructions. */

/** Text for a policy that reads it, or the blocks that a form line asks for; the first instruction has neither. */
export interface Instruction {
  text: string;
  blocks: FormBlock[];
}

export interface Member extends Instruction {
  /** Null until a group of it has ended. */
  weight: number | null;
}

export const keyOf = ({ text, blocks }: Instruction): string => text || blocks.join(' , ');

/** The weights in force: one that is not known yet counts as the mean of the known ones. */
function weightsOf(population: readonly Member[]): number[] {
  const known = population.flatMap(({ weight }) => weight ?? []);
  const usual = known.length > 0 ? mean(known) : 0;
  return population.map(({ weight }) => weight ?? usual);
}

/** softmax(w / τ_s): how likely each instruction is drawn. */
export function chances(population: readonly Member[], temperature: number): number[] {
  const weights = weightsOf(population);
  const most = Math.max(...weights);
  const powers = weights.map((weight) => Math.exp((weight - most) / temperature));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** The instruction at `draw` of [0, 1) along the chances. */
export function drawnBy(population: readonly Member[], temperature: number, draw: number): Member {
  let left = draw;
  for (const [i, chance] of chances(population, temperature).entries()) {
    left -= chance;
    if (left < 0) return itemAt(population, i, 'instructions');
  }
  return itemAt(population, population.length - 1, 'instructions');
}

/** w after a step: the first mean reward, later (1 − η) w + η times the mean reward. */
export const weightAfter = (weight: number | null, reward: number, rate: number): number =>
  weight === null ? reward : (1 - rate) * weight + rate * reward;

/** Best first; the older of equals is before the younger. */
export function ranked(population: readonly Member[]): Member[] {
  const weights = weightsOf(population);
  return population
    .map((member, i) => ({ member, weight: itemAt(weights, i, 'weights') }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ member }) => member);
}

/** Successive halving: the better half stays, in its order; of one alone that one. */
export function pruned(population: readonly Member[]): Member[] {
  const kept = new Set(ranked(population).slice(0, Math.ceil(population.length / 2)));
  return population.filter((member) => kept.has(member));
}

export interface Episode {
  text: string;
  reward: number;
}

/** The buffer after a step: what earned least stays, of equals the latest. */
export const replayed = (
  buffer: readonly Episode[],
  latest: readonly Episode[],
  size: number,
): Episode[] =>
  [...latest.toReversed(), ...buffer].toSorted((a, b) => a.reward - b.reward).slice(0, size);
