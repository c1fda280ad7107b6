import { lastOf } from '../../base/items.ts';
import { rewardById } from '../../learn/rewards/registry.ts';
import { valueOf } from '../../learn/settings/edit-settings.ts';
import { idleBecause } from '../../learn/settings/idle.ts';
import type { TrainSettings } from '../../recipes/parts/training.ts';

/** The settings that a sweep varies, and how they are written. */

export type SweepValue = string | number | boolean;

/** One setting and its values, in the order in which they are tried. */
export interface SweepAxis {
  /** As `--set` names it: `optimizer.learningRate`. */
  path: string;
  values: readonly SweepValue[];
}

/** Short names of what is swept most. */
const NAMES: Readonly<Record<string, string>> = {
  lr: 'optimizer.learningRate',
  group: 'groupSize',
  rank: 'adapter.rank',
  kl: 'objective.kl.coefficient',
};

/** Factors of the first stage's reward: `weights.format`. */
const WEIGHTS = 'weights.';

const pathOf = (name: string): string =>
  name.startsWith(WEIGHTS) ? `stages.0.${name}` : (NAMES[name] ?? name);

/** A setting in a few letters, as axes of pictures and names of runs have it. */
export const shortName = (path: string): string =>
  Object.entries(NAMES).find(([, long]) => long === path)?.[0] ??
  lastOf(path.split('.'), 'key of a setting');

/** A value as it is written: `1e-4` stays short. */
export const valueText = (value: SweepValue): string => {
  if (typeof value !== 'number' || value === 0 || Math.abs(value) >= 0.001) return String(value);
  return value.toExponential();
};

function axisOf(text: string): SweepAxis {
  const equals = text.indexOf('=');
  const name = text.slice(0, equals).trim();
  if (equals < 1 || name === '')
    throw new Error(`'${text.trim()}' has no values; write setting=value,value`);
  const parts = text
    .slice(equals + 1)
    .split(',')
    .map((part) => part.trim());
  if (parts.includes('')) throw new Error(`'${text.trim()}' has an empty value`);
  return {
    path: pathOf(name),
    values: parts.map((part) => {
      const value = valueOf(part);
      if (typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string')
        return value;
      throw new Error(`'${part}' of ${name} is not a number, a word, true or false`);
    }),
  };
}

/**
 * Reads `lr=1e-4,3e-4;groupSize=4,8`: one or two settings, the first by row, the second by column.
 * @throws Error of one line
 */
export const parseSweep = (text: string): SweepAxis[] =>
  text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map(axisOf);

/** The same as text. */
export const sweepText = (axes: readonly SweepAxis[]): string =>
  axes.map(({ path, values }) => `${path}=${values.map(valueText).join(',')}`).join(';');

const isValue = (value: unknown): value is SweepValue =>
  ['string', 'number', 'boolean'].includes(typeof value);

/** What names a run's kind, and what it is measured by: runs measured otherwise are not compared. */
const FIXED = ['preset', 'heldOut'];

function leaves(value: unknown, path: string): string[] {
  if (FIXED.includes(path)) return [];
  if (isValue(value)) return [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    leaves(inner, path === '' ? key : `${path}.${key}`),
  );
}

/** Every setting that holds one value, by path, with the factors of each stage's reward. */
export function settable(settings: TrainSettings): string[] {
  const weights = settings.stages.flatMap(({ reward }, i) =>
    Object.keys(rewardById(reward)?.weights ?? {}).map((clause) => `stages.${i}.weights.${clause}`),
  );
  return [...new Set([...leaves(settings, ''), ...weights])];
}

/** Of these the ones that do something beside the others. */
export const sweepable = (settings: TrainSettings): string[] =>
  settable(settings).filter((path) => idleBecause(settings, path) === null);
